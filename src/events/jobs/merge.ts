import { idOf } from '#platform/ids.ts';
import type { Queryable } from '#db/db.ts';
import { identifier, join, list, sql } from '#db/sql.ts';
import { pseudonymsByHash } from '#store/accounts/pseudonyms.ts';
import { mergeLeaderboards, subtractPlayedTwice } from '#store/game/leaderboards/leaderboard-projection.ts';
import { GROUP_NAMES, GROUPS } from '#store/game/player-stats.ts';
import { mergePlayerNames } from '#store/game/player-names.ts';
import { moveReports } from '#store/game/counters/counter-reports.ts';
import { listCounters } from '#store/game/counters/counters.ts';
import { mergePlayerCounters } from '#store/game/counters/player-counters.ts';
import { createJob, markStale } from '#store/jobs.ts';
import { renamedCounters } from '../counters/renamed.ts';
import { renamedJson } from '../renamed-json.ts';
import type { Batch } from '../unit-of-work.ts';
import { Budget, type Work } from './portion.ts';

/**
 * Moves the records of a merged player to the surviving one, and gives its matches the surviving UUID and name. A small
 * merge is complete with its event; a bigger one goes on as a job. Until it is complete both players exist, and new events
 * of the merged UUID count for the merged player, whose records follow.
 */

export interface MergeParams {
  /** The merged UUID. */
  from: string;
  /** The key of the merged player. */
  merged: number;
  /** The key of the surviving player; the same where there was none, so that the merged player got its UUID. */
  survivor: number;
}

interface Cursor {
  /** Matches up to this key are done. */
  match: number;
  /** Observations of names by events up to this key are done; a job of an earlier version has none. */
  observed?: number;
}

/** Does the first portion of a merge. @returns the aggregates to rebuild if that completed it, otherwise adds a job */
export async function mergeOrCreateJob({ tx, now }: Batch, params: MergeParams): Promise<string[]> {
  const cursor: Cursor = { match: 0 };
  const stale = await moveRows(tx, now, params, cursor);
  if (stale !== undefined) return stale;
  await createJob(tx, now, { kind: 'merge', label: idOf(params.survivor), params, cursor });
  return [];
}

export const mergePortion: Work = async ({ tx, now }, job) => {
  const cursor = JSON.parse(job.cursor) as Cursor;
  const params = JSON.parse(job.params) as MergeParams;
  const stale = await moveRows(tx, now, params, cursor);
  if (stale !== undefined) {
    await markStale(tx, 'aggregate', stale);
    // A withdrawal between two portions compares a moved report with the maxima of the survivor, not the merged player's.
    await markStale(tx, 'counters', [params.survivor]);
  }
  return { cursor, done: 1, isComplete: stale !== undefined, mayPause: true };
};

/**
 * Moves the next rows.
 * @returns after the last ones, the aggregates of maps that both players rated: a rebuild decides which rating counts
 */
async function moveRows(
  tx: Queryable,
  now: number,
  params: MergeParams,
  cursor: Cursor,
): Promise<string[] | undefined> {
  const { merged, survivor } = params;
  const budget = new Budget();
  await moveMatches(tx, now, params, cursor, budget);
  if (budget.isSpent) return undefined;
  await renameScorer(tx, params, cursor, budget);
  if (budget.isSpent) return undefined;
  if (merged === survivor) return [];
  for (const table of OWNED) {
    budget.spend(await moveOwned(tx, table, params, budget.rows));
    if (budget.isSpent) return undefined;
  }
  return await complete(tx, now, params);
}

async function moveMatches(
  tx: Queryable,
  now: number,
  { from, merged, survivor }: MergeParams,
  cursor: Cursor,
  budget: Budget,
): Promise<void> {
  const into = await survivorOf(tx, survivor);
  while (!budget.isSpent) {
    const rows = await tx.tuples(sql`
      select p.match_key, s.player_key from player_matches p
      left join player_matches s on s.match_key = p.match_key and s.player_key = ${survivor}
      where (p.player_key, p.match_key) > (${merged}, ${cursor.match}) and p.player_key <= ${merged}
      order by p.player_key, p.match_key limit ${Math.min(budget.rows, MATCHES_PER_READ)}`);
    if (rows.length === 0) return;
    const played = rows as [match: number, survivor: number | null][];
    for (const [match] of played) budget.spend(1, await renameInMatch(tx, match, { uuid: from, key: merged }, into));
    cursor.match = played.at(-1)![0];
    if (merged === survivor) continue;
    const twice = played.flatMap(([match, other]) => (other === null ? [] : [match]));
    if (twice.length > 0) {
      await mergeLeaderboards(tx, now, merged, survivor);
      await subtractPlayedTwice(tx, twice, merged, survivor);
      for (const match of twice) await joinRows(tx, match, merged, survivor);
    }
    const matches = played.map(([match]) => match);
    await moveReports(tx, matches, merged, survivor);
    await tx.run(sql`
      update player_matches set player_key = ${survivor}
      where player_key = ${merged} and match_key in (${list(matches)})`);
  }
}

/** Few, because the pages of these matches are parsed before the budget is asked again. */
const MATCHES_PER_READ = 8;

async function survivorOf(tx: Queryable, key: number): Promise<{ uuid: string; name: string }> {
  return (await tx.get(sql`select uuid, name from players where key = ${key}`))!;
}

/**
 * Renames the player in the matches whose objectives it completed without being in a team. No row of `player_matches` leads
 * to them, but the name that the match observed does.
 */
async function renameScorer(tx: Queryable, params: MergeParams, cursor: Cursor, budget: Budget): Promise<void> {
  const { from, merged, survivor } = params;
  const into = await survivorOf(tx, survivor);
  while (!budget.isSpent) {
    const rows = await tx.tuples(sql`
      select o.ledger_key, d.match_key from name_observations o left join match_details d on d.match_key = o.ledger_key
      where (o.player_key, o.ledger_key) > (${merged}, ${cursor.observed ?? 0}) and o.player_key <= ${merged}
      order by o.player_key, o.ledger_key limit ${OBSERVATIONS_PER_READ}`);
    if (rows.length === 0) return;
    for (const [event, match] of rows as [event: number, match: number | null][]) {
      if (budget.isSpent) return;
      if (match !== null) budget.spend(1, await renameInMatch(tx, match, { uuid: from, key: merged }, into));
      cursor.observed = event;
    }
    budget.spend(1);
  }
}

/** Most observations are of other events than matches and need no change, so a portion may pass many of them. */
const OBSERVATIONS_PER_READ = 100;

/** Gives a match the surviving UUID and name. @returns the bytes that it parsed */
async function renameInMatch(
  tx: Queryable,
  match: number,
  from: { uuid: string; key: number },
  into: { uuid: string; name: string },
): Promise<number> {
  const details = await tx.get<{ teams: string; objectives: string; counters: string | null }>(sql`
    select d.teams, d.objectives, c.counters from match_details d left join match_counters c on c.match_key = d.match_key
    where d.match_key = ${match}`);
  if (details === undefined) return 0;
  const renamed = new Map([[from.uuid, into]]);
  await tx.runAll([
    sql`
      update match_details set teams = ${renamedJson(details.teams, renamed)},
        objectives = ${renamedJson(details.objectives, renamed)}, revision = revision + 1
      where match_key = ${match}`,
    ...renamedCounters(match, details.counters, renamed),
    sql`
      update kills set victim_name = ${into.name} where match_key = ${match} and victim_key = ${from.key}`,
  ]);
  return details.teams.length + details.objectives.length;
}

interface PlayedRow {
  name: string;
  score: number;
  kill_count: number;
  death_count: number;
  envdeath_count: number;
  time_played: number;
}

/** Adds the merged player's row of a match to the survivor's, and records the merged player's name in it. */
async function joinRows(tx: Queryable, match: number, merged: number, survivor: number): Promise<void> {
  const row = (await tx.get<PlayedRow>(sql`
    select name, score, kill_count, death_count, envdeath_count, time_played from player_matches
    where match_key = ${match} and player_key = ${merged}`))!;
  await tx.runAll([
    sql`
      insert into name_observations (player_key, ledger_key, time, name)
      select cast(${survivor} as bigint), key, finished, cast(${row.name} as text) from matches where key = ${match}
      on conflict (player_key, ledger_key, name) do nothing`,
    sql`
      update player_matches set score = score + ${row.score}, kill_count = kill_count + ${row.kill_count},
        death_count = death_count + ${row.death_count}, envdeath_count = envdeath_count + ${row.envdeath_count},
        time_played = time_played + ${row.time_played}
      where match_key = ${match} and player_key = ${survivor}`,
    sql`delete from player_matches where match_key = ${match} and player_key = ${merged}`,
  ]);
}

interface OwnedTable {
  table: string;
  owner: string;
  /** The rest of the primary key. */
  order: readonly string[];
  /** The column that gets the name of the surviving player. */
  name?: string;
}

/** Tables whose rows change their owner. */
const OWNED: readonly OwnedTable[] = [
  { table: 'kills', owner: 'killer_key', order: ['match_key', 'number'], name: 'killer_name' },
  { table: 'kills', owner: 'victim_key', order: ['match_key', 'number'], name: 'victim_name' },
  { table: 'player_objectives', owner: 'player_key', order: ['type', 'match_key', 'number'] },
  { table: 'player_sessions', owner: 'player_key', order: ['ledger_key'] },
  { table: 'counter_reports', owner: 'player_key', order: ['event_key'] },
  { table: 'faction_reports', owner: 'player_key', order: ['time', 'ledger_key'] },
  { table: 'punishments', owner: 'punished_key', order: ['key'] },
  { table: 'name_observations', owner: 'player_key', order: ['ledger_key', 'name'] },
];

/** Moves the next rows of a table. @returns their number */
async function moveOwned(
  tx: Queryable,
  { table, owner, order, name }: OwnedTable,
  { merged, survivor }: MergeParams,
  limit: number,
): Promise<number> {
  const columns = join(order.map(identifier));
  const rows = await tx.tuples(sql`
    select ${columns} from ${identifier(table)} where ${identifier(owner)} = ${merged} order by ${columns} limit ${limit}`);
  if (rows.length === 0) return 0;
  const last = join(rows.at(-1)!.map((value) => sql`${value}`));
  const moved = sql`${identifier(owner)} = ${merged} and (${columns}) <= (${last})`;
  if (table === 'name_observations') {
    // The survivor may have been observed by the same event, with the same name.
    await tx.run(sql`
      delete from name_observations where ${moved} and exists (
        select 1 from name_observations o where o.player_key = ${survivor}
          and o.ledger_key = name_observations.ledger_key and o.name = name_observations.name)`);
  }
  const renamed =
    name === undefined ? sql`` : sql`, ${identifier(name)} = (select name from players p where p.key = ${survivor})`;
  await tx.run(sql`update ${identifier(table)} set ${identifier(owner)} = ${survivor}${renamed} where ${moved}`);
  return rows.length;
}

/** Moves what is left when all rows are moved, and deletes the merged player. */
async function complete(tx: Queryable, now: number, { from, merged, survivor }: MergeParams): Promise<string[]> {
  await mergeLeaderboards(tx, now, merged, survivor);
  const disputed = await moveVotes(tx, merged, survivor);
  await tx.run(addCounters(merged, survivor));
  await mergePlayerCounters(tx, await listCounters(tx), merged, survivor);
  await mergePlayerNames(tx, merged, survivor);
  await storeKey(tx, from, merged, survivor);
  await moveStale(tx, merged, survivor);
  await tx.run(sql`delete from players where key = ${merged}`);
  return disputed.map((name) => `map ${name}`);
}

/** What an unfinished job derives again of the merged player, it derives of the survivor, whose names are derived here. */
async function moveStale(tx: Queryable, merged: number, survivor: number): Promise<void> {
  const isStale = await tx.get(sql`
    select 1 as found from rederivations where kind = 'counters' and ref = ${String(merged)}`);
  if (isStale !== undefined) await markStale(tx, 'counters', [survivor]);
  await tx.run(sql`delete from rederivations where kind in ('player', 'counters') and ref = ${String(merged)}`);
}

/** Stores the key of the merged player with its alias, which has a pseudonym's UUID if the account was deleted meanwhile. */
async function storeKey(tx: Queryable, from: string, merged: number, survivor: number): Promise<void> {
  const inherited = await tx.get(sql`
    select 1 as found from player_aliases a join players p on p.uuid = a.into_uuid
    where p.key = ${survivor} and a.key = ${merged}`);
  if (inherited !== undefined) return;
  const anyPseudonym = await tx.get(sql`select 1 as found from pseudonyms limit 1`);
  const [pseudonym] = anyPseudonym === undefined ? [] : await pseudonymsByHash(tx, [tx.keyedHash(from)]);
  await tx.run(sql`update player_aliases set key = ${merged} where uuid in (${from}, ${pseudonym?.[1] ?? from})`);
}

/** Moves the ratings of maps that only the merged player rated. Returns the name keys of maps that both rated. */
async function moveVotes(tx: Queryable, merged: number, survivor: number): Promise<string[]> {
  const both = await tx.tuples(sql`
    select distinct m.name_key, m.key from map_votes a
    join map_votes b on b.map_key = a.map_key and b.version = a.version and b.player_key = ${survivor}
    join maps m on m.key = a.map_key where a.player_key = ${merged}`);
  const maps = list([0, ...both.map(([, key]) => key as number)]);
  await tx.run(sql`
    update map_votes set player_key = ${survivor} where player_key = ${merged} and map_key not in (${maps})`);
  return both.map(([name]) => name as string);
}

function addCounters(merged: number, survivor: number) {
  const columns = GROUP_NAMES.flatMap((group) => GROUPS[group].map((counter) => identifier(`${group}_${counter}`)));
  const sums = join(columns.map((column) => sql`${column} = player_stats.${column} + m.${column}`));
  return sql`
    update player_stats set ${sums} from player_stats m
    where player_stats.player_key = ${survivor} and m.player_key = ${merged}`;
}
