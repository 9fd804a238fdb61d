import type { Db, Queryable } from '#db/db.ts';
import { insertAll, list, type Sql, sql } from '#db/sql.ts';
import { Keys } from '../sequence.ts';
import type { Stats } from './player-stats.ts';
import { type RankChange, ranksAmong, rankStatements } from './rank-counts.ts';

/**
 * The ranks of players in the group `teampvp`, a projection of their counters. Each change of a player's counters in
 * that group is recorded in `rank_changes` in the same transaction; a job then counts the player again. A rank is read
 * from some hundred rows of `rank_counts`, regardless of the number of players.
 */

/** The values by which players are ranked, the columns of `ranked_players`. */
const RANKED = ['kill', 'win', 'ratio', 'objective', 'time'] as const;
export type Ranked = (typeof RANKED)[number];

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
  { teampvp }: Pick<Stats, 'teampvp'>,
): Promise<Values> {
  if (teampvp['play'] === 0) return { kill: 0, win: 0, ratio: 0, objective: 0, time: 0 };
  const counted = await countedValues(db, sql`${playerKey}`);
  const values = counted.get(playerKey) ?? rankedValues(teampvp);
  const ranks = await ranksAmong(
    db,
    RANKED.map((counter) => ({ counter, value: values[counter] })),
  );
  return ranks as Values;
}

/** The values of a player with these counters. Kills per death are an integer, so that buckets can hold them. */
function rankedValues(counters: Record<string, number>): Values {
  const { kill = 0, win = 0, objective = 0, time = 0 } = counters;
  const ratio = Math.round(killDeathRatio(counters) * RATIO_UNIT);
  return { kill, win, ratio: Math.min(ratio, Number.MAX_SAFE_INTEGER), objective, time };
}

/** Counts the next players whose counters have changed. @returns whether there may be more */
export async function countRanks(db: Db): Promise<boolean> {
  const waiting = await db.tuple(sql`select 1 from rank_changes limit 1`);
  if (waiting === undefined) return false;
  return await db.transaction(async (tx) => {
    // Every writer of counters holds this lock, so that they do not change between the read and the deletion below.
    await Keys.lock(tx);
    const rows = await tx.tuples(sql`
      select player_key from rank_changes order by player_key limit ${RANKED_PER_STEP}`);
    const players = rows.map(([key]) => key as number);
    if (players.length > 0) await countPlayers(tx, players);
    return players.length === RANKED_PER_STEP;
  });
}

type Values = Record<Ranked, number>;

async function countPlayers(tx: Queryable, players: readonly number[]): Promise<void> {
  const keys = list([...players]);
  const [before, now] = [await countedValues(tx, keys), await presentValues(tx, keys)];
  const changes: RankChange[] = players.flatMap((player) =>
    RANKED.map((counter) => ({ counter, from: before.get(player)?.[counter], to: now.get(player)?.[counter] })),
  );
  const rows = [...now].map(([player, values]) => [player, ...RANKED.map((counter) => values[counter])]);
  await tx.run(sql`delete from ranked_players where player_key in (${keys})`);
  await tx.runAll([
    ...insertAll(`insert into ranked_players (player_key, ${RANKED.join(', ')}) values`, rows),
    ...rankStatements(changes),
  ]);
  await tx.run(sql`delete from rank_changes where player_key in (${keys})`);
}

async function countedValues(tx: Queryable, keys: Sql): Promise<Map<number, Values>> {
  const rows = await tx.tuples(sql`
    select player_key, kill, win, ratio, objective, time from ranked_players where player_key in (${keys})`);
  return new Map(
    (rows as number[][]).map(([player, ...values]) => [
      player!,
      Object.fromEntries(RANKED.map((counter, place) => [counter, values[place]!])) as Values,
    ]),
  );
}

/** The values of those players who have played. */
async function presentValues(tx: Queryable, keys: Sql): Promise<Map<number, Values>> {
  const rows = await tx.tuples(sql`
    select player_key, teampvp_kill, teampvp_death, teampvp_win, teampvp_objective, teampvp_time
    from player_stats where player_key in (${keys}) and teampvp_play > 0`);
  return new Map(
    (rows as [number, number, number, number, number, number][]).map(([player, kill, death, win, objective, time]) => [
      player,
      rankedValues({ kill, death, win, objective, time }),
    ]),
  );
}
