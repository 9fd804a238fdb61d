import type { Queryable } from '#db/db.ts';
import { list, type Sql, sql } from '#db/sql.ts';
import { isCounted } from '../excluded-matches.ts';
import type { Named } from '../players.ts';
import { lockProjection } from '../projections.ts';
import { SumChanges } from '../sum-changes.ts';
import { isLeftOut } from '../unranked-players.ts';

/** A victim, killer, teammate or opponent of a player. */
export type Rival = Named & { key: number };

/** The condition that a match is in the pairs and the records: the projection has reached it, and it is not excluded or being withdrawn. */
export const isInRivals = (match: Sql): Sql => sql`
  (${match} <= (select last from projections where name = 'rivals') and ${isCounted(match)}
    and exists (select 1 from match_details d where d.match_key = ${match}))`;

/**
 * Who killed whom how often, in all matches that count and whose servers report kills. A row is a killer and a victim, so that
 * there are at most as many rows as kills, and of two people who meet again and again at most two.
 */
export type KillChanges = SumChanges<[killer: number, victim: number]>;

export const killChanges = (): KillChanges =>
  new SumChanges({ name: 'kill_pairs', key: ['killer_key', 'victim_key'], sums: ['kill'], empty: 'kill' });

/** Adds kills to the pairs, or subtracts them: those of matches that count, and not those of a player's own UUIDs. */
export async function countKills(tx: Queryable, matches: readonly number[], by: 1 | -1 = 1): Promise<void> {
  if (matches.length === 0) return;
  const rows = await tx.tuples(sql`
    select k.killer_key, k.victim_key, count(*) from kills k
    where k.match_key in (${list([...matches])}) and k.killer_key <> k.victim_key and ${isCounted(sql`k.match_key`)}
      and exists (select 1 from match_details d where d.match_key = k.match_key)
    group by k.killer_key, k.victim_key`);
  const changes = killChanges();
  for (const [killer, victim, kills] of rows as [number, number, number][]) changes.add([killer, victim], [kills]);
  await tx.runAll(changes.statements(by));
}

/**
 * Gives the pairs of kills to the surviving player of a merge, before the kills get that player's key.
 * @param role the column of the kills that gets the key
 * @param moved the condition on these kills
 */
export async function moveKills(
  tx: Queryable,
  role: 'killer_key' | 'victim_key',
  moved: Sql,
  survivor: number,
): Promise<void> {
  await lockProjection(tx, 'rivals');
  const rows = await tx.tuples(sql`
    select killer_key, victim_key from kills where ${moved} and killer_key is not null and ${isInRivals(sql`kills.match_key`)}`);
  const changes = killChanges();
  const add = (killer: number, victim: number, by: 1 | -1): void => {
    if (killer !== victim) changes.add([killer, victim], [by]);
  };
  for (const [killer, victim] of rows as [number, number][]) {
    add(killer, victim, -1);
    add(role === 'killer_key' ? survivor : killer, role === 'victim_key' ? survivor : victim, 1);
  }
  await tx.runAll(changes.statements());
}

/** The roles of the others in a list of kills, and the columns of the player and of the other. */
const ROLES = {
  victims: { player: sql`b.killer_key`, other: sql`b.victim_key` },
  killers: { player: sql`b.victim_key`, other: sql`b.killer_key` },
} as const;
export type KillRole = keyof typeof ROLES;

/**
 * The people whom a player killed most often, or who killed the player most often, from three kills on.
 * @param after the key of the last one of the page before; the list is empty after one who is not shown
 */
export async function rivalsByKills(
  db: Queryable,
  role: KillRole,
  { player, after, limit }: { player: number; after?: number | undefined; limit: number },
): Promise<Rival[]> {
  const { player: own, other } = ROLES[role];
  const from =
    after === undefined
      ? sql``
      : sql`and (b.kill, ${other}) < (
          (select b.kill from kill_pairs b join players p on p.key = ${other}
            where ${own} = ${player} and ${other} = ${after} and not ${isLeftOut(sql`p`)}), ${after})`;
  // The condition on the kills is that of the indexes in the order of the lists, without a bound value.
  return await db.all<Rival>(sql`
    select p.key, p.uuid, p.name
    from kill_pairs b join players p on p.key = ${other}
    where ${own} = ${player} and b.kill >= 3 ${from} and not ${isLeftOut(sql`p`)}
    order by b.kill desc, ${other} desc limit ${limit}`);
}

export interface Duel {
  /** How often the player killed the other one. */
  kill: number;
  /** How often the other one killed the player. */
  death: number;
}

/** The kills between a player and others, by the keys of the others. */
export async function duelsWith(db: Queryable, player: number, others: readonly number[]): Promise<Map<number, Duel>> {
  const duels = new Map(others.map((other) => [other, { kill: 0, death: 0 }]));
  if (others.length === 0) return duels;
  const among = list([...others]);
  const rows = await db.tuples(sql`
    select killer_key, victim_key, kill from kill_pairs where killer_key = ${player} and victim_key in (${among})
    union all
    select killer_key, victim_key, kill from kill_pairs where victim_key = ${player} and killer_key in (${among})`);
  for (const [killer, victim, kill] of rows as [number, number, number][]) {
    if (killer === player) duels.get(victim)!.kill = kill;
    else duels.get(killer)!.death = kill;
  }
  return duels;
}
