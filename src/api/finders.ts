import type { Db, Versions } from '#db/db.ts';
import { gathered } from '#db/gather.ts';
import { type ListAsked, listFromPages, listsFromPages } from '#records/match-pages.ts';
import { matchesWithTeams, matchWithTeams } from '#records/matches.ts';
import type { Kit } from './endpoint.ts';

/** How matches are found; where a look-up is a journey, those of one moment travel together. */
export function findersOf(db: Db, edition: string): Pick<Kit, 'match' | 'paged'> {
  if (db.remote)
    return {
      match: gathered((keys: readonly number[]) => matchesWithTeams(db, keys)),
      paged: gathered((asked: readonly ListAsked[]) => listsFromPages(db, edition, asked)),
    };
  return {
    match: (key) => matchWithTeams(db.atOnce, key),
    paged: (asked) => listFromPages(db.atOnce, edition, asked),
  };
}

/** See `Ask.epoch`. */
export function epochOf({ origin, matches }: Versions, edition: string): string | undefined {
  if (origin === undefined || matches === undefined) return undefined;
  return `${matches.toString(36)}-${edition}-${origin.toString(36)}`;
}
