import { columnOf, type Queryable } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';
import { isExcluded } from '#store/game/excluded-matches.ts';
import { countedTwice, joinedResult, type MatchResult } from '#store/game/player-matches.ts';
import { toSums } from '#store/game/player-stats.ts';
import { groupOf } from '#store/game/statistics-groups.ts';
import {
  type CountedFor,
  removeMatchResult,
  removePlayersFromLeaderboards,
} from '#store/game/leaderboards/leaderboard-projection.ts';
import { killChanges } from '#store/game/rivals/kill-pairs.ts';
import { hasCountedRivals } from '#store/game/rivals/rival-projection.ts';
import { markStale } from '#store/jobs.ts';
import { withdrawReports } from './counter-reports.ts';
import { matchUuids } from '../schema/match-summary.ts';
import { type LedgerRow, parseStoredEvents } from '../ledger/ledger-rows.ts';
import { markObservedStale } from '../ledger/observations.ts';
import type { UnitOfWork } from '../ledger/unit-of-work.ts';
import type { PreparedData } from '../schema/index.ts';
import type { ChunkCursor } from './event-effect.ts';
import type { Budget } from '../ledger/chunk.ts';

/**
 * Withdraws a match in chunks, because one match may have thousands of players and kills. The first chunk marks the
 * event as withdrawn and deletes the details of the match; the following ones subtract its players, and the last one
 * deletes its row.
 */

export interface MatchCursor extends ChunkCursor {
  /** The number of subtracted players, in the order of `matchUuids`. */
  offset: number;
  countedFor: CountedFor;
  /** Whether the match was excluded, so that there is nothing to subtract. */
  isExcluded?: boolean;
  /** Whether its kills and records are counted, so that they are to be subtracted. */
  hasRivals?: boolean;
}

/** Kills have no counters to subtract, so deleting one costs far less than removing a player. */
const KILLS_PER_ROW = 10;

export async function beginMatch(work: UnitOfWork, row: LedgerRow): Promise<MatchCursor> {
  const { tx, now } = work;
  const { key } = row;
  work.changes.add('match', key, 'withdrawn');
  const excluded = await isExcluded(tx, key);
  const countedFor = await removeMatchResult(tx, key);
  const hasRivals = !excluded && (await hasCountedRivals(tx, key));
  if (!excluded) await countUuidsApart(work, row, 1);
  await tx.runAll([
    sql`update ledger set withdrawn = ${now} where key = ${key}`,
    // Leaderboards and pages read matches with their details only, so they leave this one out from now on.
    sql`delete from match_details where match_key = ${key}`,
  ]);
  return { key, offset: 0, countedFor, isExcluded: excluded, hasRivals };
}

/**
 * Undoes the correction for players with several UUIDs in the match, which was counted once for them: the following chunks
 * subtract each UUID separately, and more UUIDs may be merged between two chunks.
 * @param by -1 makes the correction instead
 */
export async function countUuidsApart(work: UnitOfWork, row: LedgerRow, by: 1 | -1): Promise<void> {
  const { tx, players } = work;
  const merged = await tx.tuple(sql`select 1 from merged_in_matches where match_key = ${row.key} limit 1`);
  if (merged === undefined) return;
  const { facts, players: played } = await readMatch(tx, row);
  await work.load(played.map(([uuid]) => uuid));
  const rows = await tx.tuples(sql`select player_key from player_matches where match_key = ${row.key}`);
  const survivors = await survivorsIn(tx, row.key);
  const withRow = new Set(rows.map(([player]) => player as number));
  const group = groupOf(facts.gamemode);
  const results = new Map<number, MatchResult>();
  for (const [uuid, , result] of played) {
    const player = players.find(uuid)!;
    // An unfinished merge may have moved the row, but not yet the player.
    const owner = withRow.has(player.key) ? player.key : (survivors.get(uuid) ?? player.key);
    const before = results.get(owner);
    if (before !== undefined) players.count(player, group, toSums(group, countedTwice(before, result)), by);
    results.set(owner, before === undefined ? result : joinedResult(before, result));
  }
}

/** The keys of surviving players by the UUIDs that were merged into them, for a match. */
async function survivorsIn(tx: Queryable, match: number): Promise<Map<string, number>> {
  const rows = await tx.tuples(sql`
    select a.uuid, p.key from merged_in_matches x join players p on p.key = x.player_key
    join player_aliases a on a.into_uuid = p.uuid where x.match_key = ${match}`);
  return new Map(rows as [string, number][]);
}

/** @returns the position of the next chunk; undefined if the match is deleted */
export async function continueMatch(
  work: UnitOfWork,
  row: LedgerRow,
  cursor: MatchCursor,
  budget: Budget,
): Promise<MatchCursor | undefined> {
  const match = await readMatch(work.tx, row);
  const uuids = matchUuids(match);
  const count = Math.min(uuids.length - cursor.offset, budget.rows);
  const next = { ...cursor, offset: cursor.offset + count };
  await removePlayers(work, match, cursor, next.offset);
  budget.spend(count);
  if (next.offset < uuids.length || budget.isSpent) return next;
  if (match.kills.length > 0 && !(await deleteKills(work.tx, cursor, budget))) return next;
  // The UUIDs of a player who will be merged again lead to the survivor, whose records they are not yet.
  const left = sql`select player_key from player_matches where match_key = ${cursor.key}`;
  await deletePlayers(work, cursor, await columnOf<number>(work.tx, left));
  // Reports of players that a merge has moved meanwhile.
  await withdrawReports(work, cursor.key);
  await work.tx.run(sql`delete from matches where key = ${cursor.key}`);
  return undefined;
}

type MatchData = PreparedData<'match.finished'>;

async function readMatch(tx: Queryable, row: LedgerRow): Promise<MatchData> {
  const [stored] = await parseStoredEvents<'match.finished'>(tx, [row]);
  return stored!.event.data;
}

/** Removes the players from the cursor's offset to `end`. */
async function removePlayers(work: UnitOfWork, match: MatchData, cursor: MatchCursor, end: number): Promise<void> {
  const { key, offset } = cursor;
  const { players } = work;
  const uuids = matchUuids(match).slice(offset, end);
  if (uuids.length === 0) return;
  await work.load(uuids);
  const playerKeys = [...new Set(uuids.map((uuid) => players.find(uuid)!.key))];
  await withdrawReports(work, key, playerKeys);
  const group = groupOf(match.facts.gamemode);
  const ofTeams = match.players.slice(offset, end);
  if (!cursor.isExcluded)
    for (const [uuid, , , , , , , , , sums] of ofTeams) players.count(players.find(uuid)!, group, sums, -1);
  const scorers = match.scorers.slice(
    Math.max(0, offset - match.players.length),
    Math.max(0, end - match.players.length),
  );
  const named = [...ofTeams, ...scorers].map(([uuid, name]) => ({ uuid, name, time: match.finished }));
  await markObservedStale(work, named);
  await deletePlayers(work, cursor, playerKeys);
}

/** Deletes the rows of players, and subtracts them from the leaderboards. */
async function deletePlayers(
  { tx }: UnitOfWork,
  { key, countedFor, hasRivals }: MatchCursor,
  playerKeys: readonly number[],
): Promise<void> {
  if (playerKeys.length === 0) return;
  await removePlayersFromLeaderboards(tx, key, playerKeys, countedFor);
  if (hasRivals) await markStale(tx, 'records', playerKeys);
  await tx.runAll([
    sql`delete from player_matches where match_key = ${key} and player_key in (${list(playerKeys)})`,
    sql`delete from name_observations where player_key in (${list(playerKeys)}) and ledger_key = ${key}`,
  ]);
}

/** @returns whether all kills of the match are deleted */
async function deleteKills(tx: Queryable, { key, hasRivals }: MatchCursor, budget: Budget): Promise<boolean> {
  const limit = budget.rows * KILLS_PER_ROW;
  const deleted = await tx.tuples(sql`
    delete from kills where match_key = ${key} and number in (select number from kills where match_key = ${key} limit ${limit})
    returning killer_key, victim_key`);
  if (hasRivals) {
    const changes = killChanges();
    for (const [killer, victim] of deleted as [number | null, number][])
      if (killer !== null && killer !== victim) changes.add([killer, victim], [1]);
    await tx.runAll(changes.statements(-1));
  }
  budget.spend(Math.ceil(deleted.length / KILLS_PER_ROW));
  return deleted.length < limit;
}
