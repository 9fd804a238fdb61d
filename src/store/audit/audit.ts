import { randomBytes } from 'node:crypto';
import { idOf } from '#platform/ids.ts';
import { nameKey } from '#platform/text.ts';
import type { Queryable } from '#db/db.ts';
import { join, type Sql, sql } from '#db/sql.ts';

/** How something was done: on pages of the console or the sign-in, by a command, or in the game. */
export const WAYS = ['console', 'sign-in', 'command', 'game'] as const;
export const OUTCOMES = ['done', 'refused', 'failed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Who does something, and from where: an address, the machine that a command ran on, or the game server. */
export interface Actor {
  via: (typeof WAYS)[number];
  /** Null where nobody has proven who they are, and for commands. */
  account_id: string | null;
  name: string;
  address: string;
  /** Whether they act as an operator, and so answer for it by name even when their account is deleted. */
  isOperator?: boolean;
}

/** What is done: `application.create`; to what: an id, and words for it. */
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
const KEYS_PER_MS = 2048;

/** Ids begin with the time, so that nobody waits for anybody to write one. */
const startOf = (ms: number): string => idOf(Math.max(0, ms) * KEYS_PER_MS);

let written = 0;

/** What one process writes within a millisecond keeps its order; chance keeps the ids of several apart. */
function newId(now: number): string {
  const place = written++ % KEYS_PER_MS;
  return idOf(now * KEYS_PER_MS + place) + randomBytes(5).toString('hex');
}

/**
 * Keeps that something was done, or refused. Secrets never stand in an act. What is told behind an answer may come after
 * the account was deleted: then it comes in without the name.
 */
export async function recordAudit(db: Queryable, now: number, actor: Actor, act: Act): Promise<void> {
  const { action, subject = '', label = '', outcome = 'done', detail = {} } = act;
  const { via, account_id, isOperator = false } = actor;
  const actorId = isOperator ? null : account_id;
  const name = short(actor.name);
  const about = ABOUT_ACCOUNTS.test(action) && subject !== '' ? subject : null;
  await db.run(sql`
    insert into audit (id, time, via, as_operator, actor_id, actor, actor_key, address, action, subject, label, outcome, detail)
    values (${newId(now)}, ${now}, ${via}, ${isOperator ? 1 : 0}, ${account_id}, ${unlessDeleted(actorId, name)},
      ${unlessDeleted(actorId, nameKey(name))}, ${unlessDeleted(actorId, short(actor.address), '')}, ${action},
      ${short(subject)}, ${unlessDeleted(about, short(label))}, ${outcome},
      ${unlessDeleted(about, JSON.stringify(detail), '{}')})`);
}

const ABOUT_ACCOUNTS = /^(account|session)\./;

/** What the log calls an account that is deleted. */
export const nameOfDeleted = (accountId: string): string => `deleted-${accountId}`;

function unlessDeleted(accountId: string | null, text: string, otherwise = nameOfDeleted(accountId ?? '')): Sql {
  if (accountId === null) return sql`${text}`;
  return sql`
    case when exists (select 1 from accounts where id = ${accountId}) then ${text} else ${otherwise} end`;
}

const short = (text: string): string => text.slice(0, MAX_TEXT).toWellFormed();

export interface AuditFilter {
  /** A name, in any case. */
  actor?: string | undefined;
  /** `application.create`, or everything about `application`. */
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

type AuditRow = Omit<AuditEntry, 'detail'> & { detail: string };

const SELECT = sql`
  select id, time, via, actor_id, actor, address, action, subject, label, outcome, detail from audit`;

const entryOf = (row: AuditRow): AuditEntry => ({ ...row, detail: JSON.parse(row.detail) as AuditEntry['detail'] });

/** Entries that fit, the newest first. */
export async function listAudit(db: Queryable, filter: AuditFilter, limit: number): Promise<AuditEntry[]> {
  const rows = await db.all<AuditRow>(sql`
    ${SELECT} where ${join([sql`id > ''`, ...conditions(filter)], ' and ')} order by id desc limit ${limit}`);
  return rows.map(entryOf);
}

/** What somebody has done, the newest first: those acts alone for which they had proven who they are. */
export async function listAuditOf(
  db: Queryable,
  accountId: string,
  before: string | undefined,
  limit: number,
): Promise<AuditEntry[]> {
  const rows = await db.all<AuditRow>(sql`
    ${SELECT} where actor_id = ${accountId} ${before === undefined ? sql`` : sql`and id < ${before}`}
    order by id desc limit ${limit}`);
  return rows.map(entryOf);
}

function conditions({ actor, action, subject, address, outcome, since, until, before }: AuditFilter): Sql[] {
  return [
    ...(actor === undefined ? [] : [sql`actor_key = ${nameKey(actor)}`]),
    ...(action === undefined ? [] : [actionIs(action)]),
    ...(subject === undefined ? [] : [sql`subject = ${subject}`]),
    ...(address === undefined ? [] : [sql`address = ${address}`]),
    ...(outcome === undefined ? [] : [sql`outcome = ${outcome}`]),
    ...(since === undefined ? [] : [sql`id >= ${startOf(since)}`]),
    ...(until === undefined ? [] : [sql`id < ${startOf(until)}`]),
    ...(before === undefined ? [] : [sql`id < ${before}`]),
  ];
}

/** `application` stands for every action that begins so: a slash is what follows a full stop in the order of text. */
function actionIs(action: string): Sql {
  if (action.includes('.')) return sql`action = ${action}`;
  return sql`action >= ${`${action}.`} and action < ${`${action}/`}`;
}

/** What is older than this. */
export function auditBefore(timestamp: number): Sql {
  return sql`id < ${startOf(timestamp)}`;
}
