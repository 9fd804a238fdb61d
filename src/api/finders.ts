import type { Db, Versions } from '#db/db.ts';
import { gathered } from '#db/gather.ts';
import { type ListAsked, listFromPages, listsFromPages } from '#records/match-pages.ts';
import { matchWithTeams, type RevisedMatch, revisedMatches } from '#records/matches.ts';
import { originOf } from '#records/origin.ts';
import type { FoundMatch, Kit } from './endpoint.ts';

/** How matches are found; where a look-up is a journey, those of one moment travel together. */
export function findersOf(db: Db, edition: string): Pick<Kit, 'match' | 'paged'> {
  if (db.remote)
    return {
      match: gathered(revisedIn(db, edition)),
      paged: gathered((asked: readonly ListAsked[]) => listsFromPages(db, edition, asked)),
    };
  return {
    match: (key) => matchWithTeams(db.atOnce, key),
    paged: (asked) => listFromPages(db.atOnce, edition, asked),
  };
}

/** Looks matches up; what names their texts is a revision of each, since no number tells the state of all. */
function revisedIn(db: Db, edition: string): (keys: readonly number[]) => Promise<(FoundMatch | undefined)[]> {
  let origin: number | undefined;
  const named = (match: RevisedMatch | undefined): FoundMatch | undefined =>
    match && { ...match, tag: `r${match.revision.toString(36)}-${edition}-${origin!.toString(36)}` };
  return async (keys) => {
    origin ??= await originOf(db);
    return (await revisedMatches(db, keys)).map(named);
  };
}

/** See `Ask.epoch`. */
export function epochOf({ origin, matches }: Versions, edition: string): string | undefined {
  if (origin === undefined || matches === undefined) return undefined;
  return `${matches.toString(36)}-${edition}-${origin.toString(36)}`;
}
