import type { Db, Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** The name and gamemode of a map by the slug that a sender reports, which at the end of a match has only the slug. */
export interface SluggedMap {
  name: string;
  gamemode: string;
}

export async function sluggedMap(db: Queryable, slug: string): Promise<SluggedMap | undefined> {
  return await db.get<SluggedMap>(sql`select name, gamemode from dialect_maps where slug = ${slug}`);
}

/** Above the number of maps of any network, so that no server can fill the database. */
const MAX_MAPS = 10_000;

/**
 * Stores a map if it differs from the stored one. It is sent with every match, and writing takes the writer's lock.
 * @returns false if too many maps are stored to add one
 */
export async function saveSluggedMap(db: Db, slug: string, { name, gamemode }: SluggedMap): Promise<boolean> {
  const stored = await sluggedMap(db, slug);
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
