import { staffNeedsFactor } from '#platform/config/plain-http.ts';
import { SITE_SESSION } from '#http/cookies.ts';
import { deriveFormToken } from '#http/form.ts';
import { countIn } from '#http/rate-limits.ts';
import { type Actor, recordAudit } from '#store/audit/audit.ts';
import { findConsoleSession } from '#store/accounts/console-sessions.ts';
import { hasFactor } from '#store/accounts/factors.ts';
import type { Context, Deps, Person } from './deps.ts';

/** The signed-in person of a request; undefined without a valid session. */
export async function personOf(c: Context, deps: Deps): Promise<Person | undefined> {
  const cookie = deps.cookies.get(c, SITE_SESSION);
  if (cookie === undefined) return undefined;
  const found = await findConsoleSession(deps.db, deps.clock.now(), cookie);
  if (found === undefined) return undefined;
  const { account, hash: session, authenticated } = found;
  const isOperator = account.role === 'operator';
  const isStaff = isOperator || account.role === 'moderator';
  const lacksFactor = isStaff && staffNeedsFactor(deps.config) && !(await hasFactor(deps.db, account.id));
  return { account, session, formToken: deriveFormToken(cookie), authenticated, isOperator, isStaff, lacksFactor };
}

/**
 * The actor of audit entries; without a person, an anonymous one with its address.
 * @param isStaffAct whether this is an act of a moderator or operator: then the entry keeps the name
 */
export function actorOf(c: Context, person: Person | undefined, isStaffAct = false): Actor {
  const { id = null, name = '' } = person?.account ?? {};
  const isOperator = isStaffAct || (person?.isOperator ?? false);
  return { via: 'console', account_id: id, name, address: c.get('address'), isOperator };
}

/**
 * Records a refused request in the audit log and the process log. Requests without a session are only logged, so
 * that they cannot fill the database.
 */
export async function auditRefusal(c: Context, deps: Deps, reason: string, subject = ''): Promise<void> {
  const person = c.get('person');
  const { method, path } = c.req;
  const account = person?.account.id;
  deps.log.warn({ reason, method, path, subject, account, address: c.get('address') }, 'console request refused');
  if (person === undefined) return;
  if (!(await countIn(deps.db, deps, 'consoleRefusal', { account: person.account.id })).allowed) return;
  const label = `${method} ${path}`;
  const act = { action: 'console.refuse', subject, label, outcome: 'refused', detail: { reason } } as const;
  await deps.db.transaction((tx) => recordAudit(tx, deps.clock.now(), actorOf(c, person), act));
}
