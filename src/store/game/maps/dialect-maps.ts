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

/** Stores a map where it differs from the stored one: it is sent with every match, and writing takes the writer's lock. */
export async function saveDialectMap(db: Db, slug: string, { name, gamemode }: DialectMap): Promise<void> {
  const stored = await dialectMap(db, slug);
  if (stored?.name === name && stored.gamemode === gamemode) return;
  await db.run(sql`
    insert into dialect_maps (slug, name, gamemode) values (${slug}, ${name}, ${gamemode})
    on conflict (slug) do update set name = excluded.name, gamemode = excluded.gamemode`);
}
