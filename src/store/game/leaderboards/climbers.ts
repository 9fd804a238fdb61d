import type { Queryable } from '#db/db.ts';
import { identifier, list, sql } from '#db/sql.ts';
import { placesOf } from '../place-counts.ts';
import { type Board, leaders } from './leaderboards.ts';

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
