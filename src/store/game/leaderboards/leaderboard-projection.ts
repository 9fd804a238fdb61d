import type { Db, Queryable } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';
import { countPlayer, countResult, LeaderboardChanges, retainedAt } from './leaderboard-changes.ts';
import {
  BOARD_COLUMNS,
  BOARD_COUNTERS,
  type LeaderboardCounts,
  type LeaderboardMode,
  METRICS,
  MODES,
} from './leaderboards.ts';
import { bucketsIn, retainedBuckets } from '../time-buckets.ts';
import { isCounted, isExcluded } from '../excluded-matches.ts';
import { type MatchTeam, winnersOf } from '../matches.ts';
import { PlaceCountChanges, TEAMPVP_RANKS } from '../place-counts.ts';
import {
  advanceProjection,
  type BatchLimit,
  lockProjection,
  offsetOf,
  playersIn,
  type ProjectedPlayer,
  projectNext,
} from '../projections.ts';
import { countPlayers } from '../teampvp-ranks.ts';
import { updateUnranked } from '../unranked-players.ts';

/** Counts finished matches into leaderboards and map results, asynchronously, so that the ingest does not wait for it. */

/** Each player writes eight rows of leaderboards, with three indexes. */
const BATCH_PLAYERS = 256;

interface ProjectedMatch {
  key: number;
  head: string;
  finished: number;
  map_key: string;
  gamemode: string;
  teams: string;
  extras: string | null;
}

/**
 * Counts the next batch of matches.
 * @param zone the time zone of the days; a changed zone restarts the projection from the first match
 * @param restarted is called with the time zone before, once per change
 * @returns whether there may be more matches
 */
export async function projectMatches(
  db: Db,
  zone: string,
  now: number,
  { restarted, limit }: { restarted?: (from: string) => void; limit?: BatchLimit } = {},
): Promise<boolean> {
  const { made_for, isUpToDate } = await offsetOf(db, 'boards');
  if (made_for !== zone) return await restartProjection(db, zone, restarted);
  if (isUpToDate) return false;
  return await projectNext(db, 'boards', {
    maxPlayers: BATCH_PLAYERS,
    limit,
    count: (tx, { keys, players }, { made_for }) => addMatches(tx, keys, players, made_for, now),
  });
}

/** Counts a match that is no longer excluded, unless the projection will count it. Call it in the transaction that counts it. */
export async function addMatchToLeaderboards(tx: Queryable, matchKey: number, now: number): Promise<void> {
  const { last, made_for: zone } = await lockProjection(tx, 'boards');
  if (matchKey > last) return;
  await addMatches(tx, [matchKey], await playersIn(tx, matchKey), zone, now);
}

/** Whether a match is counted; null if it is not, otherwise the setting for which it is counted. */
export type CountedFor = string | null;

/**
 * Subtracts a match from the results of its map. Call it in the transaction that retracts the match, before its rows are
 * deleted.
 * @returns for `removePlayersFromLeaderboards`, which later transactions may call
 */
export async function removeMatchResult(tx: Queryable, matchKey: number): Promise<CountedFor> {
  const { last, made_for: zone } = await lockProjection(tx, 'boards');
  if (matchKey > last || (await isExcluded(tx, matchKey))) return null;
  const [match] = await tx.all<ProjectedMatch>(sql`${MATCHES} where m.key = ${matchKey}`);
  await addResult(new LeaderboardChanges(), match!).write(tx, -1);
  return zone;
}

function addResult(changes: LeaderboardChanges, match: ProjectedMatch): LeaderboardChanges {
  countResult(changes, match.map_key, winnersOf(match), countedTeams(match.teams));
  return changes;
}

/** Changes the names of teams of a match, which the results of its map count. @param change writes the names */
export async function changeResult(tx: Queryable, matchKey: number, change: () => Promise<void>): Promise<void> {
  const countedFor = await removeMatchResult(tx, matchKey);
  await change();
  if (countedFor === null) return;
  const [match] = await readMatches(tx, [matchKey]);
  await addResult(new LeaderboardChanges(), match!).write(tx);
}

/**
 * Subtracts a match from the leaderboards of some of its players, before their rows are deleted.
 * @param countedFor from `removeMatchResult`; a projection that was restarted since does not count the match again
 */
export async function removePlayersFromLeaderboards(
  tx: Queryable,
  matchKey: number,
  players: readonly number[],
  countedFor: CountedFor,
): Promise<void> {
  const { made_for: zone } = await lockProjection(tx, 'boards');
  if (countedFor === null || countedFor !== zone || players.length === 0) return;
  const rows = await tx.all<ProjectedPlayer & { finished: number; gamemode: string }>(sql`
    select p.player_key, p.match_key, p.result, p.score, p.kill_count, p.death_count, p.time_played, m.finished, m.gamemode
    from player_matches p join matches m on m.key = p.match_key
    where p.match_key = ${matchKey} and p.player_key in (${list(players)})`);
  const at = bucketsIn(zone);
  const changes = new LeaderboardChanges();
  for (const row of rows) countPlayer(changes, row.gamemode, at(row.finished), () => true, row);
  await changes.write(tx, -1);
}

/** Adds one player's rows to another player's, in the transaction that moves matches of the one to the other. */
export async function mergeLeaderboards(tx: Queryable, now: number, from: number, into: number): Promise<void> {
  const { made_for: zone } = await lockProjection(tx, 'boards');
  const changes = new LeaderboardChanges();
  for (const { bucket, mode, ...counts } of await retainedRows(tx, now, zone, [from])) {
    changes.add(bucket, mode, into, counts);
    changes.add(bucket, mode, from, negated(counts));
  }
  await changes.write(tx);
}

const negated = (counts: LeaderboardCounts): LeaderboardCounts =>
  Object.fromEntries(BOARD_COUNTERS.map((counter) => [counter, 0 - counts[counter]])) as LeaderboardCounts;

type BoardRow = LeaderboardCounts & { bucket: number; mode: LeaderboardMode; player_key: number };

/** All rows of players. The caller has the lock of the leaderboards. */
async function retainedRows(tx: Queryable, now: number, zone: string, players: readonly number[]): Promise<BoardRow[]> {
  const buckets = retainedBuckets(bucketsIn(zone || 'UTC'), now);
  return await tx.all<BoardRow>(sql`
    select bucket, mode, player_key, ${BOARD_COLUMNS} from boards
    where bucket in (${list(buckets)}) and mode in (${list(MODES)}) and player_key in (${list(players)})`);
}

/**
 * Takes players out of ranks and places, or back into them, by what is private, hidden or erased now. Call it in the
 * transaction of that change, which has the lock of the keys.
 */
export async function followRanked(tx: Queryable, now: number, players: readonly number[]): Promise<void> {
  if (players.length === 0) return;
  const { made_for: zone } = await lockProjection(tx, 'boards');
  const changed = await updateUnranked(tx, players);
  if (changed.size === 0) return;
  await countPlayers(tx, [...changed.keys()]);
  await movePlaces(tx, now, zone, changed);
}

/** @param changed whether each player counts in places now */
async function movePlaces(
  tx: Queryable,
  now: number,
  zone: string,
  changed: ReadonlyMap<number, boolean>,
): Promise<void> {
  const counts = new PlaceCountChanges();
  for (const { bucket, mode, player_key, ...row } of await retainedRows(tx, now, zone, [...changed.keys()])) {
    const isRanked = changed.get(player_key)!;
    for (const metric of METRICS) {
      const value = row[metric];
      counts.move({ board: bucket, mode, counter: metric }, isRanked ? 0 : value, isRanked ? value : 0);
    }
  }
  await tx.runAll(counts.statements());
}

/**
 * Subtracts the surplus of matches in which two merged players took part: each counts as one match of the surviving
 * player, won if either won (`joinPlayed`), with the kills and deaths of both. Call it after `mergeLeaderboards`.
 * @param matchKeys matches that both played, before their rows are joined
 */
export async function subtractPlayedTwice(
  tx: Queryable,
  matchKeys: readonly number[],
  from: number,
  into: number,
): Promise<void> {
  if (matchKeys.length === 0) return;
  const state = await lockProjection(tx, 'boards');
  const at = bucketsIn(state.made_for || 'UTC');
  const rows = await tx.all<{ finished: number; gamemode: string; won: number }>(sql`
    select m.finished, m.gamemode, min(case when p.result = 'win' then 1 else 0 end) as won
    from player_matches p join matches m on m.key = p.match_key
    where p.match_key in (${list(matchKeys)}) and p.player_key in (${from}, ${into}) and p.match_key <= ${state.last}
      and ${isCounted(sql`p.match_key`)}
    group by m.key, m.finished, m.gamemode`);
  const changes = new LeaderboardChanges();
  for (const { finished, gamemode, won } of rows) {
    const result = won === 1 ? 'win' : 'lose';
    const counted = { player_key: into, result, kill_count: 0, death_count: 0, time_played: 0 };
    countPlayer(changes, gamemode, at(finished), () => true, counted);
  }
  await changes.write(tx, -1);
}

const MATCHES = sql`
  select m.key, m.head, m.finished, m.map_key, m.gamemode, d.teams, d.extras
  from matches m join match_details d on d.match_key = m.key`;

async function restartProjection(db: Db, zone: string, restarted?: (from: string) => void): Promise<boolean> {
  const before = await db.transaction(async (tx) => {
    const { last, made_for } = await lockProjection(tx, 'boards');
    if (made_for === zone) return undefined;
    await tx.run(sql`delete from boards`);
    await tx.run(sql`delete from place_counts where board > ${TEAMPVP_RANKS}`);
    await tx.run(sql`delete from map_results`);
    await advanceProjection(tx, { last: 0, made_for: zone }, 'boards');
    return last > 0 ? made_for : undefined;
  });
  if (before !== undefined) restarted?.(before);
  return true;
}

/** Without excluded matches. */
const readMatches = (tx: Queryable, keys: readonly number[]): Promise<ProjectedMatch[]> =>
  tx.all(sql`${MATCHES} where m.key in (${list(keys)}) and ${isCounted(sql`m.key`)}`);

async function addMatches(
  tx: Queryable,
  keys: readonly number[],
  players: readonly ProjectedPlayer[],
  zone: string,
  now: number,
): Promise<void> {
  const at = bucketsIn(zone);
  const isRetained = retainedAt(at, now);
  const changes = new LeaderboardChanges();
  // A player may have been private or hidden before the first match.
  const changed = await updateUnranked(tx, [...new Set(players.map(({ player_key }) => player_key))]);
  if (changed.size > 0) await movePlaces(tx, now, zone, changed);
  const byKey = new Map((await readMatches(tx, keys)).map((match) => [match.key, match]));
  for (const match of byKey.values()) addResult(changes, match);
  for (const player of players) {
    const match = byKey.get(player.match_key);
    if (match !== undefined) countPlayer(changes, match.gamemode, at(match.finished), isRetained, player);
  }
  await changes.write(tx);
}

/** A match with more teams is a free-for-all, whose players would become permanent rows of the map's results. */
const MAX_COUNTED_TEAMS = 100;

/** The teams that count in the results of the match's map. */
function countedTeams(teams: string): string[] {
  const names = (JSON.parse(teams) as MatchTeam[]).map(({ name }) => name);
  return names.length > MAX_COUNTED_TEAMS ? [] : names;
}
