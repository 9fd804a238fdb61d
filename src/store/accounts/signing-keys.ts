import type { Db, Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** A key that signs ID tokens, sealed under the secret key. */
export interface SigningKey {
  kid: string;
  created: number;
  sealed: string;
}

/** All signing keys, oldest first. */
export async function signingKeys(db: Queryable): Promise<SigningKey[]> {
  return await db.all<SigningKey>(sql`select kid, created, sealed from signing_keys order by created, kid`);
}

export async function addSigningKey(db: Queryable, { kid, created, sealed }: SigningKey): Promise<void> {
  await db.run(sql`insert into signing_keys (kid, created, sealed) values (${kid}, ${created}, ${sealed})`);
}

/** Adds the first key, unless another process has already done so. */
export async function addFirstSigningKey(db: Db, key: SigningKey): Promise<void> {
  await db.run(sql`
    insert into signing_keys (kid, created, sealed)
    select ${key.kid}, cast(${key.created} as bigint), ${key.sealed} where not exists (select 1 from signing_keys)`);
}

export async function deleteSigningKey(db: Queryable, kid: string): Promise<void> {
  await db.run(sql`delete from signing_keys where kid = ${kid}`);
}

export async function setSigningKeyCreated(db: Queryable, kid: string, created: number): Promise<void> {
  await db.run(sql`update signing_keys set created = ${created} where kid = ${kid}`);
}
