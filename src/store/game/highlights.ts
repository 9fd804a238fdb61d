import { getValue, type Queryable } from '#db/db.ts';
import { identifier, list, sql } from '#db/sql.ts';
import { isCounted } from './excluded-matches.ts';
import { type Board, leaders } from './leaderboards/leaderboards.ts';
import { placesOf } from './place-counts.ts';
import type { Named } from './players.ts';
import { isRanked } from './unranked-players.ts';

/** Maximum matches among which the one with most players is looked for. */
export const COMPARED_MATCHES = 1_000;

/** The match with most players among the newest that finished since a time and count; of several the newest. */
export async function largestMatch(db: Queryable, since: number): Promise<number | undefined> {
  return await getValue<number>(
    db,
    sql`
    select newest.key from (
      select m.key, m.finished from matches m
      where m.finished >= ${since} and ${isCounted(sql`m.key`)}
        and exists (select 1 from match_details d where d.match_key = m.key)
      order by m.finished desc, m.key desc limit ${COMPARED_MATCHES}
    ) newest cross join player_matches p where p.match_key = newest.key
    group by newest.key, newest.finished order by count(*) desc, newest.finished desc, newest.key desc limit 1`,
  );
}

/** How many of the first players of a board are compared with an earlier one, and how many climbers there are at most. */
export const COMPARED_PLACES = 50;
export const CLIMBERS = 5;

export interface Climber {
  /** The key of the player. */
  key: number;
  place: number;
  /** Gained places. */
  up: number;
}

/**
 * Those of the first players of a board who gained most places since an earlier one, where players without a row have the place
 * after the last one.
 */
export async function climbers(db: Queryable, board: Board, earlier: number): Promise<Climber[]> {
  const first = await leaders(db, { ...board, limit: COMPARED_PLACES });
  const { mode, metric } = board;
  const rows = await db.tuples(sql`
    select player_key, ${identifier(metric)} from boards
    where bucket = ${earlier} and mode = ${mode} and player_key in (${list(first.map(({ key }) => key))})`);
  const values = new Map(rows as [number, number][]);
  const before = new Map<number, number>();
  for (const value of new Set(first.map(({ key }) => values.get(key) ?? 0))) {
    // One value a statement, so that there is one prepared statement.
    const [found] = await placesOf(db, [{ board: earlier, mode, counter: metric, value }]);
    before.set(value, found!.place);
  }
  return first
    .map(({ key, place }) => ({ key, place, up: before.get(values.get(key) ?? 0)! - place }))
    .filter(({ up }) => up > 0)
    .sort((a, b) => b.up - a.up)
    .slice(0, CLIMBERS);
}

/** Those of the players, given by keys or UUIDs, whom leaderboards do not leave out. */
export const rankedAmong = (
  db: Queryable,
  column: 'key' | 'uuid',
  values: readonly (number | string)[],
): Promise<(Named & { key: number })[]> =>
  db.all(sql`
    select p.key, p.uuid, p.name from players p
    where p.${identifier(column)} in (${list(values)}) and ${isRanked(sql`p.key`)}`);
