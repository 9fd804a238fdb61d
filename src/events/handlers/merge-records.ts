import { idOf } from '#platform/ids.ts';
import { exists, getValue, type Queryable } from '#db/db.ts';
import { identifier, join, list, sql } from '#db/sql.ts';
import { pseudonymsByHash } from '#store/accounts/pseudonyms.ts';
import { mergeRemovedNames } from '#store/accounts/removed-names.ts';
import {
  followRanked,
  mergeLeaderboards,
  subtractPlayedTwice,
} from '#store/game/leaderboards/leaderboard-projection.ts';
import { type Counts, groupColumns, rankChanges } from '#store/game/player-stats.ts';
import { GROUP_NAMES, groupOf } from '#store/game/statistics-groups.ts';
import { isCounted } from '#store/game/excluded-matches.ts';
import { mergePlayerNames } from '#store/game/player-names.ts';
import { moveReports } from '#store/game/counters/counter-reports.ts';
import { listCounters } from '#store/game/counters/counters.ts';
import { mergePlayerCounters } from '#store/game/counters/player-counters.ts';
import { recordMergedIn } from '#store/game/merged-players.ts';
import { countedTwice, joinPlayed, type PlayedBy } from '#store/game/player-matches.ts';
import { deriveRecords } from '#store/game/rivals/player-records.ts';
import { createJob, hasOpenJob, type Job, markStale, nextStale } from '#store/jobs.ts';
import { deleteVote, type Vote, votesReference } from './map-ratings.ts';
import { moveOwned, OWNED } from './merge-owned-rows.ts';
import type { UnitOfWork } from '../ledger/unit-of-work.ts';
import { Budget, type ChunkRunner } from '../ledger/chunk.ts';

/**
 * Moves the records of a merged player to the surviving one, and records the matches of the merged UUID, for their readers.
 * A small merge is complete with its event; a larger one continues as a job. Until then both players exist, and new events
 * of the merged UUID count for the merged player, whose records are moved as well.
 */

export interface MergeParams {
  /** The merged UUID. */
  from: string;
  /** The key of the merged player. */
  merged: number;
  /** The key of the surviving player. Equal to `merged` if there was none, so that the merged player got its UUID. */
  survivor: number;
}

interface Cursor {
  /** Matches up to this key are done. */
  match: number;
  /** Observations of names by events up to this key are done; a job of an earlier version has none. */
  observed?: number;
  /** Whether all rows are moved, so that only stale data has to be derived. */
  isMoved?: boolean;
}

/**
 * Runs the first chunk of a merge, and adds a job for the others or for stale data. If another job is open, the whole merge
 * waits for it, because it may read or move the same rows.
 */
export async function mergeOrCreateJob(work: UnitOfWork, params: MergeParams): Promise<void> {
  const { tx, now } = work;
  const job = { kind: 'merge', label: idOf(params.survivor), params } as const;
  const cursor: Cursor = { match: 0 };
  if (await hasOpenJob(tx)) return void (await createJob(tx, now, { ...job, cursor }));
  const isMoved = await moveRows(work, params, cursor);
  if (isMoved && (await nextStale(tx)) === undefined) return;
  await createJob(tx, now, { ...job, cursor: { ...cursor, isMoved }, chunks: 1 });
}

/**
 * Whether a job has rows to move to or from a player. The records are in two places then, so the player must not be deleted
 * even if it has no observation left.
 */
export async function isMerging(tx: Queryable, player: number): Promise<boolean> {
  return (await openMerges(tx)).some(({ params: { merged, survivor }, cursor: { isMoved = false } }) => {
    return !isMoved && merged !== survivor && (player === merged || player === survivor);
  });
}

/** The key of the job that has rows of this merged UUID to move. */
export async function findOpenMerge(db: Queryable, from: string): Promise<number | undefined> {
  const open = await openMerges(db);
  return open.find(({ params, cursor: { isMoved = false } }) => params.from === from && !isMoved)?.key;
}

async function openMerges(db: Queryable): Promise<{ key: number; params: MergeParams; cursor: Cursor }[]> {
  const jobs = await db.all<Pick<Job, 'key' | 'params' | 'cursor'>>(sql`
    select key, params, cursor from jobs where finished is null and kind = 'merge' order by key`);
  return jobs.map(({ key, params, cursor }) => ({
    key,
    params: JSON.parse(params) as MergeParams,
    cursor: JSON.parse(cursor) as Cursor,
  }));
}

export const mergeChunk: ChunkRunner = async (work, job) => {
  const cursor = JSON.parse(job.cursor) as Cursor;
  const params = JSON.parse(job.params) as MergeParams;
  const isComplete = cursor.isMoved || (await moveRows(work, params, cursor));
  // `derivePlayer` leaves out both players while the job is open.
  if (isComplete) await markStale(work.tx, 'player', [params.survivor]);
  return { cursor: { ...cursor, isMoved: isComplete }, done: 1, isComplete };
};

/**
 * Moves the next rows; after the last ones, completes the merge and marks stale data.
 * @returns whether the merge is complete
 */
async function moveRows(work: UnitOfWork, params: MergeParams, cursor: Cursor): Promise<boolean> {
  const { merged, survivor } = params;
  const budget = new Budget();
  await moveMatches(work, params, cursor, budget);
  if (budget.isSpent) return false;
  await moveScorer(work, params, cursor, budget);
  if (budget.isSpent) return false;
  if (merged === survivor) return true;
  for (const table of OWNED) {
    budget.spend(await moveOwned(work, table, params, budget.rows));
    if (budget.isSpent) return false;
  }
  await complete(work, params);
  return true;
}

async function moveMatches(
  work: UnitOfWork,
  { merged, survivor }: MergeParams,
  cursor: Cursor,
  budget: Budget,
): Promise<void> {
  const { tx, now } = work;
  while (!budget.isSpent) {
    const rows = await tx.tuples(sql`
      select p.match_key, s.player_key from player_matches p
      left join player_matches s on s.match_key = p.match_key and s.player_key = ${survivor}
      where (p.player_key, p.match_key) > (${merged}, ${cursor.match}) and p.player_key <= ${merged}
      order by p.player_key, p.match_key limit ${budget.rows}`);
    if (rows.length === 0) return;
    const played = rows as [match: number, survivor: number | null][];
    const matches = played.map(([match]) => match);
    budget.spend(rows.length);
    await addMergedIn(work, survivor, matches);
    cursor.match = matches.at(-1)!;
    if (merged === survivor) continue;
    const twice = played.flatMap(([match, other]) => (other === null ? [] : [match]));
    if (twice.length > 0) {
      await mergeLeaderboards(tx, now, merged, survivor);
      await subtractPlayedTwice(tx, twice, merged, survivor);
      for (const match of twice) await joinRows(tx, match, merged, survivor);
    }
    await moveReports(tx, matches, merged, survivor);
    await tx.run(sql`
      update player_matches set player_key = ${survivor} where player_key = ${merged} and match_key in (${list(matches)})`);
  }
}

/**
 * Records the matches in which the merged UUID completed objectives without being in a team. They have no row in
 * `player_matches`, but one in `name_observations`.
 */
async function moveScorer(
  work: UnitOfWork,
  { merged, survivor }: MergeParams,
  cursor: Cursor,
  budget: Budget,
): Promise<void> {
  while (!budget.isSpent) {
    const rows = await work.tx.tuples(sql`
      select distinct ledger_key from name_observations
      where player_key = ${merged} and ledger_key > ${cursor.observed ?? 0} order by ledger_key limit ${budget.rows}`);
    if (rows.length === 0) return;
    const events = rows.map(([event]) => event as number);
    budget.spend(rows.length);
    await addMergedIn(work, survivor, events);
    cursor.observed = events.at(-1)!;
  }
}

async function addMergedIn({ tx, changes }: UnitOfWork, survivor: number, events: readonly number[]): Promise<void> {
  for (const match of await recordMergedIn(tx, survivor, events)) changes.add('match', match, 'changed');
}

/** Adds the merged player's row of a match to the survivor's, and records the name that the row does not store. */
async function joinRows(tx: Queryable, match: number, merged: number, survivor: number): Promise<void> {
  const rows = await tx.tuples(sql`
    select player_key, name, result, score, kill_count, death_count, time_played, envdeath_count, team from player_matches
    where match_key = ${match} and player_key in (${merged}, ${survivor})`);
  const [[player, ...one], [otherPlayer, ...other]] = rows as [[number, ...PlayedBy], [number, ...PlayedBy]];
  // Subtracted from the player whose result does not count, because no counter may become negative while both exist.
  await subtractSurplus(tx, match, one[1] === 'win' ? otherPlayer : player, countedTwice(one[1], other[1]));
  const [name, result, score, kills, deaths, time, envdeaths, team] = joinPlayed(one, other);
  const unused = one[0] === name ? other[0] : one[0];
  if (unused !== name) {
    await tx.run(sql`
      insert into name_observations (player_key, ledger_key, time, name)
      select cast(${survivor} as bigint), key, finished, cast(${unused} as text) from matches where key = ${match}
      on conflict (player_key, ledger_key, name) do nothing`);
  }
  await tx.runAll([
    sql`
      update player_matches set name = ${name}, result = ${result}, score = ${score}, kill_count = ${kills},
        death_count = ${deaths}, time_played = ${time}, envdeath_count = ${envdeaths}, team = ${team}
      where match_key = ${match} and player_key = ${survivor}`,
    sql`delete from player_matches where match_key = ${match} and player_key = ${merged}`,
  ]);
}

/**
 * Subtracts the match from the counters of one of two players that both had it, unless it is excluded. A match that is being withdrawn has no
 * details any more and subtracts each UUID itself (`match-retraction.ts`).
 */
async function subtractSurplus(tx: Queryable, match: number, player: number, surplus: Counts): Promise<void> {
  const row = await tx.get<{ gamemode: string }>(sql`
    select m.gamemode from matches m join match_details d on d.match_key = m.key where m.key = ${match} and ${isCounted(sql`m.key`)}`);
  if (row === undefined) return;
  const group = groupOf(row.gamemode);
  const changed = Object.entries(surplus).map(([counter, count]) => {
    const column = identifier(`${group}_${counter}`);
    return sql`${column} = ${column} - cast(${count ?? 0} as bigint)`;
  });
  await tx.runAll([
    sql`update player_stats set ${join(changed)} where player_key = ${player}`,
    ...(group === 'teampvp' ? rankChanges([player]) : []),
  ]);
}

/** Moves names, votes and counters after all rows, and deletes the merged player. */
async function complete(work: UnitOfWork, { from, merged, survivor }: MergeParams): Promise<void> {
  const { tx, now, changes } = work;
  await mergeLeaderboards(tx, now, merged, survivor);
  await moveVotes(tx, merged, survivor);
  await tx.runAll([addCounters(merged, survivor), ...rankChanges([merged, survivor])]);
  await mergePlayerCounters(tx, await listCounters(tx), merged, survivor);
  await tx.run(sql`delete from player_records where player_key = ${merged}`);
  await markStale(tx, 'records', await deriveRecords(tx, [survivor]));
  const before = await nameOf(tx, survivor);
  if (await mergePlayerNames(tx, merged, survivor)) await markStale(tx, 'player', [survivor]);
  if ((await nameOf(tx, survivor)) !== before) await work.addRenamed([survivor]);
  // The name may be a pseudonym now, or no longer.
  await followRanked(tx, now, [survivor]);
  await mergeRemovedNames(tx, now, survivor);
  await storeKey(tx, from, merged, survivor);
  await moveStale(tx, merged, survivor);
  await tx.run(sql`delete from players where key = ${merged}`);
  await tx.run(sql`delete from unranked_players where player_key = ${merged}`);
  changes.add('player', merged, 'merged');
}

const nameOf = (tx: Queryable, key: number): Promise<string | undefined> =>
  getValue(tx, sql`select name from players where key = ${key}`);

/** Lets an open job derive the maxima of the survivor instead of the merged player's; the records are derived already. */
async function moveStale(tx: Queryable, merged: number, survivor: number): Promise<void> {
  const stale = sql`select 1 as found from rederivations where kind = 'counters' and ref = ${String(merged)}`;
  if (await exists(tx, stale)) await markStale(tx, 'counters', [survivor]);
  await tx.run(
    sql`delete from rederivations where kind in ('player', 'counters', 'records') and ref = ${String(merged)}`,
  );
}

/** Stores the key of the merged player with its alias, whose UUID is a pseudonym if the account was deleted meanwhile. */
async function storeKey(tx: Queryable, from: string, merged: number, survivor: number): Promise<void> {
  const inherited = sql`
    select 1 as found from player_aliases a join players p on p.uuid = a.into_uuid
    where p.key = ${survivor} and a.key = ${merged}`;
  if (await exists(tx, inherited)) return;
  const [pseudonym] = await pseudonymsByHash(tx, [tx.keyedHash(from)]);
  await tx.run(sql`update player_aliases set key = ${merged} where uuid in (${from}, ${pseudonym?.[1] ?? from})`);
}

/** Moves votes. For maps that both players rated, the survivor's votes are derived again from the ratings of both. */
async function moveVotes(tx: Queryable, merged: number, survivor: number): Promise<void> {
  const both = await tx.tuples(sql`
    select distinct m.name_key, m.key from map_votes a
    join map_votes b on b.map_key = a.map_key and b.version = a.version and b.player_key = ${survivor}
    join maps m on m.key = a.map_key where a.player_key = ${merged}`);
  const maps = list([0, ...both.map(([, key]) => key as number)]);
  const disputed = await tx.all<Vote>(sql`
    select * from map_votes where player_key = ${merged} and map_key in (${maps})`);
  for (const vote of disputed) await deleteVote(tx, vote);
  await tx.run(sql`update map_votes set player_key = ${survivor} where player_key = ${merged}`);
  await markStale(
    tx,
    'aggregate',
    both.map(([name]) => votesReference(`map ${name as string}`, survivor)),
  );
}

function addCounters(merged: number, survivor: number) {
  const columns = GROUP_NAMES.flatMap(groupColumns).map(identifier);
  const sums = join(columns.map((column) => sql`${column} = player_stats.${column} + m.${column}`));
  return sql`
    update player_stats set ${sums} from player_stats m
    where player_stats.player_key = ${survivor} and m.player_key = ${merged}`;
}
