import type { Queryable, Transactional } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { endApplications, endSessions, sessionsOf } from './account-sessions.ts';
import { isLastOperator } from './account-changes.ts';
import { accountById } from './accounts.ts';
import { connectedApplications } from './consents.ts';
import { eraseFromAudit } from '#store/audit/erasure.ts';
import { Keys } from '#store/sequence.ts';
import { type Pseudonym, pseudonymise } from './pseudonyms.ts';
import { ownedAlone, syncOwnerSuspension, keysOwnedBy } from '#store/applications/suspension.ts';

/**
 * Deletes an account with its sessions, tokens and consents, and its personal data in the audit log. Applications
 * without another owner are suspended. The statistics of the linked game account continue under a pseudonym; a job
 * afterwards replaces the game account in the stored events.
 * @param known as for `pseudonymise`
 * @returns the key of that job, if it is linked; undefined if there is no such account; `last operator` if it is the only
 * operator and is not deleted
 */
export async function deleteAccount(
  db: Transactional,
  now: number,
  id: string,
  known?: ReadonlyMap<string, Pseudonym>,
): Promise<{ job: number | undefined } | 'last operator' | undefined> {
  return await db.transaction(async (tx) => {
    // First, because events that rename or link a player hold this lock while they wait for the row of the account.
    await Keys.lock(tx);
    const account = await accountById(tx, id);
    if (account === undefined) return undefined;
    if (await isLastOperator(tx, id)) return 'last operator';
    await endSessions(tx, id);
    await endApplications(tx, id);
    await tx.run(sql`delete from tokens where account_id = ${id}`);
    const owned = await keysOwnedBy(tx, id);
    await tx.run(sql`delete from accounts where id = ${id}`);
    await syncOwnerSuspension(tx, owned);
    await eraseFromAudit(tx, account.id);
    const { player_uuid } = account;
    return { job: player_uuid === null ? undefined : await pseudonymise(tx, now, player_uuid, known) };
  });
}

export interface AccountImpact {
  sessions: number;
  /** The names of the applications that lose their access. */
  connected: string[];
  /** The names of the applications that it owns alone, which are suspended. */
  suspended: string[];
}

export async function accountImpact(db: Queryable, now: number, id: string): Promise<AccountImpact> {
  const sessions = (await sessionsOf(db, id, now)).length;
  const connected = (await connectedApplications(db, id)).map(({ name }) => name);
  return { sessions, connected, suspended: await ownedAlone(db, id) };
}
