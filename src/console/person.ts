import { secretHash } from '#base/secrets.ts';
import type { Account } from '#records/accounts.ts';
import { tryOnce } from '#records/attempts.ts';
import { type Actor, recordAudit } from '#records/audit.ts';
import { findConsoleSession } from '#records/console-sessions.ts';
import type { Ask, Desk } from './desk.ts';

/** Somebody who is signed in at the console. */
export interface Person {
  account: Account;
  /** Names the session in the database, and opens nothing. */
  session: string;
  /** Stands in every form of the session's pages: a page of another session, left open in a tab, sends another one. */
  formToken: string;
  isOperator: boolean;
}

export const SESSION_COOKIE = 'session';

export async function personOf(c: Ask, desk: Desk): Promise<Person | undefined> {
  const cookie = desk.cookie(c, SESSION_COOKIE);
  if (cookie === undefined) return undefined;
  const found = await findConsoleSession(desk.db, desk.clock.now(), cookie);
  if (found === undefined) return undefined;
  const { account, hash: session } = found;
  return { account, session, formToken: secretHash(`form ${cookie}`), isOperator: account.role === 'operator' };
}

export function actorOf(c: Ask, person: Person | undefined): Actor {
  const { id = null, name = '' } = person?.account ?? {};
  const isOperator = person?.isOperator ?? false;
  return { via: 'console', account_id: id, name, address: c.get('address'), isOperator };
}

/** So much of what one person is refused is kept; the rest stands in the log alone. */
const KEPT_REFUSALS = { tries: 200, windowMs: 3_600_000 };

/**
 * Keeps that something was asked for and refused. Of strangers it stands in the log alone, so that nobody can fill the
 * database from outside.
 */
export async function noteRefusal(c: Ask, desk: Desk, reason: string, subject = ''): Promise<void> {
  const person = c.get('person');
  const { method, path } = c.req;
  const account = person?.account.id;
  desk.log.warn({ reason, method, path, subject, account, address: c.get('address') }, 'refused at the console');
  if (person === undefined) return;
  const now = desk.clock.now();
  if (!(await tryOnce(desk.db, now, `console refusals ${person.account.id}`, KEPT_REFUSALS)).allowed) return;
  const act = { action: 'console.refuse', subject, label: `${method} ${path}`, outcome: 'refused', detail: { reason } };
  await recordAudit(desk.db, now, actorOf(c, person), { ...act, outcome: 'refused' });
}
