import { exists, type Queryable } from '#db/db.ts';
import { nameKey } from '#text/text.ts';
import { list, type Sql, sql } from '#db/sql.ts';
import { privateTeams } from './hidden-in-matches.ts';
import { IS_REWRITTEN, asShownMatches } from './merged-players.ts';
import { withPresentNames, withNamesInJson } from './present-names.ts';
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

const HEAD = sql`key, head, started, finished, ${MAY_HIDE}`;

/** Match heads. */
export async function listMatches(db: Queryable, listed: Listed): Promise<readonly MatchHead[]> {
  const rows = await db.tuples(
    'keys' in listed
      ? sql`select ${HEAD} from matches where key in (${list(listed.keys)})`
      : sql`
        select ${HEAD} from matches where key < ${listed.before}
        order by key desc limit ${listed.limit}`,
  );
  return await withWinners(db, inOrder(listed, (rows as Parameters<typeof toHead>[0][]).map(toHead)));
}

const UNNAMED_WINNER = /"win":"[0-9a-f]{8}-/;

/** Puts the present names into the winners that bore a removed name, and shows those that bear the name of a private player. */
export async function withWinners<M extends MatchHead & { hidden: number }>(db: Queryable, matches: M[]): Promise<M[]> {
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

/** A match that was withdrawn since its key was read is absent. */
function inOrder<M extends { key: number }>(listed: Listed, found: M[]): M[] {
  if (!('keys' in listed)) return found;
  const byKey = new Map(found.map((match) => [match.key, match]));
  return listed.keys.flatMap((key) => byKey.get(key) ?? []);
}

/** A match with its teams, which are JSON in the form of the API. */
export interface MatchWithTeams extends MatchHead {
  teams: string;
  /** Whether it shows what its row does not store: merged players under their present names, or hidden ones. */
  isRewritten: boolean;
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

const WITH_TEAMS = sql`select match_key, head, started, finished, teams, ${IS_REWRITTEN} from match_details`;
const WHOLE = sql`
  select match_key, head, started, finished, teams, ${IS_REWRITTEN}, objectives, extras from match_details`;

/** Like `listMatches`, with teams, but without objectives, which need further reads from disk. */
export async function listMatchesWithTeams(db: Queryable, listed: Listed): Promise<readonly MatchWithTeams[]> {
  const rows = await db.tuples(sql`${WITH_TEAMS} where ${bound(listed)}`);
  return await asShownMatches(db, inOrder(listed, (rows as TeamsTuple[]).map(toMatchWithTeams)));
}

/** Like `listMatches`, with teams and objectives. */
export async function listWholeMatches(db: Queryable, listed: Listed): Promise<readonly WholeMatch[]> {
  const rows = await db.tuples(sql`${WHOLE} where ${bound(listed)}`);
  return await asShownMatches(db, inOrder(listed, (rows as WholeTuple[]).map(toWholeMatch)));
}

/** The condition on the rows of `match_details`. */
function bound(listed: Listed): Sql {
  if ('keys' in listed) return sql`match_key in (${list(listed.keys)})`;
  return sql`match_key < ${listed.before} order by match_key desc limit ${listed.limit}`;
}

export async function matchByKey(db: Queryable, key: number): Promise<WholeMatch | undefined> {
  const row = await db.tuple(sql`${WHOLE} where match_key = ${key}`);
  return row && (await shown(db, toWholeMatch(row as WholeTuple)));
}

/** The head of a match. */
export async function matchHeadByKey(db: Queryable, key: number): Promise<MatchHead | undefined> {
  const row = await db.tuple(sql`select ${HEAD} from matches where key = ${key}`);
  return row && (await withWinners(db, [toHead(row as Parameters<typeof toHead>[0])]))[0];
}

/** Like `matchByKey`, without the objectives, which few clients request. */
export async function matchWithTeams(db: Queryable, key: number): Promise<RevisedMatch | undefined> {
  const row = await db.tuple(sql`
    select match_key, head, started, finished, teams, ${IS_REWRITTEN}, revision from match_details where match_key = ${key}`);
  if (row === undefined) return undefined;
  const [revision] = row.slice(-1) as [number];
  return await shown(db, { ...toMatchWithTeams(row as TeamsTuple), revision });
}

async function shown<M extends MatchWithTeams>(db: Queryable, match: M): Promise<M> {
  const [first] = await asShownMatches(db, [match]);
  return first!;
}

type HeadTuple = [number, string, number, number];
type TeamsTuple = [...HeadTuple, teams: string, rewritten: number];
type WholeTuple = [...TeamsTuple, objectives: string, extras: string | null];

const toHead = ([key, head, started, finished, hidden]: [...HeadTuple, hidden: number]) => {
  return { key, head, started, finished, hidden };
};

function toMatchWithTeams([key, head, started, finished, teams, rewritten]: TeamsTuple): MatchWithTeams {
  return { key, head, started, finished, teams, isRewritten: rewritten === 1 };
}

function toWholeMatch([key, head, started, finished, teams, rewritten, objectives, extras]: WholeTuple): WholeMatch {
  return { key, head, started, finished, teams, isRewritten: rewritten === 1, objectives, extras };
}

/** A player's match with the player's own result, as in the API's field group `matches`. */
export interface PlayedMatch extends MatchHead {
  result: 'win' | 'lose' | 'draw';
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
  const rows = await db.tuples(sql`
    select match_key from player_matches
    where (player_key, match_key) < (${playerKey}, ${before}) and player_key >= ${playerKey}
    order by player_key desc, match_key desc limit ${limit}`);
  return rows.map(([key]) => key as number);
}

/** Parses the facts beyond the specified form. */
export const parseExtras = (extras: string | null): MatchExtras =>
  extras === null ? {} : (JSON.parse(extras) as MatchExtras);

/** Parses the fields of a head. */
export function factsOf(head: string): MatchFacts {
  return JSON.parse(`${head}}`) as MatchFacts;
}

/** The names of the winning teams; empty for a draw. */
export function winnersOf({ head, extras }: { head: string; extras: string | null }): string[] {
  const { win } = factsOf(head);
  return parseExtras(extras).winners ?? (win === '' ? [] : [win]);
}
