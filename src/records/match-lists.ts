import type { Queryable } from '#db/db.ts';
import { type Sql, sql } from '#db/sql.ts';
import type { MatchHead, PlayedMatch } from './matches.ts';
import { historyFrom, rowsOfHistory, startBelow } from './player-history.ts';

/** What a list of matches may be narrowed to: one thing at a time, so that each list is a walk along one index. */
export type MatchFilter = { mapKey: string } | { serverKey: number } | { gamemode: string } | undefined;

/** A match as a page lists it: beside its head, the keys that lead on. */
export interface ListedMatch extends MatchHead {
  map_key: string;
  server_key: number;
}

/** Matches with keys below `before`, the newest first. */
export async function listMatchesWhere(
  db: Queryable,
  filter: MatchFilter,
  before: number,
  limit: number,
): Promise<ListedMatch[]> {
  return await db.all<ListedMatch>(sql`
    select key, head, started, finished, map_key, server_key from matches
    where ${conditionOf(filter)} key < ${before} order by key desc limit ${limit}`);
}

function conditionOf(filter: MatchFilter): Sql {
  if (filter === undefined) return sql``;
  if ('mapKey' in filter) return sql`map_key = ${filter.mapKey} and`;
  if ('serverKey' in filter) return sql`server_key = ${filter.serverKey} and`;
  return sql`gamemode = ${filter.gamemode} and`;
}

/** A player's matches with keys below `before`, the newest first. */
export async function listPlayedMatches(
  db: Queryable,
  playerKey: number,
  before: number,
  limit: number,
): Promise<(PlayedMatch & ListedMatch)[]> {
  const start = await startBelow(db, playerKey, before);
  if (start === undefined) return [];
  return await db.all<PlayedMatch & ListedMatch>(sql`
    ${historyFrom(playerKey, sql`select cast(${start} as bigint) as match_key`, limit)}
    select m.key, m.head, m.started, m.finished, m.map_key, m.server_key, p.result, p.score, p.kill_count, p.death_count
    ${rowsOfHistory(playerKey)} order by h.match_key desc`);
}
