import type { Queryable } from '#db/db.ts';
import { identifier, type Sql, sql } from '#db/sql.ts';
import { keysetPage, pageBefore } from '../keyset-paging.ts';
import { type End, endOf } from './match-lists.ts';
import { playedBelow } from './matches.ts';

/** What a list of matches is filtered by: keys of a server and a player, and the name key of a map. */
export interface MatchFilters {
  server?: number | undefined;
  map?: string | undefined;
  /** In lower case. */
  gamemode?: string | undefined;
  player?: number | undefined;
  ranked?: boolean | undefined;
  /** Bounds of the end in epoch milliseconds; `until` is exclusive. */
  since?: number | undefined;
  until?: number | undefined;
}

/**
 * The combinations of filters, each with the index that its list reads from its beginning. Every other combination would read
 * and discard the matches of others, at a million matches all of them. `time` is `since`, `until` or both.
 */
export const MATCH_INDEXES: Readonly<Record<string, string>> = {
  server: 'matches_by_server',
  map: 'matches_by_map',
  gamemode: 'matches_by_gamemode',
  player: 'player_matches_by_player',
  ranked: 'matches_by_ranked',
  time: 'matches_by_end',
  'map ranked': 'matches_by_map',
  'gamemode ranked': 'matches_by_gamemode',
  'server time': 'matches_by_server_and_end',
  'map time': 'matches_by_map_and_end',
  'gamemode time': 'matches_by_gamemode_and_end',
  'ranked time': 'matches_by_ranked_and_end',
};

/**
 * The keys of the matches with one of these combinations of filters: newest first, or with a time by their end, the last one
 * first.
 * @param before the key of the last match of the page before; `Number.MAX_SAFE_INTEGER` for the first page
 */
export async function filteredMatches(
  db: Queryable,
  filters: MatchFilters,
  before: number,
  limit: number,
): Promise<number[]> {
  const rows = await db.tuples(await selectKeys(db, filters, before, limit));
  return rows.map(([key]) => key as number);
}

async function selectKeys(db: Queryable, filters: MatchFilters, before: number, limit: number): Promise<Sql> {
  if (filters.player !== undefined) return sql`select m.key ${playedBelow(filters.player, before, limit)}`;
  if (filters.since === undefined && filters.until === undefined) return byArrival(filters, before, limit);
  return byEnd(filters, (await endOf(db, before)) ?? FIRST, limit);
}

/** Before the end of every match. */
const FIRST: End = { finished: Number.MIN_SAFE_INTEGER, key: 0 };

/** Of a map or a gamemode the index has a list for each value of `ranked`: without that filter, both are merged. */
function byArrival(filters: MatchFilters, before: number, limit: number): Sql {
  const [column, value] = columnOf(filters)!;
  const page = keysetPage(column, value, pageBefore(before, limit));
  if (column === 'server_key' || column === 'ranked') return sql`select key from matches where ${page}`;
  const list = (ranked: 0 | 1): Sql => sql`select key from matches where ranked = ${ranked} and ${page}`;
  if (filters.ranked !== undefined) return list(filters.ranked ? 1 : 0);
  return sql`
    select key from (
      select key from (${list(0)}) unranked union all select key from (${list(1)}) ranked
    ) merged order by key desc limit ${limit}`;
}

/** The value appears twice for the reason at `keysetPage`. */
function byEnd(filters: MatchFilters, before: End, limit: number): Sql {
  const { since = Number.MIN_SAFE_INTEGER, until = Number.MAX_SAFE_INTEGER } = filters;
  const end = until <= before.finished ? { finished: until, key: 0 } : before;
  const bounds = sql`(finished, key) < (${end.finished}, ${end.key}) and finished >= ${since}`;
  const order = sql`finished desc, key desc limit ${limit}`;
  const filter = columnOf(filters);
  if (filter === undefined) return sql`select key from matches where ${bounds} order by ${order}`;
  const [column, value] = filter;
  const name = identifier(column);
  return sql`
    select key from matches where ${name} in (${value}, ${value}) and ${bounds} order by ${name} desc, ${order}`;
}

/** The first column of the index. */
function columnOf({
  server,
  map,
  gamemode,
  ranked,
}: MatchFilters): [column: string, value: string | number] | undefined {
  if (server !== undefined) return ['server_key', server];
  if (map !== undefined) return ['map_key', map];
  if (gamemode !== undefined) return ['gamemode', gamemode];
  return ranked === undefined ? undefined : ['ranked', Number(ranked)];
}
