import { imageHash, type UploadedImage } from '#platform/uploaded-image.ts';
import { getValue, type Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

export async function setLogo(
  db: Queryable,
  applicationKey: number,
  content_type: string,
  bytes: Uint8Array,
): Promise<void> {
  await db.run(sql`
    insert into application_logos (application_key, content_type, hash, bytes)
    values (${applicationKey}, ${content_type}, ${imageHash(bytes)}, ${bytes})
    on conflict (application_key) do update set
      content_type = excluded.content_type, hash = excluded.hash, bytes = excluded.bytes`);
}

export async function removeLogo(db: Queryable, applicationKey: number): Promise<void> {
  await db.run(sql`delete from application_logos where application_key = ${applicationKey}`);
}

export const findLogo = (db: Queryable, clientId: string): Promise<UploadedImage | undefined> =>
  db.get(sql`
    select l.content_type, l.hash, l.bytes from application_logos l join applications a on a.key = l.application_key
    where a.client_id = ${clientId}`);

export const hasLogo = async (db: Queryable, applicationKey: number): Promise<boolean> =>
  (await logoHash(db, applicationKey)) !== undefined;

export const logoHash = (db: Queryable, applicationKey: number): Promise<string | undefined> =>
  getValue(db, sql`select hash from application_logos where application_key = ${applicationKey}`);
