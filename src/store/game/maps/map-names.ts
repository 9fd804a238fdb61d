import type { Db, Queryable } from '#db/db.ts';
import { mapSlug } from '#text/map-slug.ts';
import { mapNames, newestMap } from './maps.ts';
import { sql } from '#db/sql.ts';

/** A withdrawn map keeps its slug for this long. */
const MAX_AGE_MS = 60_000;

interface Index {
  names: ReadonlyMap<string, string>;
  /** The key of the newest map in it. */
  newest: number | undefined;
  read: number;
}

const indexes = new WeakMap<Queryable, Index>();

/**
 * The name of the map whose name gives this slug. All names are in memory, so that a server whose matches name unknown maps
 * costs one look-up a match; they are read again when there is a new map, and otherwise once a minute at most.
 */
export async function mapNameBySlug(db: Queryable, now: number, slug: string): Promise<string | undefined> {
  let index = indexes.get(db);
  const newest = await newestMap(db);
  if (index === undefined || index.newest !== newest || Math.abs(now - index.read) >= MAX_AGE_MS) {
    index = { names: namesBySlug(await mapNames(db)), newest, read: now };
    indexes.set(db, index);
  }
  return index.names.get(slug);
}

/** Of several names with one slug, the map that was published first. */
const namesBySlug = (names: readonly string[]): ReadonlyMap<string, string> =>
  new Map(names.toReversed().map((name) => [mapSlug(name), name]));

/** The name and gamemode of a map by the slug that a sender reports, which at the end of a match has only the slug. */
export interface SluggedMap {
  name: string;
  gamemode: string;
}

export const sluggedMap = (db: Queryable, slug: string): Promise<SluggedMap | undefined> =>
  db.get(sql`select name, gamemode from dialect_maps where slug = ${slug}`);

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

const isFull = async (db: Db): Promise<boolean> =>
  (await db.tuple(sql`select 1 from dialect_maps order by slug limit 1 offset ${MAX_MAPS - 1}`)) !== undefined;
