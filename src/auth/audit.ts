import type { Account } from '#store/accounts/accounts.ts';
import { type Act, recordAudit } from '#store/audit/audit.ts';
import type { Context, Deps } from './deps.ts';

/**
 * Writes an audit entry for a changed credential, session or grant. It is written after the response, so that the response
 * time does not reveal whether there was an entry to write.
 */
export function record(c: Context, deps: Deps, account: Pick<Account, 'id' | 'name'> | undefined, act: Act): void {
  const { address } = c.get('client');
  const { id = null, name = '' } = account ?? {};
  const actor = { via: 'sign-in', account_id: id, name, address } as const;
  const subject = account === undefined ? {} : { subject: account.id, label: account.name };
  const now = deps.clock.now();
  deps.background.run(() => deps.db.transaction((tx) => recordAudit(tx, now, actor, { ...subject, ...act })));
}
