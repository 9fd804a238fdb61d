import type { Queryable } from '#db/db.ts';
import { mapSlug } from '#text/map-slug.ts';
import { mapNames, newestMap } from './maps.ts';

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
