import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { type Context, Refused, scopeOf, sight, type Taken } from '#events/unit-of-work.ts';
import type { DataOf } from '#events/schema.ts';

/** `state` of the data API. A punishment expires at its moment, so the state is worked out at each reading. */
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

/** Punishments with keys below `before`, the newest first. */
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

/** Whether a ban of the player is active, however the network writes the word. */
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

/** Takes a new punishment; its id is the event's own. */
export async function applyIssued(context: Context, data: DataOf<'punishment.issued'>): Promise<Taken> {
  const { batch, key, time, server } = context;
  if (data.expires !== null && data.expires < time)
    throw new Refused('data.expires', 'must not lie before the event itself');
  const known = await keyOfReference(batch.tx, scopeOf(context), data.punishment);
  if (known !== undefined)
    throw new Refused('data.punishment', 'is issued already; send punishment.changed for other facts');
  const punished = await seePunished(context, data.punished);
  await batch.tx.run(sql`
    insert into punishments (key, scope_key, reference, punisher_uuid, punisher_name, punished_key, type, level, reason,
      server, automatic, time, expires, revoked, changed)
    values (${key}, ${scopeOf(context)}, ${data.punishment}, ${data.punisher?.uuid ?? null}, ${data.punisher?.name ?? null},
      ${punished}, ${data.type}, ${data.level}, ${data.reason}, ${server?.name ?? ''}, ${data.automatic ? 1 : 0}, ${time},
      ${data.expires}, null, ${time})`);
  return undefined;
}

async function seePunished(context: Context, player: { uuid: string; name: string }): Promise<number> {
  await context.batch.load([player.uuid]);
  const { key } = sight(context, player);
  await context.batch.flush();
  return key;
}

/** Changes what the event says of a punishment; what came before the last change changes nothing. */
export async function applyChanged(context: Context, data: DataOf<'punishment.changed'>): Promise<Taken> {
  const key = await demandKey(context, data.punishment);
  const changed = await context.batch.tx.run(sql`
    update punishments set
      type = coalesce(${data.type ?? null}, type),
      level = coalesce(${data.level ?? null}, level),
      reason = coalesce(${data.reason ?? null}, reason),
      expires = case when ${data.expires === undefined ? 0 : 1} = 1 then ${data.expires ?? null} else expires end,
      changed = ${context.time}
    where key = ${key} and changed <= ${context.time}`);
  return changed === 0 ? { note: 'a newer change is known' } : undefined;
}

export async function applyRevoked(context: Context, data: DataOf<'punishment.revoked'>): Promise<Taken> {
  const key = await demandKey(context, data.punishment);
  const changed = await context.batch.tx.run(
    sql`update punishments set revoked = ${context.time} where key = ${key} and revoked is null`,
  );
  return changed === 0 ? { note: 'is revoked already' } : undefined;
}

async function demandKey(context: Context, reference: string): Promise<number> {
  const key = await keyOfReference(context.batch.tx, scopeOf(context), reference);
  if (key !== undefined) return key;
  throw new Refused('data.punishment', 'names no punishment of this sender; send punishment.issued first', true);
}

/** What may change of a punishment, by the scope's own name for it. */
export async function termsOf(
  db: Queryable,
  scope: number,
  reference: string,
): Promise<{ reason: string; expires: number | null } | undefined> {
  return await db.get(sql`
    select reason, expires from punishments where scope_key = ${scope} and reference = ${reference}`);
}

async function keyOfReference(tx: Queryable, scope: number, reference: string): Promise<number | undefined> {
  const row = await tx.get<{ key: number }>(
    sql`select key from punishments where scope_key = ${scope} and reference = ${reference}`,
  );
  return row?.key;
}
