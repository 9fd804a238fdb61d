import { type Queryable, tuplesAmong } from '#db/db.ts';
import { list, type Sql, sql } from '#db/sql.ts';
import { withPresentNames } from './present-names.ts';

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
  /** Null unless revoked. */
  revocation: Revocation | null;
  /** The time of the newest change; an older one has no effect. */
  changed: number;
}

export interface Revocation {
  time: number;
  reason: string;
  /** The player who revoked it, if the sender named one. */
  by: { uuid: string; name: string } | null;
  /** The name of the server that revoked it; empty for the network's staff. */
  server: string;
}

type PunishmentRow = Omit<Punishment, 'punisher' | 'punished' | 'state' | 'automatic' | 'revocation'> &
  Record<'punisher_uuid' | 'punisher_name' | 'revoker_uuid' | 'revoker_name', string | null> &
  Record<'uuid' | 'name' | 'revoked_on' | 'revoke_reason', string> & { automatic: number; revoked: number | null };

const SELECT = sql`
  select u.key, u.punisher_uuid, u.punisher_name, p.uuid, p.name, u.type, u.level, u.reason, u.server, u.automatic,
    u.time, u.expires, u.revoked, u.revoked_on, u.revoke_reason, u.revoker_uuid, u.revoker_name, u.changed
  from punishments u join players p on p.key = u.punished_key`;

/** Maximum number of punishments in force of one player that a check for bans reads. */
const MAX_IN_FORCE = 100;

/** Punishments with keys below `before`, newest first. */
export const listPunishments = (db: Queryable, before: number, limit: number, now: number): Promise<Punishment[]> =>
  read(db, sql`where u.key < ${before} order by u.key desc limit ${limit}`, now);

export const listPunishmentsOf = (
  db: Queryable,
  playerKey: number,
  before: number,
  limit: number,
  now: number,
): Promise<Punishment[]> =>
  read(db, sql`where u.punished_key = ${playerKey} and u.key < ${before} order by u.key desc limit ${limit}`, now);

const inForce = (now: number): Sql => sql`u.revoked is null and (u.expires is null or u.expires > ${now})`;

/** The newest punishments in force against a player. */
export const punishmentsInForce = (db: Queryable, playerKey: number, now: number): Promise<Punishment[]> =>
  read(db, sql`where u.punished_key = ${playerKey} and ${inForce(now)} order by u.key desc limit ${MAX_IN_FORCE}`, now);

export const punishmentByKey = async (db: Queryable, key: number, now: number): Promise<Punishment | undefined> =>
  (await punishmentsByKeys(db, [key], now))[0];

export const punishmentsByKeys = (db: Queryable, keys: readonly number[], now: number): Promise<Punishment[]> =>
  read(db, sql`where u.key in (${list(keys)})`, now);

/** The columns that may have the label of a UUID in the place of a removed name. */
const NAMED = ['punisher_name', 'revoker_name', 'reason', 'revoke_reason'] as const;

async function read(db: Queryable, condition: Sql, now: number): Promise<Punishment[]> {
  const rows = await db.all<PunishmentRow>(sql`${SELECT} ${condition}`);
  return (await withPresentNames(db, rows, NAMED)).map(presentAt(now));
}

export const isBan = ({ type }: Pick<Punishment, 'type'>): boolean => type.toLowerCase() === 'ban';

export const isBanned = async (db: Queryable, playerKey: number, now: number): Promise<boolean> =>
  (await bannedPlayers(db, [playerKey], now)).has(playerKey);

/** Those of some players against whom a ban is in force. The type `ban` may be in any case. */
export async function bannedPlayers(
  db: Queryable,
  playerKeys: readonly number[],
  now: number,
): Promise<ReadonlySet<number>> {
  const rows = await db.tuples(sql`
    select distinct u.punished_key from punishments u
    where u.punished_key in (${list(playerKeys)}) and lower(u.type) = 'ban' and ${inForce(now)}`);
  return new Set(rows.map(([key]) => key as number));
}

/** Reads a row with the state that it has at a time. */
const presentAt =
  (now: number) =>
  (row: PunishmentRow): Punishment => {
    const { key, reason, level, time, type, server, expires, changed } = row;
    const punisher = row.punisher_uuid === null ? null : { uuid: row.punisher_uuid, name: row.punisher_name! };
    const punished = { uuid: row.uuid, name: row.name };
    const [state, automatic, revocation] = [presentState(row, now), row.automatic === 1, toRevocation(row)];
    const written = { key, punisher, punished, state, reason, level, time, type, server };
    return { ...written, automatic, expires, revocation, changed };
  };

function toRevocation(row: PunishmentRow): Revocation | null {
  const { revoked: time, revoke_reason: reason, revoked_on: server } = row;
  if (time === null) return null;
  const by = row.revoker_uuid === null ? null : { uuid: row.revoker_uuid, name: row.revoker_name! };
  return { time, reason, by, server };
}

function presentState({ revoked, expires }: PunishmentRow, now: number): number {
  if (revoked !== null) return REVOKED;
  return expires !== null && expires <= now ? EXPIRED : ACTIVE;
}

/** The parts of a punishment that may change, looked up by the reference that the scope (a server) gave it. */
export const readTerms = (
  db: Queryable,
  scope: number,
  reference: string,
): Promise<{ reason: string; expires: number | null } | undefined> =>
  db.get(sql`
    select reason, expires from punishments where scope_key = ${scope} and reference = ${reference}`);

/** Whether punishments of one scope are revoked, by reference; references without one are left out. */
export async function revokedByReference(
  db: Queryable,
  scope: number,
  references: readonly string[],
): Promise<Map<string, boolean>> {
  const rows = await tuplesAmong<[string, number | null]>(
    db,
    references,
    (some) => sql`select reference, revoked from punishments where scope_key = ${scope} and reference in (${some})`,
  );
  return new Map(rows.map(([reference, revoked]) => [reference, revoked !== null]));
}

export interface PunishmentTerms {
  type: string;
  reason: string;
  expires: number | null;
}

/** A punishment that an event changes, with its key and its sender's reference. */
export interface PunishmentTarget {
  key: number;
  scope: number;
  reference: string;
  /** The present name of the punished player. */
  punished: string;
  punished_uuid: string;
}

const TARGET = sql`
  select u.key, u.scope_key as scope, u.reference, p.name as punished, p.uuid as punished_uuid
  from punishments u join players p on p.key = u.punished_key`;

export const targetByKey = (db: Queryable, key: number): Promise<PunishmentTarget | undefined> =>
  db.get(sql`${TARGET} where u.key = ${key}`);

/** The punishments of one scope with these references, for lists of changes. */
export const findTargets = (db: Queryable, scope: number, references: readonly string[]): Promise<PunishmentTarget[]> =>
  db.all(sql`
    ${TARGET} where u.scope_key = ${scope} and u.reference in (${list(references)})`);
