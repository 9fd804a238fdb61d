import { setImmediate } from 'node:timers/promises';
import { readTime } from '#text/time.ts';
import { columnOf, getValue, type Queryable } from '#db/db.ts';
import { identifier, list, type Sql, sql } from '#db/sql.ts';
import { isCounted } from './excluded-matches.ts';
import { privateTeams } from './hidden-in-matches.ts';
import { IS_REWRITTEN, asShownMatches } from './merged-players.ts';
import { teamsKeyOf } from './own-teams.ts';
import { inOrderOf, keysetPage, pageBefore } from '../keyset-paging.ts';
import {
  MAY_HIDE,
  type MatchHead,
  type MatchTeam,
  playedBelow,
  type PlayedMatch,
  playedKeys,
  withWinners,
} from './matches.ts';

/** A match in a list of the site, with the keys for its links. */
export interface ListedMatch extends MatchHead {
  map_key: string;
  server_key: number;
}

/** The position of a match in a list by the end. */
export interface End {
  finished: number;
  key: number;
}

const LAST: End = { finished: Number.MAX_SAFE_INTEGER, key: Number.MAX_SAFE_INTEGER };

/**
 * Matches with one filter, or all, by their end, the last one first.
 * @param before the key of the last match of the page before; `Number.MAX_SAFE_INTEGER` for the first page
 */
export async function listMatchesWhere(
  db: Queryable,
  filter: Pick<MatchFilters, 'server' | 'map' | 'gamemode'>,
  before: number,
  limit: number,
): Promise<ListedMatch[]> {
  const end = await endOf(db, before);
  if (end === undefined) return [];
  const matches = await db.all<ListedMatch & { hidden: number }>(sql`
    select key, head, started, finished, map_key, server_key, ${MAY_HIDE} as hidden from matches
    where ${byEnd(filter, end, limit)}`);
  return await withWinners(db, matches);
}

/**
 * The end of a match, also of a withdrawn one, which the ledger still has. For the key of no match a position near it: after
 * the end of the match that arrived before it.
 */
export async function endOf(db: Queryable, key: number): Promise<End | undefined> {
  if (key === Number.MAX_SAFE_INTEGER) return LAST;
  const found = await db.get<End>(sql`
    select finished, key from matches where key <= ${key} order by key desc limit 1`);
  if (found?.key === key) return found;
  const withdrawn = await db.get<{ body: string }>(sql`
    select body from ledger where key = ${key} and type = 'match.finished'`);
  const finished = withdrawn && readTime((JSON.parse(withdrawn.body) as { finished: string }).finished);
  if (finished !== undefined) return { finished, key };
  return found && { finished: found.finished, key: found.key + 1 };
}

/** A player's matches with keys below `before`, newest first. */
export async function listPlayedMatches(
  db: Queryable,
  playerKey: number,
  before: number,
  limit: number,
): Promise<(PlayedMatch & ListedMatch)[]> {
  const matches = await db.all<PlayedMatch & ListedMatch & { hidden: number }>(sql`
    select m.key, m.head, m.started, m.finished, m.map_key, m.server_key, p.result, p.score, p.kill_count, p.death_count,
      p.envdeath_count, ${MAY_HIDE} as hidden
    ${playedBelow(playerKey, before, limit)}`);
  return await withWinners(db, matches);
}

/**
 * Matches with these keys, in the order of the keys.
 * @param player whose own results come with them
 */
export async function listMatchesByKeys(
  db: Queryable,
  keys: readonly number[],
  player?: number,
): Promise<(ListedMatch & Partial<PlayedMatch>)[]> {
  if (keys.length === 0) return [];
  const columns = sql`
    m.key, m.head, m.started, m.finished, m.map_key, m.server_key,
    ${MAY_HIDE} as hidden`;
  const rows = await db.all<ListedMatch & { hidden: number }>(
    player === undefined
      ? sql`select ${columns} from matches m where m.key in (${list(keys)})`
      : sql`
        select ${columns}, p.result, p.score, p.kill_count, p.death_count, p.envdeath_count
        from matches m join player_matches p on p.match_key = m.key and p.player_key = ${player}
        where m.key in (${list(keys)})`,
  );
  return inOrderOf(keys, await withWinners(db, rows));
}

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

/** The teams of matches by the key of the match. Matches without a row are absent. */
export async function teamsOfMatches(db: Queryable, keys: readonly number[]): Promise<Map<number, MatchTeam[]>> {
  if (keys.length === 0) return new Map();
  const stored = await db.all<{ key: number; teams: string; rewritten: number }>(sql`
    select match_key as key, teams, ${IS_REWRITTEN} from match_details where match_key in (${list(keys)})`);
  const matches = await asShownMatches(db, stored);
  return new Map(matches.map(({ key, teams }) => [key, JSON.parse(teams) as MatchTeam[]]));
}

/** What a list of matches is filtered by: keys of a server and a player, and the name key of a map. */
export interface MatchFilters {
  server?: number | undefined;
  map?: string | undefined;
  /** In lower case. */
  gamemode?: string | undefined;
  player?: number | undefined;
  ranked?: boolean | undefined;
  /** The key of two teams (`teamsKey`). */
  team?: string | undefined;
  /** Bounds of the end in epoch milliseconds; `until` is exclusive. */
  since?: number | undefined;
  until?: number | undefined;
}

const PLAYER_INDEX = 'player_matches_by_player';

/**
 * The combinations of filters, each with the index that its list reads from its beginning. Every other combination would read
 * and discard the matches of others, at a million matches all of them; with `player` all go, because it discards none but the
 * player's own. `time` is `since`, `until` or both.
 */
export const MATCH_INDEXES: Readonly<Record<string, string>> = {
  server: 'matches_by_server',
  map: 'matches_by_map',
  gamemode: 'matches_by_gamemode',
  player: PLAYER_INDEX,
  ranked: 'matches_by_ranked',
  time: 'matches_by_end',
  'server gamemode': 'matches_by_gamemode_and_server',
  'map gamemode': 'matches_by_gamemode_and_map',
  'map ranked': 'matches_by_map',
  'gamemode ranked': 'matches_by_gamemode',
  'server time': 'matches_by_server_and_end',
  'map time': 'matches_by_map_and_end',
  'gamemode time': 'matches_by_gamemode_and_end',
  'ranked time': 'matches_by_ranked_and_end',
  team: 'matches_by_teams',
  'gamemode team': 'matches_by_teams_and_gamemode',
};

/** The kinds of filters in the order of the combinations. */
const KINDS = ['server', 'map', 'gamemode', 'player', 'ranked', 'time', 'team'];

/** The index that serves these kinds of filters; undefined if none does. */
export function indexOf(kinds: ReadonlySet<string>): string | undefined {
  if (kinds.has('player')) return PLAYER_INDEX;
  const names = KINDS.filter((kind) => kinds.has(kind)).join(' ');
  return Object.hasOwn(MATCH_INDEXES, names) ? MATCH_INDEXES[names] : undefined;
}

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
  const { player, team } = filters;
  // A team may bear a former name of a private player, in whose place readers see another one.
  const isSeen = team === undefined || (await privateTeams(db, team.split('\n'))).size === 0;
  if (player === undefined && isSeen) return await columnOf(db, await selectKeys(db, filters, before, limit));
  const isAlone = Object.values(filters).filter((value) => value !== undefined).length === 1;
  if (player !== undefined && isAlone) return await playedKeys(db, player, before, limit);
  return await checkedKeys(db, filters, isSeen ? undefined : team, before, limit);
}

async function selectKeys(db: Queryable, filters: MatchFilters, before: number, limit: number): Promise<Sql> {
  if (filters.since === undefined && filters.until === undefined) return byArrival(filters, before, limit);
  return sql`select key from matches where ${byEnd(filters, (await endOf(db, before)) ?? FIRST, limit)}`;
}

const FIRST_READ = 100;
const MAX_READ = 1_000;

/**
 * Reads the matches of the player or of the teams, newest first, in parts: until the page is full, and all of them for a list by the
 * end. Between parts others have their turn.
 * @param shownTeam the teams that readers must see, if they may see others
 */
async function checkedKeys(
  db: Queryable,
  filters: MatchFilters,
  shownTeam: string | undefined,
  before: number,
  limit: number,
): Promise<number[]> {
  const { player } = filters;
  const byEnd = filters.since !== undefined || filters.until !== undefined;
  const end = byEnd ? ((await endOf(db, before)) ?? FIRST) : undefined;
  let found: Played[] = [];
  let below = byEnd ? Number.MAX_SAFE_INTEGER : before;
  for (let size = FIRST_READ; ; size = Math.min(2 * size, MAX_READ)) {
    const keys =
      player === undefined
        ? await columnOf<number>(db, byArrival(filters, below, size))
        : await playedKeys(db, player, below, size);
    const wanted = (await readPlayed(db, keys)).filter((match) => isWanted(match, filters, end));
    found.push(...(shownTeam === undefined ? wanted : await shownWith(db, shownTeam, wanted)));
    found = found.sort((a, b) => (byEnd && b.finished - a.finished) || b.key - a.key).slice(0, limit);
    if (keys.length < size || (!byEnd && found.length === limit)) return found.map(({ key }) => key);
    below = keys.at(-1)!;
    await setImmediate();
  }
}

/** Those of the matches whose teams readers see with these names. */
async function shownWith<M extends { key: number }>(db: Queryable, team: string, matches: M[]): Promise<M[]> {
  const keys = matches.map(({ key }) => key);
  const teams = await teamsOfMatches(db, keys);
  return matches.filter(({ key }) => teamsKeyOf(teams.get(key) ?? []) === team);
}

type Played = Required<Pick<MatchFilters, 'server' | 'map' | 'gamemode' | 'ranked'>> & End & { team: string | null };

/** Without a join, for which PostgreSQL may read all matches. */
async function readPlayed(db: Queryable, keys: readonly number[]): Promise<Played[]> {
  if (keys.length === 0) return [];
  const rows = await db.all<Omit<Played, 'ranked'> & { ranked: number }>(sql`
    select key, finished, server_key as server, map_key as map, gamemode, ranked, teams_key as team
    from matches where key in (${list(keys)})`);
  return rows.map((row) => ({ ...row, ranked: row.ranked === 1 }));
}

const FACTS = ['server', 'map', 'gamemode', 'ranked', 'team'] as const;

function isWanted(match: Played, filters: MatchFilters, end: End | undefined): boolean {
  const { since = Number.MIN_SAFE_INTEGER, until = Number.MAX_SAFE_INTEGER } = filters;
  const { finished, key } = match;
  if (finished < since || finished >= until) return false;
  if (end !== undefined && (finished > end.finished || (finished === end.finished && key >= end.key))) return false;
  return FACTS.every((fact) => filters[fact] === undefined || filters[fact] === match[fact]);
}

/** Before the end of every match. */
const FIRST: End = { finished: Number.MIN_SAFE_INTEGER, key: 0 };

/** Of a map or a gamemode the index has a list for each value of `ranked`: without that filter, both are merged. */
function byArrival(filters: MatchFilters, before: number, limit: number): Sql {
  const [column, value] = firstColumn(filters)!;
  const { gamemode } = filters;
  if (gamemode !== undefined && column !== 'gamemode')
    return sql`
      select key from matches
      where ${identifier(column)} = ${value} and ${keysetPage('gamemode', gamemode, pageBefore(before, limit))}`;
  const page = keysetPage(column, value, pageBefore(before, limit));
  if (['server_key', 'ranked', 'teams_key'].includes(column)) return sql`select key from matches where ${page}`;
  const list = (ranked: 0 | 1): Sql => sql`select key from matches where ranked = ${ranked} and ${page}`;
  if (filters.ranked !== undefined) return list(filters.ranked ? 1 : 0);
  return sql`
    select key from (
      select key from (${list(0)}) unranked union all select key from (${list(1)}) ranked
    ) merged order by key desc limit ${limit}`;
}

/** The condition of a list by the end. The value appears twice for the reason at `keysetPage`. */
function byEnd(filters: MatchFilters, before: End, limit: number): Sql {
  const { since = Number.MIN_SAFE_INTEGER, until = Number.MAX_SAFE_INTEGER } = filters;
  const end = until <= before.finished ? { finished: until, key: 0 } : before;
  const bounds = sql`(finished, key) < (${end.finished}, ${end.key}) and finished >= ${since}`;
  const order = sql`finished desc, key desc limit ${limit}`;
  const filter = firstColumn(filters);
  if (filter === undefined) return sql`${bounds} order by ${order}`;
  const [column, value] = filter;
  const name = identifier(column);
  return sql`${name} in (${value}, ${value}) and ${bounds} order by ${name} desc, ${order}`;
}

/** The first column of the index. */
function firstColumn({
  server,
  map,
  gamemode,
  ranked,
  team,
}: MatchFilters): [column: string, value: string | number] | undefined {
  if (server !== undefined) return ['server_key', server];
  if (map !== undefined) return ['map_key', map];
  if (team !== undefined) return ['teams_key', team];
  if (gamemode !== undefined) return ['gamemode', gamemode];
  return ranked === undefined ? undefined : ['ranked', Number(ranked)];
}
