import type { Queryable } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';

/**
 * Punishments in force against a player whose account was deleted. They stay with the pseudonym, and the keyed hash of
 * the UUID binds them to the game account, so that deleting the account and linking the game account again does not
 * remove a ban.
 */

export async function holdPunishments(tx: Queryable, now: number, uuidHash: string, playerKey: number): Promise<void> {
  await tx.run(sql`
    insert into held_punishments (uuid_hash, punishment_key)
    select cast(${uuidHash} as text), key from punishments
    where punished_key = ${playerKey} and revoked is null and (expires is null or expires > ${now})
    on conflict (uuid_hash, punishment_key) do nothing`);
}

/** The keys of the punishments that return with a game account, and of the players who have them now. */
export async function heldPunishments(
  tx: Queryable,
  uuid: string,
): Promise<{ key: number; time: number; punished_key: number; body: string }[]> {
  return await tx.all(sql`
    select u.key, u.time, u.punished_key, l.body from held_punishments h
    join punishments u on u.key = h.punishment_key join ledger l on l.key = u.key
    where h.uuid_hash = ${tx.keyedHash(uuid)} order by u.key`);
}

/** Assigns a punishment to the player who returned. */
export async function returnPunishment(tx: Queryable, key: number, punished: number): Promise<void> {
  await tx.runAll([
    sql`update punishments set punished_key = ${punished} where key = ${key}`,
    sql`delete from held_punishments where punishment_key = ${key}`,
  ]);
}

/** The punishments that public pages may show; those of deleted accounts are hidden until the game account returns. */
export async function withoutHeld<P extends { key: number }>(db: Queryable, punishments: P[]): Promise<P[]> {
  if (punishments.length === 0) return punishments;
  const rows = await db.tuples(sql`
    select punishment_key from held_punishments where punishment_key in (${list(punishments.map(({ key }) => key))})`);
  const held = new Set(rows.map(([key]) => key));
  return punishments.filter(({ key }) => !held.has(key));
}

/** Whether a player is the pseudonym of a deleted account with such punishments. */
export async function hasHeld(db: Queryable, playerKey: number): Promise<boolean> {
  const held = await db.get(sql`
    select 1 as found from punishments u join held_punishments h on h.punishment_key = u.key
    where u.punished_key = ${playerKey} limit 1`);
  return held !== undefined;
}
