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
