import { columnOf, exists, type Queryable } from '#db/db.ts';
import { nameKey } from '#text/text.ts';
import { list, type Sql, sql } from '#db/sql.ts';
import { inOrderOf } from '../keyset-paging.ts';
import { privateTeams } from './hidden-in-matches.ts';
import { IS_REWRITTEN, asShownMatches, isRewritten } from './merged-players.ts';
import { withPresentNames, withNamesInJson } from './present-names.ts';
import type { MatchResult } from './player-matches.ts';
import { ANY_PRIVATE } from './private-players.ts';

/**
 * A match in a list. `head` is stored JSON without its closing `}`: all fields that do not depend on settings. The service
 * adds the others (timestamps with their offset, the link) when it renders the match.
 */
export interface MatchHead {
  key: number;
  head: string;
  started: number;
  finished: number;
}

/** The fields inside `MatchHead.head`. */
export interface MatchFacts {
  id: string;
  map: string;
  server: string;
  gamemode: string;
  ranked: boolean;
  win: string;
  kill_count: number;
  death_count: number;
}

/** Facts about a match beyond its specified form. */
export interface MatchExtras {
  /** All winning teams, if there are several. */
  winners?: string[];
  /** Colours as reported, in the order of the teams; empty if none was. */
  colors?: string[];
  /** The places of players in teams that do not decide their result: team, then player. */
  secondary?: [team: number, player: number][];
}

export interface MatchTeam {
  name: string;
  score: number;
  kill_count: number;
  death_count: number;
  players: MatchPlayer[];
}

export interface MatchPlayer {
  uuid: string;
  name: string;
  score: number;
  kill_count: number;
  death_count: number;
  shot_count: number;
  hit_count: number;
  paint_count: number;
}

export interface MatchObjective {
  player: { uuid: string; name: string } | null;
  team: string;
  type: string;
  name: string;
  color: string;
  /** The player's share of a destroyable; absent for the whole. */
  percent?: number;
  time: number;
}

/** The matches of a list: those with keys below `before`, newest first, or those with some keys, in the order of the keys. */
export type Listed = { before: number; limit: number } | { keys: readonly number[] };

/** 1 if a match may show another winner to readers: `withWinners`. */
export const MAY_HIDE = sql`case when ${ANY_PRIVATE} then 1 else 0 end`;

type HeadRow = MatchHead & { hidden: number };

const HEAD = sql`key, head, started, finished, ${MAY_HIDE} as hidden`;

export async function listMatches(db: Queryable, listed: Listed): Promise<readonly MatchHead[]> {
  const rows = await db.all<HeadRow>(
    'keys' in listed
      ? sql`select ${HEAD} from matches where key in (${list(listed.keys)})`
      : sql`
        select ${HEAD} from matches where key < ${listed.before}
        order by key desc limit ${listed.limit}`,
  );
  return await withWinners(db, inOrder(listed, rows));
}

const UNNAMED_WINNER = /"win":"[0-9a-f]{8}-/;

/** Puts the present names into the winners that bore a removed name, and shows those that bear the name of a private player. */
export async function withWinners<M extends HeadRow>(db: Queryable, matches: M[]): Promise<M[]> {
  const keys = matches.some(({ hidden }) => hidden === 1) ? await wonByPrivate(db, matches) : [];
  const shown = keys.length === 0 ? [] : await listMatchesWithTeams(db, { keys });
  const heads = new Map(shown.map(({ key, head }) => [key, head]));
  const named = matches.map((match) => ({ ...match, head: heads.get(match.key) ?? match.head }));
  if (!named.some(({ head }) => UNNAMED_WINNER.test(head))) return named;
  return await withPresentNames(db, named, ['head'], withNamesInJson);
}

/** The keys of the matches whose winner may be the own team of a private player. While a job replaces names, these are not known: all keys. */
async function wonByPrivate(db: Queryable, matches: readonly MatchHead[]): Promise<number[]> {
  const isReplacing = sql`select 1 as found from jobs where finished is null and kind = 'anonymisation'`;
  if (await exists(db, isReplacing)) return matches.map(({ key }) => key);
  const winners = matches.map(({ key, head }) => [key, nameKey(factsOf(head).win)] as const);
  const teams = await privateTeams(
    db,
    winners.map(([, name]) => name),
  );
  return winners.flatMap(([key, name]) => (teams.has(name) ? key : []));
}

const inOrder = <M extends { key: number }>(listed: Listed, found: M[]): M[] =>
  'keys' in listed ? inOrderOf(listed.keys, found) : found;

/** A match with its teams, which are JSON in the form of the API. */
export interface MatchWithTeams extends MatchHead {
  teams: string;
  /** 1 if it shows what its row does not store: merged players under their present names, or hidden ones. */
  rewritten: number;
}

/** A match with its teams and the number of times that its row was rewritten. */
export interface RevisedMatch extends MatchWithTeams {
  revision: number;
}

/** A match with teams and objectives; `objectives` is JSON of `MatchObjective[]`. */
export interface WholeMatch extends MatchWithTeams {
  objectives: string;
  /** JSON of `MatchExtras`, or null. */
  extras: string | null;
}

const TEAMS = sql`match_key as key, head, started, finished, teams`;
const WITH_TEAMS = sql`${TEAMS}, ${IS_REWRITTEN}`;
/** No row says who completed an objective without being in a team: whether one of them is private is decided by the objectives. */
const WHOLE = sql`
  ${TEAMS}, ${isRewritten(sql`match_details.match_key`, sql`or (objectives <> '[]' and ${ANY_PRIVATE})`)}, objectives, extras`;

/** Like `listMatches`, with teams, but without objectives, which need further reads from disk. */
export async function listMatchesWithTeams(db: Queryable, listed: Listed): Promise<readonly MatchWithTeams[]> {
  const rows = await db.all<MatchWithTeams>(sql`select ${WITH_TEAMS} from match_details where ${bound(listed)}`);
  return await asShownMatches(db, inOrder(listed, rows));
}

/** Like `listMatches`, with teams and objectives. */
export async function listWholeMatches(db: Queryable, listed: Listed): Promise<readonly WholeMatch[]> {
  const rows = await db.all<WholeMatch>(sql`select ${WHOLE} from match_details where ${bound(listed)}`);
  return await asShownMatches(db, inOrder(listed, rows));
}

function bound(listed: Listed): Sql {
  if ('keys' in listed) return sql`match_key in (${list(listed.keys)})`;
  return sql`match_key < ${listed.before} order by match_key desc limit ${listed.limit}`;
}

export const matchByKey = (db: Queryable, key: number): Promise<WholeMatch | undefined> => shown(db, WHOLE, key);

export async function matchHeadByKey(db: Queryable, key: number): Promise<MatchHead | undefined> {
  const row = await db.get<HeadRow>(sql`select ${HEAD} from matches where key = ${key}`);
  return row && (await withWinners(db, [row]))[0];
}

/** Like `matchByKey`, without the objectives, which few clients request. */
export const matchWithTeams = (db: Queryable, key: number): Promise<RevisedMatch | undefined> =>
  shown(db, sql`${WITH_TEAMS}, revision`, key);

async function shown<M extends MatchWithTeams>(db: Queryable, columns: Sql, key: number): Promise<M | undefined> {
  const row = await db.get<M>(sql`select ${columns} from match_details where match_key = ${key}`);
  return row && (await asShownMatches(db, [row]))[0];
}

/** A player's match with the player's own result, as in the API's field group `matches`. */
export interface PlayedMatch extends MatchHead {
  result: MatchResult;
  score: number;
  kill_count: number;
  death_count: number;
  /** Deaths without a killer. */
  envdeath_count: number;
}

/**
 * A player's rows `p` and matches `m` with keys below `before`, newest first: a scan of the index
 * player_matches_by_player that ends with the page. The condition compares both columns as one row value, because with
 * two conditions PostgreSQL may scan the primary key, with the matches of all other players. `cross join` fixes the
 * order of the tables on SQLite.
 */
export function playedBelow(playerKey: number, before: number, limit: number): Sql {
  return sql`
    from player_matches p cross join matches m
    where (p.player_key, p.match_key) < (${playerKey}, ${before}) and p.player_key >= ${playerKey}
      and m.key = p.match_key
    order by p.player_key desc, p.match_key desc limit ${limit}`;
}

/** The keys below `before` of a player's matches, newest first: a range of the same index. */
export async function playedKeys(db: Queryable, playerKey: number, before: number, limit: number): Promise<number[]> {
  const below = sql`
    select match_key from player_matches
    where (player_key, match_key) < (${playerKey}, ${before}) and player_key >= ${playerKey}
    order by player_key desc, match_key desc limit ${limit}`;
  return await columnOf(db, below);
}

export const parseExtras = (extras: string | null): MatchExtras =>
  extras === null ? {} : (JSON.parse(extras) as MatchExtras);

export function factsOf(head: string): MatchFacts {
  return JSON.parse(`${head}}`) as MatchFacts;
}

/** The names of the winning teams; empty for a draw. */
export function winnersOf({ head, extras }: { head: string; extras: string | null }): string[] {
  const { win } = factsOf(head);
  return parseExtras(extras).winners ?? (win === '' ? [] : [win]);
}
