import type { Db, Versions } from '#db/db.ts';
import { listMatches, matchWithTeams, revisedMatch } from '#store/game/matches.ts';
import { originOf } from '#store/database-id.ts';
import type { Kit } from './endpoint.ts';

/** How matches are read: on SQLite without waiting. */
export function findersOf(db: Db, renderVersion: string): Pick<Kit, 'match' | 'list'> {
  return {
    match: db.remote ? revisedIn(db, renderVersion) : (key) => matchWithTeams(db.atOnce, key),
    list: (before, limit) => listMatches(db.atOnce, before, limit),
  };
}

/** Where no number tells the state of all matches, the revision of a match names its text. */
function revisedIn(db: Db, renderVersion: string): Kit['match'] {
  let origin: number | undefined;
  return async (key) => {
    origin ??= await originOf(db);
    const match = await revisedMatch(db.atOnce, key);
    return match && { ...match, tag: `r${match.revision.toString(36)}-${renderVersion}-${origin.toString(36)}` };
  };
}

/** See `Ask.epoch`. */
export function epochOf({ origin, matches }: Versions, renderVersion: string): string | undefined {
  if (origin === undefined || matches === undefined) return undefined;
  return `${matches.toString(36)}-${renderVersion}-${origin.toString(36)}`;
}
