import type { Db, Versions } from '#db/db.ts';
import { listMatches, matchWithTeams, revisedMatch } from '#store/game/matches.ts';
import { databaseIdOf } from '#store/database-id.ts';
import type { Deps } from './endpoint.ts';

/** How matches are read: on SQLite without waiting. */
export function matchQueriesOf(db: Db, renderVersion: string): Pick<Deps, 'match' | 'list'> {
  return {
    match: db.remote ? revisedIn(db, renderVersion) : (key) => matchWithTeams(db.readSync, key),
    list: (before, limit) => listMatches(db.readSync, before, limit),
  };
}

/** Where no number tells the state of all matches, the revision of a match names its text. */
function revisedIn(db: Db, renderVersion: string): Deps['match'] {
  let origin: number | undefined;
  return async (key) => {
    origin ??= await databaseIdOf(db);
    const match = await revisedMatch(db.readSync, key);
    return match && { ...match, tag: `r${match.revision.toString(36)}-${renderVersion}-${origin.toString(36)}` };
  };
}

/** See `Ask.epoch`. */
export function dataVersionOf({ databaseId, matches }: Versions, renderVersion: string): string | undefined {
  if (databaseId === undefined || matches === undefined) return undefined;
  return `${matches.toString(36)}-${renderVersion}-${databaseId.toString(36)}`;
}
