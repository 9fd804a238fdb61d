import type { Queryable } from '#db/db.ts';
import { identifier, join, list, sql } from '#db/sql.ts';
import { isLinked } from '#store/accounts/account-changes.ts';
import { type EventContext, EventRejected, type HandlerResult } from '../unit-of-work.ts';
import type { DataOf } from '../schema.ts';
import { mergeLeaderboards } from '#store/game/leaderboard-projection.ts';
import { GROUP_NAMES, GROUPS } from '#store/game/player-stats.ts';
import { rebuildPlayerNames } from '#store/game/player-names.ts';

/**
 * Merges the player `from` into `into`: all stored and all later events of `from` count for `into`. This is for people
 * who played in offline mode or on Bedrock before they had their present game account. Neither player needs to exist yet.
 */
export async function applyMerged(
  { batch }: EventContext,
  { from, into }: DataOf<'player.merged'>,
): Promise<HandlerResult> {
  const { tx } = batch;
  await batch.flush();
  const target = (await aliasOf(tx, into)) ?? into;
  if (target === from) throw new EventRejected('data.into', 'is already merged into the player in data.from');
  if ((await aliasOf(tx, from)) !== undefined)
    throw new EventRejected('data.from', 'is already merged into another player');
  if ((await isLinked(tx, from)) && (await isLinked(tx, target)))
    throw new EventRejected(
      'data.from',
      'is linked to an account, and data.into to another one; unlink one of them first',
    );
  await tx.run(sql`update player_aliases set into_uuid = ${target} where into_uuid = ${from}`);
  await tx.run(sql`update accounts set player_uuid = ${target} where player_uuid = ${from}`);
  batch.players.clear();
  const merged = await keyOf(tx, from);
  const survivor = await keyOf(tx, target);
  await tx.run(sql`
    insert into player_aliases (uuid, into_uuid, key)
    values (${from}, ${target}, ${(await ownKey(tx, target, merged)) ?? null})`);
  if (merged === undefined) return undefined;
  if (survivor !== undefined) {
    await mergeLeaderboards(tx, batch.now, merged, survivor);
    return { stale: await moveAll(tx, merged, survivor) };
  }
  await tx.run(sql`update players set uuid = ${target} where key = ${merged}`);
  await rebuildPlayerNames(tx, [merged]);
  return undefined;
}

async function aliasOf(tx: Queryable, uuid: string): Promise<string | undefined> {
  return (await tx.get<{ into_uuid: string }>(sql`select into_uuid from player_aliases where uuid = ${uuid}`))
    ?.into_uuid;
}

/**
 * The key to store with the alias of a merged player. A player that inherited its key from another alias has none of its
 * own: the earlier alias stores that key already.
 */
async function ownKey(tx: Queryable, target: string, merged: number | undefined): Promise<number | undefined> {
  if (merged === undefined) return undefined;
  const inherited = await tx.get(sql`
    select 1 as found from player_aliases where into_uuid = ${target} and key = ${merged}`);
  return inherited === undefined ? merged : undefined;
}

async function keyOf(tx: Queryable, uuid: string): Promise<number | undefined> {
  return (await tx.get<{ key: number }>(sql`select key from players where uuid = ${uuid}`))?.key;
}

/** @returns the aggregates of maps that both players rated: a rebuild decides which of the two ratings counts */
async function moveAll(tx: Queryable, merged: number, survivor: number): Promise<string[]> {
  await joinMatches(tx, merged, survivor);
  for (const [table, column] of OWNED) {
    await tx.run(
      sql`update ${identifier(table)} set ${identifier(column)} = ${survivor} where ${identifier(column)} = ${merged}`,
    );
  }
  await tx.run(sql`
    delete from name_observations where player_key = ${merged} and exists (
      select 1 from name_observations o where o.player_key = ${survivor}
        and o.ledger_key = name_observations.ledger_key and o.name = name_observations.name)`);
  await tx.run(sql`update name_observations set player_key = ${survivor} where player_key = ${merged}`);
  const disputed = await moveVotes(tx, merged, survivor);
  await tx.run(addCounters(merged, survivor));
  await tx.run(sql`delete from players where key = ${merged}`);
  await rebuildPlayerNames(tx, [survivor]);
  return disputed.map((name) => `map ${name}`);
}

/** Moves the matches of the merged player to the survivor. In matches that both played, their rows are added. */
async function joinMatches(tx: Queryable, merged: number, survivor: number): Promise<void> {
  const both = await tx.tuples(sql`
    select a.match_key from player_matches a
    join player_matches b on b.match_key = a.match_key and b.player_key = ${survivor}
    where a.player_key = ${merged}`);
  for (const [key] of both) await joinRows(tx, key as number, merged, survivor);
  await tx.run(sql`update player_matches set player_key = ${survivor} where player_key = ${merged}`);
}

/** Adds the merged player's row of a match to the survivor's, and records the merged player's name in it. */
async function joinRows(tx: Queryable, match: number, merged: number, survivor: number): Promise<void> {
  const row = (await tx.get<{ name: string; score: number; kills: number; deaths: number; time: number }>(sql`
    select name, score, kill_count as kills, death_count as deaths, time_played as time from player_matches
    where match_key = ${match} and player_key = ${merged}`))!;
  await tx.runAll([
    sql`
      insert into name_observations (player_key, ledger_key, time, name)
      select cast(${survivor} as bigint), key, finished, cast(${row.name} as text) from matches where key = ${match}
      on conflict (player_key, ledger_key, name) do nothing`,
    sql`
      update player_matches set score = score + ${row.score}, kill_count = kill_count + ${row.kills},
        death_count = death_count + ${row.deaths}, time_played = time_played + ${row.time}
      where match_key = ${match} and player_key = ${survivor}`,
    sql`delete from player_matches where match_key = ${match} and player_key = ${merged}`,
  ]);
}

/** Tables whose rows simply change their owner, and the column of the owner. */
const OWNED = [
  ['kills', 'killer_key'],
  ['player_sessions', 'player_key'],
  ['faction_reports', 'player_key'],
  ['punishments', 'punished_key'],
] as const;

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
