import { hash } from 'node:crypto';
import type { Config } from '#platform/config/config.ts';
import type { Db, Versions } from '#db/db.ts';
import { matchWithTeams, revisedMatch } from '#store/game/matches.ts';
import { readDatabaseId } from '#store/installation/database-id.ts';
import type { Deps } from './endpoint.ts';

/** The query of one match. */
export function matchQuery(db: Db, renderVersion: string): Deps['match'] {
  return db.remote ? revisedMatchQuery(db, renderVersion) : (key) => matchWithTeams(db.shortReads, key);
}

/**
 * PostgreSQL has no data version of all matches, so the entity tag of a match is made from the match's own revision; with
 * merged players, whose names its row does not store, from its content.
 */
function revisedMatchQuery(db: Db, renderVersion: string): Deps['match'] {
  let databaseId: number | undefined;
  return async (key) => {
    databaseId ??= await readDatabaseId(db);
    const match = await revisedMatch(db.shortReads, key);
    if (match === undefined || match.isMerged) return match;
    return { ...match, tag: `r${match.revision.toString(36)}-${renderVersion}-${databaseId.toString(36)}` };
  };
}

/** See `EndpointContext.dataVersion`. The database id keeps the tags of two databases apart. */
export function dataVersionOf({ databaseId, matches }: Versions, renderVersion: string): string | undefined {
  if (databaseId === undefined || matches === undefined) return undefined;
  return `${matches.toString(36)}-${renderVersion}-${databaseId.toString(36)}`;
}

/** Increase this whenever the JSON of a match changes: it invalidates the entity tags that clients have stored. */
const RENDERING = 3;

/** Identifies how matches are rendered under these settings; part of every entity tag of a match. */
export function renderVersionOf({ TIME_ZONE, SITE_URL }: Pick<Config, 'TIME_ZONE' | 'SITE_URL'>): string {
  return hash('sha256', JSON.stringify([RENDERING, TIME_ZONE, SITE_URL]), 'base64url').slice(0, 10);
}
