import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { endApplications, endSessions } from './account-sessions.ts';
import { type Account, accountById } from './accounts.ts';
import { eraseFromAudit } from '#store/audit/erasure.ts';
import { pseudonymise } from './pseudonyms.ts';
import { syncOwnerSuspension, keysOwnedBy } from '#store/applications/suspension.ts';

/**
 * Deletes an account with its sessions, tokens and consents, and its personal data in the audit log. Applications without
 * another owner are suspended. The statistics of the linked game account continue under a pseudonym; `rewriteLedger`
 * afterwards replaces the game account in the stored events.
 * @returns the deleted account; undefined if there is none
 */
export async function deleteAccount(db: Db, now: number, id: string): Promise<Account | undefined> {
  return await db.transaction(async (tx) => {
    const account = await accountById(tx, id);
    if (account === undefined) return undefined;
    await endSessions(tx, id);
    await endApplications(tx, id);
    const owned = await keysOwnedBy(tx, id);
    await tx.run(sql`delete from accounts where id = ${id}`);
    await syncOwnerSuspension(tx, owned);
    await eraseFromAudit(tx, account);
    if (account.player_uuid !== null) await pseudonymise(tx, now, account.player_uuid);
    return account;
  });
}
