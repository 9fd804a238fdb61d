import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** `state` in the data API. It is computed at each read, because a punishment expires as time passes. */
export const ACTIVE = 0;
export const EXPIRED = 1;
export const REVOKED = 2;

export interface Punishment {
  key: number;
  punisher: { uuid: string; name: string } | null;
  punished: { uuid: string; name: string };
  state: number;
  reason: string;
  level: number;
  time: number;
  type: string;
  server: string;
  automatic: boolean;
  expires: number | null;
}

interface PunishmentRow {
  key: number;
  punisher_uuid: string | null;
  punisher_name: string | null;
  uuid: string;
  name: string;
  type: string;
  level: number;
  reason: string;
  server: string;
  automatic: number;
  time: number;
  expires: number | null;
  revoked: number | null;
}

const SELECT = sql`
  select u.key, u.punisher_uuid, u.punisher_name, p.uuid, p.name, u.type, u.level, u.reason, u.server, u.automatic,
    u.time, u.expires, u.revoked
  from punishments u join players p on p.key = u.punished_key`;

/** Punishments with keys below `before`, newest first. */
export async function listPunishments(
  db: Queryable,
  before: number,
  limit: number,
  now: number,
): Promise<Punishment[]> {
  const rows = await db.all<PunishmentRow>(sql`${SELECT} where u.key < ${before} order by u.key desc limit ${limit}`);
  return rows.map((row) => punishmentOf(row, now));
}

export async function listPunishmentsOf(
  db: Queryable,
  playerKey: number,
  before: number,
  limit: number,
  now: number,
): Promise<Punishment[]> {
  const rows = await db.all<PunishmentRow>(sql`
    ${SELECT} where u.punished_key = ${playerKey} and u.key < ${before} order by u.key desc limit ${limit}`);
  return rows.map((row) => punishmentOf(row, now));
}

export async function punishmentByKey(db: Queryable, key: number, now: number): Promise<Punishment | undefined> {
  const row = await db.get<PunishmentRow>(sql`${SELECT} where u.key = ${key}`);
  return row && punishmentOf(row, now);
}

/** Whether a ban of the player is active. Networks write the type `ban` in any case. */
export async function isBanned(db: Queryable, playerKey: number, now: number): Promise<boolean> {
  const ban = await db.get(sql`
    select key from punishments
    where punished_key = ${playerKey} and lower(type) = 'ban' and revoked is null and (expires is null or expires > ${now})
    limit 1`);
  return ban !== undefined;
}

function punishmentOf(row: PunishmentRow, now: number): Punishment {
  const { key, reason, level, time, type, server, expires } = row;
  const punisher = row.punisher_uuid === null ? null : { uuid: row.punisher_uuid, name: row.punisher_name! };
  const punished = { uuid: row.uuid, name: row.name };
  return {
    key,
    punisher,
    punished,
    state: stateOf(row, now),
    reason,
    level,
    time,
    type,
    server,
    automatic: row.automatic === 1,
    expires,
  };
}

function stateOf({ revoked, expires }: PunishmentRow, now: number): number {
  if (revoked !== null) return REVOKED;
  return expires !== null && expires <= now ? EXPIRED : ACTIVE;
}

/** The parts of a punishment that may change, looked up by the reference that the scope (a server) gave it. */
export async function termsOf(
  db: Queryable,
  scope: number,
  reference: string,
): Promise<{ reason: string; expires: number | null } | undefined> {
  return await db.get(sql`
    select reason, expires from punishments where scope_key = ${scope} and reference = ${reference}`);
}

export async function keyOfReference(tx: Queryable, scope: number, reference: string): Promise<number | undefined> {
  const row = await tx.get<{ key: number }>(
    sql`select key from punishments where scope_key = ${scope} and reference = ${reference}`,
  );
  return row?.key;
}
