import { whenKnown } from '#base/known.ts';
import type { Db, Versions } from '#db/db.ts';
import { gathered } from '#db/gather.ts';
import { listMatches, type MatchHead, matchWithTeams, type RevisedMatch, revisedMatches } from '#records/matches.ts';
import { originOf } from '#records/origin.ts';
import type { FoundMatch, Kit } from './endpoint.ts';

/** What `max_id` is where none was sent. */
export const NEWEST = Number.MAX_SAFE_INTEGER;

/** How matches are found; where a look-up is a journey, those of one moment travel together. */
export function findersOf(db: Db, renderVersion: string): Pick<Kit, 'match' | 'list' | 'newest'> {
  if (db.remote) {
    const newest = gathered((asked: readonly NewestAsked[]) => newestIn(db, asked));
    return {
      match: gathered(revisedIn(db, renderVersion)),
      list: (before, limit) => listMatches(db.atOnce, before, limit),
      newest: async <T>(limit: number, make: (found: MatchHead[]) => T) => (await newest({ limit, make })) as T,
    };
  }
  return {
    match: (key) => matchWithTeams(db.atOnce, key),
    list: (before, limit) => listMatches(db.atOnce, before, limit),
    newest: (limit, make) => whenKnown(listMatches(db.atOnce, NEWEST, limit), make),
  };
}

interface NewestAsked {
  limit: number;
  make: (found: MatchHead[]) => unknown;
}

/** One look-up for all, and one making for all who ask for equally many. */
async function newestIn(db: Db, asked: readonly NewestAsked[]): Promise<unknown[]> {
  const found = await listMatches(db, NEWEST, Math.max(...asked.map(({ limit }) => limit)));
  const made = new Map<number, unknown>();
  for (const { limit, make } of asked) if (!made.has(limit)) made.set(limit, make(found.slice(0, limit)));
  return asked.map(({ limit }) => made.get(limit));
}

/** Looks matches up; what names their texts is a revision of each, since no number tells the state of all. */
function revisedIn(db: Db, renderVersion: string): (keys: readonly number[]) => Promise<(FoundMatch | undefined)[]> {
  let origin: number | undefined;
  const named = (match: RevisedMatch | undefined): FoundMatch | undefined =>
    match && { ...match, tag: `r${match.revision.toString(36)}-${renderVersion}-${origin!.toString(36)}` };
  return async (keys) => {
    origin ??= await originOf(db);
    return (await revisedMatches(db, keys)).map(named);
  };
}

/** See `Ask.epoch`. */
export function epochOf({ origin, matches }: Versions, renderVersion: string): string | undefined {
  if (origin === undefined || matches === undefined) return undefined;
  return `${matches.toString(36)}-${renderVersion}-${origin.toString(36)}`;
}
