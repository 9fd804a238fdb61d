import type { Transaction } from '#db/db.ts';
import type { Account } from '#store/accounts/accounts.ts';
import { type Act, recordAudit } from '#store/audit/audit.ts';
import type { Context, Deps } from './deps.ts';

type Person = Pick<Account, 'id' | 'name'> | undefined;

/** Writes an audit entry for a change of a credential, session or grant, in its transaction. */
export async function record(tx: Transaction, c: Context, deps: Deps, account: Person, act: Act): Promise<void> {
  const { address } = c.get('client');
  const { id = null, name = '' } = account ?? {};
  const actor = { via: 'sign-in', account_id: id, name, address } as const;
  const subject = account === undefined ? {} : { subject: account.id, label: account.name };
  await recordAudit(tx, deps.clock.now(), actor, { ...subject, ...act });
}

/**
 * Writes an entry about what was refused and has changed nothing. It is written after the response, so that the response time
 * does not reveal whether there was an entry to write.
 */
export function recordRefusal(c: Context, deps: Deps, account: Person, act: Act): void {
  deps.background.run(() => deps.db.transaction((tx) => record(tx, c, deps, account, act)));
}
