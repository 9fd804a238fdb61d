import { randomBytes } from 'node:crypto';
import { idOf } from '#platform/ids.ts';
import { nameKey, uuidLabel } from '#text/text.ts';
import { columnOf, json, type Queryable, rowReader, type Transaction } from '#db/db.ts';
import { join, list, type Sql, sql } from '#db/sql.ts';
import { withNamesInJson, withPresentNames } from '#store/game/present-names.ts';

/** The origin of an act: pages of the console or of sign-in, a command, or the game. */
type Way = 'console' | 'sign-in' | 'command' | 'game';
export const OUTCOMES = ['done', 'refused', 'failed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The actor. `address` is a network address, the machine of a command, or the game server. */
export interface Actor {
  via: Way;
  /** Null for commands and for people who are not authenticated. */
  account_id: string | null;
  name: string;
  address: string;
  /** Whether this is an act as an operator, whose entry keeps the name even if the account is deleted. */
  isOperator?: boolean;
}

/** An act: its name, like `application.create`, the id of its subject and a readable label of it. */
export interface Act {
  action: string;
  subject?: string;
  label?: string;
  outcome?: Outcome;
  detail?: Readonly<Record<string, string | number | boolean | null | undefined>>;
}

export interface AuditEntry extends Required<Omit<Act, 'detail'>> {
  id: string;
  /** Epoch milliseconds. */
  time: number;
  via: Actor['via'];
  actor_id: string | null;
  actor: string;
  address: string;
  detail: Record<string, string | number | boolean | null>;
}

const MAX_TEXT = 256;
const MAX_NAMESAKES = 10;
const KEYS_PER_MS = 2048;

/**
 * A lower bound for the ids since a time. Ids begin with the time instead of a key from the sequence, which needs a
 * lock.
 */
const firstIdAt = (ms: number): string => idOf(Math.max(0, ms) * KEYS_PER_MS);

const MAX_WRITTEN = 2 ** 24;
let written = 0;

/** A counter keeps the order within a millisecond of one process; random bytes keep ids of several processes unique. */
function newId(now: number): string {
  const place = (written++ % MAX_WRITTEN).toString(16).padStart(6, '0');
  return firstIdAt(now) + place + randomBytes(5).toString('hex');
}

/**
 * Writes an entry to the audit log, last in the transaction of its act. An act must never contain secrets. Some entries are
 * written after the response. If the account is deleted by then, the entry gets no name.
 */
export async function recordAudit(tx: Transaction, now: number, actor: Actor, act: Act): Promise<void> {
  const { action, subject = '', label = '', outcome = 'done', detail = {} } = act;
  const { via, account_id, isOperator = false } = actor;
  const actorId = isOperator ? null : account_id;
  const name = short(actor.name);
  const accountSubject = ABOUT_ACCOUNTS.test(action) && subject !== '' ? subject : null;
  await tx.run(sql`
    insert into audit (id, time, via, as_operator, actor_id, actor, actor_key, address, action, subject, label, outcome, detail)
    values (${newId(now)}, ${now}, ${via}, ${isOperator ? 1 : 0}, ${account_id}, ${unlessDeleted(actorId, name)},
      ${unlessDeleted(actorId, nameKey(name))}, ${unlessDeleted(actorId, short(actor.address), '')}, ${action},
      ${short(subject)}, ${unlessDeleted(accountSubject, short(label))}, ${outcome},
      ${unlessDeleted(accountSubject, JSON.stringify(detail), '{}')})`);
}

const ABOUT_ACCOUNTS = /^(account|session)\./;

/** The name of a deleted account in the log. */
export const nameOfDeleted = (accountId: string): string => `deleted-${accountId}`;

function unlessDeleted(accountId: string | null, text: string, replacement = nameOfDeleted(accountId ?? '')): Sql {
  if (accountId === null) return sql`${text}`;
  return sql`
    case when exists (select 1 from accounts where id = ${accountId}) then ${text} else ${replacement} end`;
}

const short = (text: string): string => text.slice(0, MAX_TEXT).toWellFormed();

export interface AuditFilter {
  /** The name of the actor, in any case. */
  actor?: string | undefined;
  /** One action (`application.create`), or all of a group (`application`). */
  action?: string | undefined;
  subject?: string | undefined;
  address?: string | undefined;
  outcome?: Outcome | undefined;
  /** Epoch milliseconds, inclusive. */
  since?: number | undefined;
  /** Epoch milliseconds, exclusive. */
  until?: number | undefined;
  /** Only entries with smaller ids. */
  before?: string | undefined;
}

const SELECT = sql`
  select id, time, via, actor_id, actor, address, action, subject, label, outcome, detail from audit`;

const toEntry = rowReader<AuditEntry>({ detail: json });

/** Reads entries; those with a removed name have the present one in its place. */
async function read(db: Queryable, condition: Sql): Promise<AuditEntry[]> {
  const rows = await db.all<Record<'actor' | 'label' | 'detail', string>>(sql`${SELECT} ${condition}`);
  const named = await withPresentNames(db, rows, ['actor', 'label']);
  return (await withPresentNames(db, named, ['detail'], withNamesInJson)).map(toEntry);
}

/** Entries that match the filter, newest first. */
export async function listAudit(db: Queryable, filter: AuditFilter, limit: number): Promise<AuditEntry[]> {
  const actors = filter.actor === undefined ? [] : await actorKeys(db, filter.actor);
  return await read(
    db,
    sql`where ${join([sql`id > ''`, ...conditions(filter, actors)], ' and ')} order by id desc limit ${limit}`,
  );
}

/** The entries of an account's acts, newest first. Acts before authentication (failed sign-ins) are not included. */
export async function listAuditOf(
  db: Queryable,
  accountId: string,
  before: string | undefined,
  limit: number,
): Promise<AuditEntry[]> {
  const page = before === undefined ? sql`` : sql`and id < ${before}`;
  return await read(db, sql`where actor_id = ${accountId} ${page} order by id desc limit ${limit}`);
}

/** The actors of acts on these subjects whose detail has a receipt, by that receipt. */
export async function actorsByReceipt(
  db: Queryable,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.all<{ actor: string; detail: string }>(sql`
    select actor, detail from audit where subject in (${list(subjects)})`);
  const found = (await withPresentNames(db, rows, ['actor'])).map(
    ({ actor, detail }) => [(JSON.parse(detail) as { receipt?: unknown }).receipt, actor] as const,
  );
  return new Map(found.flatMap(([receipt, actor]) => (typeof receipt === 'string' ? [[receipt, actor]] : [])));
}

/** The keys of an actor: that of the name, and the label of a player with this name from whom one was removed. */
async function actorKeys(db: Queryable, name: string): Promise<string[]> {
  const key = nameKey(name);
  const uuids = await columnOf<string>(
    db,
    sql`select uuid from players where name_key = ${key} limit ${MAX_NAMESAKES}`,
  );
  const labels = await columnOf<string>(
    db,
    sql`
    select distinct actor_key from audit where actor_key in (${list(uuids.map(uuidLabel))})`,
  );
  return [key, ...labels];
}

function conditions(
  { action, subject, address, outcome, since, until, before }: AuditFilter,
  actors: readonly string[],
): Sql[] {
  return [
    ...(actors.length === 0 ? [] : [sql`actor_key in (${list(actors)})`]),
    ...(action === undefined ? [] : [actionIs(action)]),
    ...(subject === undefined ? [] : [sql`subject = ${subject}`]),
    ...(address === undefined ? [] : [sql`address = ${address}`]),
    ...(outcome === undefined ? [] : [sql`outcome = ${outcome}`]),
    ...(since === undefined ? [] : [sql`id >= ${firstIdAt(since)}`]),
    ...(until === undefined ? [] : [sql`id < ${firstIdAt(until)}`]),
    ...(before === undefined ? [] : [sql`id < ${before}`]),
  ];
}

/** A group is a range of text: `application.` up to `application/`, since the slash follows the full stop in ASCII. */
function actionIs(action: string): Sql {
  if (action.includes('.')) return sql`action = ${action}`;
  return sql`action >= ${`${action}.`} and action < ${`${action}/`}`;
}

/** The condition for entries older than a timestamp. */
export function auditBefore(timestamp: number): Sql {
  return sql`id < ${firstIdAt(timestamp)}`;
}
