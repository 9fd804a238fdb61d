import type { Account } from '#records/accounts.ts';
import { type Act, recordAudit } from '#records/audit.ts';
import type { Ask, Desk } from './desk.ts';

/**
 * Keeps that somebody has changed a credential, a session or what an application may see. Behind the answer, so that no
 * answer tells by its time what was kept.
 */
export function record(c: Ask, desk: Desk, account: Pick<Account, 'id' | 'name'> | undefined, act: Act): void {
  const { address } = c.get('visit');
  const { id = null, name = '' } = account ?? {};
  const actor = { via: 'sign-in', account_id: id, name, address } as const;
  const subject = account === undefined ? {} : { subject: account.id, label: account.name };
  const now = desk.clock.now();
  desk.later(() => recordAudit(desk.db, now, actor, { ...subject, ...act }));
}
