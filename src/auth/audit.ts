import type { Account } from '#store/accounts/accounts.ts';
import { type Act, recordAudit } from '#store/audit/audit.ts';
import type { Context, Deps } from './deps.ts';

/**
 * Keeps that somebody has changed a credential, a session or what an application may see. Behind the answer, so that no
 * answer tells by its time what was kept.
 */
export function record(c: Context, deps: Deps, account: Pick<Account, 'id' | 'name'> | undefined, act: Act): void {
  const { address } = c.get('client');
  const { id = null, name = '' } = account ?? {};
  const actor = { via: 'sign-in', account_id: id, name, address } as const;
  const subject = account === undefined ? {} : { subject: account.id, label: account.name };
  const now = deps.clock.now();
  deps.background.run(() => recordAudit(deps.db, now, actor, { ...subject, ...act }));
}
