import { type Sql, sql } from '#db/sql.ts';
import { renamedJson } from '#store/game/renamed-json.ts';

/**
 * The statement that renames players in the counters of a match.
 * @param counters as stored; null if the match has none
 * @param renamed by UUID
 */
export function renamedCounters(
  match: number,
  counters: string | null,
  renamed: ReadonlyMap<string, { uuid: string; name: string }>,
): Sql[] {
  if (counters === null) return [];
  const text = renamedJson(counters, renamed);
  return text === counters ? [] : [sql`update match_counters set counters = ${text} where match_key = ${match}`];
}
