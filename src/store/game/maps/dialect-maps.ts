import type { Db, Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** A map as a sender names it that knows only a slug at the end of a match. */
export interface DialectMap {
  name: string;
  gamemode: string;
}

export async function dialectMap(db: Queryable, slug: string): Promise<DialectMap | undefined> {
  return await db.get<DialectMap>(sql`select name, gamemode from dialect_maps where slug = ${slug}`);
}

/** More maps than any network plays; a server's key must not fill the database. */
const MAX_MAPS = 10_000;

/**
 * Stores a map where it differs from the stored one: it is sent with every match, and writing takes the writer's lock.
 * @returns false where too many maps are stored to add one
 */
export async function saveDialectMap(db: Db, slug: string, { name, gamemode }: DialectMap): Promise<boolean> {
  const stored = await dialectMap(db, slug);
  if (stored?.name === name && stored.gamemode === gamemode) return true;
  if (stored === undefined && (await isFull(db))) return false;
  await db.run(sql`
    insert into dialect_maps (slug, name, gamemode) values (${slug}, ${name}, ${gamemode})
    on conflict (slug) do update set name = excluded.name, gamemode = excluded.gamemode`);
  return true;
}

async function isFull(db: Db): Promise<boolean> {
  return (await db.tuple(sql`select 1 from dialect_maps order by slug limit 1 offset ${MAX_MAPS - 1}`)) !== undefined;
}
