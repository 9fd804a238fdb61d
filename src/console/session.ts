import { secretHash } from '#platform/crypto/secrets.ts';
import { countAttempt } from '#store/accounts/throttle.ts';
import { type Actor, recordAudit } from '#store/audit/audit.ts';
import { findConsoleSession } from '#store/accounts/console-sessions.ts';
import type { Context, Deps, Person } from './deps.ts';

export const SESSION_COOKIE = 'session';

export async function personOf(c: Context, deps: Deps): Promise<Person | undefined> {
  const cookie = deps.cookies.get(c, SESSION_COOKIE);
  if (cookie === undefined) return undefined;
  const found = await findConsoleSession(deps.db, deps.clock.now(), cookie);
  if (found === undefined) return undefined;
  const { account, hash: session } = found;
  return { account, session, formToken: secretHash(`form ${cookie}`), isOperator: account.role === 'operator' };
}

export function actorOf(c: Context, person: Person | undefined): Actor {
  const { id = null, name = '' } = person?.account ?? {};
  const isOperator = person?.isOperator ?? false;
  return { via: 'console', account_id: id, name, address: c.get('address'), isOperator };
}

/** So much of what one person is refused is kept; the rest stands in the log alone. */
const LIMIT_REFUSALS = { attempts: 200, windowMs: 3_600_000 };

/**
 * Keeps that something was asked for and refused. Of strangers it stands in the log alone, so that nobody can fill the
 * database from outside.
 */
export async function auditRefusal(c: Context, deps: Deps, reason: string, subject = ''): Promise<void> {
  const person = c.get('person');
  const { method, path } = c.req;
  const account = person?.account.id;
  deps.log.warn({ reason, method, path, subject, account, address: c.get('address') }, 'refused at the console');
  if (person === undefined) return;
  const now = deps.clock.now();
  if (!(await countAttempt(deps.db, now, `console refusals ${person.account.id}`, LIMIT_REFUSALS)).allowed) return;
  const act = { action: 'console.refuse', subject, label: `${method} ${path}`, outcome: 'refused', detail: { reason } };
  await recordAudit(deps.db, now, actorOf(c, person), { ...act, outcome: 'refused' });
}
