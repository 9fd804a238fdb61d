import { columnOf, type Db, type Queryable } from '#db/db.ts';
import { insertAll, list, type Sql, sql } from '#db/sql.ts';
import { Keys } from '../sequence.ts';
import { PlaceCountChanges, placesOf, TEAMPVP_RANKS } from './place-counts.ts';
import { isLeftOut } from './unranked-players.ts';

/**
 * The ranks of players in the group `teampvp`, a projection of their counters. Each change of a player's counters in
 * that group is recorded in `rank_changes` in the same transaction; a job then counts the player again (`place-counts.ts`).
 */

/** The values by which players are ranked, the columns of `ranked_players`. */
const RANKED = ['kill', 'win', 'ratio', 'objective', 'time'] as const;
export type Ranked = (typeof RANKED)[number];

const rankingOf = (counter: Ranked) => ({ board: TEAMPVP_RANKS, mode: 'teampvp', counter });

/** A player takes some fifty rows, so that one transaction takes a few milliseconds. */
export const RANKED_PER_STEP = 50;

/** Kills per death are compared to six decimals. */
const RATIO_UNIT = 1_000_000;

/** A player's kills per death; without deaths, the kills. */
export function killDeathRatio({ kill = 0, death = 0 }: Record<string, number>): number {
  return death === 0 ? kill : kill / death;
}

/**
 * A player's ranks as of the last count: one more than the number of players with a higher value. All are 0 for a player
 * without a match.
 * @param teampvp the player's counters, for a player who is not counted yet
 */
export async function readTeampvpRanks(
  db: Queryable,
  playerKey: number,
  { teampvp }: { teampvp: Record<string, number> },
): Promise<Values> {
  if (teampvp['play'] === 0) return { kill: 0, win: 0, ratio: 0, objective: 0, time: 0 };
  const counted = await countedValues(db, sql`${playerKey}`);
  const values = counted.get(playerKey) ?? rankedValues(teampvp);
  const places = await placesOf(
    db,
    RANKED.map((counter) => ({ ...rankingOf(counter), value: values[counter] })),
  );
  return Object.fromEntries(RANKED.map((counter, index) => [counter, places[index]!.place])) as Values;
}

/** The values of a player with these counters. Kills per death are an integer, so that buckets can hold them. */
function rankedValues(counters: Record<string, number>): Values {
  const { kill = 0, win = 0, objective = 0, time = 0 } = counters;
  const ratio = Math.round(killDeathRatio(counters) * RATIO_UNIT);
  return { kill, win, ratio: Math.min(ratio, Number.MAX_SAFE_INTEGER), objective, time };
}

/** Counts the next players whose counters have changed. @returns whether there may be more */
export async function countRanks(db: Db): Promise<boolean> {
  if ((await db.tuple(sql`select 1 from rank_changes limit 1`)) === undefined) return false;
  return await db.transaction(async (tx) => {
    // Every writer of counters holds this lock, so that they do not change between the read and the deletion below.
    await Keys.lock(tx);
    const next = sql`select player_key from rank_changes order by player_key limit ${RANKED_PER_STEP}`;
    const players = await columnOf<number>(tx, next);
    if (players.length > 0) await countPlayers(tx, players);
    return players.length === RANKED_PER_STEP;
  });
}

type Values = Record<Ranked, number>;

/** Counts players in the transaction, without those who are left out. */
export async function countPlayers(tx: Queryable, players: readonly number[]): Promise<void> {
  const keys = list([...players]);
  const [before, now] = [await countedValues(tx, keys), await presentValues(tx, keys)];
  const counts = new PlaceCountChanges();
  for (const player of players)
    for (const counter of RANKED)
      counts.move(rankingOf(counter), before.get(player)?.[counter] ?? 0, now.get(player)?.[counter] ?? 0);
  const rows = [...now].map(([player, values]) => [player, ...RANKED.map((counter) => values[counter])]);
  await tx.run(sql`delete from ranked_players where player_key in (${keys})`);
  await tx.runAll([
    ...insertAll(`insert into ranked_players (player_key, ${RANKED.join(', ')}) values`, rows),
    ...counts.statements(),
  ]);
  await tx.run(sql`delete from rank_changes where player_key in (${keys})`);
}

async function countedValues(tx: Queryable, keys: Sql): Promise<Map<number, Values>> {
  const rows = await tx.all<Values & { player_key: number }>(sql`
    select player_key, kill, win, ratio, objective, time from ranked_players where player_key in (${keys})`);
  return new Map(rows.map(({ player_key, ...values }) => [player_key, values]));
}

/** The values of those players who have played, without those who are left out. */
async function presentValues(tx: Queryable, keys: Sql): Promise<Map<number, Values>> {
  const rows = await tx.all<Record<string, number> & { player_key: number }>(sql`
    select player_key, teampvp_kill as kill, teampvp_death as death, teampvp_win as win, teampvp_objective as objective,
      teampvp_time as time
    from player_stats join players p on p.key = player_key
    where player_key in (${keys}) and teampvp_play > 0 and not ${isLeftOut(sql`p`)}`);
  return new Map(rows.map(({ player_key, ...counters }) => [player_key, rankedValues(counters)]));
}
