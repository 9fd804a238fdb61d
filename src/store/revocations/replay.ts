import { chunksOf } from '#platform/streams/chunks.ts';
import { changesRow, type Db, exists } from '#db/db.ts';
import { list, type Sql, sql } from '#db/sql.ts';
import { setDisabled, setRole } from '#store/accounts/account-changes.ts';
import type { Role } from '#store/accounts/accounts.ts';
import { deleteApplication } from '#store/applications/applications.ts';
import { endInvitation } from '#store/applications/owners.ts';
import { syncOwnerSuspension } from '#store/applications/suspension.ts';
import { recordChanges } from '#store/game/changes.ts';
import { endNoticeAgain } from '#store/mail/punishment-notices.ts';
import { Keys } from '#store/sequence.ts';
import { deleteAgain, eraseAgain, gameAccountsOf, hideAgain, pseudonymsIn, removeNameAgain } from './erasures.ts';
import type { RevocationKind, Revocations } from './log-reader.ts';

const BATCH_SIZE = 500;

/**
 * Repeats the deletions and revocations of a revocation log. Each step is idempotent, so that a replay can be
 * interrupted and repeated.
 * @returns counts, and the ids of accounts that could not be deleted, disabled or lowered, because they are the last operator
 */
export async function replayRevocations(db: Db, now: number, revocations: Revocations) {
  const last = new Set<string>();
  const known = pseudonymsIn(revocations);
  const { account, disabled, role } = revocations;
  const accounts_erased = await count(account.keys(), (id) => deleteAgain(db, now, id, known), last);
  const found = await gameAccountsOf(db, known);
  const players_erased = await count(known.keys(), (hash) => eraseAgain(db, now, hash, { known, found }));
  const accounts_disabled = await count(disabled, ([id, since]) => disable(db, id, since), last);
  const roles_lowered = await count(role, ([id, name]) => lower(db, id, name as Role), last);
  // Applications first, because their secrets, tokens and owners are deleted with them.
  const applications = await replayApplications(db, revocations);
  const { management_removed, webhooks_removed, ...credentials } = await replayCredentials(db, now, revocations);
  const deleted = await replayDeleted(db, revocations);
  const { tokens_revoked, console_sessions_ended, signing_keys_withdrawn, ...factors } = deleted;
  const names_removed = await count(revocations['removed name'], (removal) => removeNameAgain(db, now, removal));
  const punishment_mails_ended = await count(revocations['punishment notice'], (line) => endNoticeAgain(db, line));
  const players_hidden = await hideAgain(db, now, revocations['hidden player']);
  return {
    ...{ accounts_erased, players_erased, ...applications, tokens_revoked, console_sessions_ended, ...credentials },
    ...{ signing_keys_withdrawn, management_removed, webhooks_removed, ...factors },
    ...{
      names_removed,
      players_hidden,
      punishment_mails_ended,
      accounts_disabled,
      roles_lowered,
      last_operators: [...last],
    },
  };
}

/** The credentials that lines of a kind delete, with the table and what its rows have of the subjects of the lines. */
const DELETED = {
  tokens_revoked: { kind: 'token', rows: sql`tokens where hash` },
  console_sessions_ended: { kind: 'console session', rows: sql`console_sessions where hash` },
  signing_keys_withdrawn: { kind: 'signing key', rows: sql`signing_keys where kid` },
  passkeys_removed: { kind: 'passkey', rows: sql`passkeys where id` },
  authenticator_apps_removed: { kind: 'authenticator app', rows: sql`totp_secrets where account_id || ' ' || created` },
  recovery_codes_used: { kind: 'recovery code', rows: sql`recovery_codes where hash` },
  factor_codes_used: { kind: 'factor code', rows: sql`factor_codes where hash` },
  factor_resets_ended: { kind: 'factor reset', rows: sql`factor_resets where hash` },
  mail_links_ended: { kind: 'mail link', rows: sql`mail_tokens where hash` },
} as const satisfies Record<string, { kind: RevocationKind; rows: Sql }>;

async function replayDeleted(db: Db, revocations: Revocations): Promise<Record<keyof typeof DELETED, number>> {
  const counts = {} as Record<keyof typeof DELETED, number>;
  for (const name of Object.keys(DELETED) as (keyof typeof DELETED)[]) {
    const { kind, rows } = DELETED[name];
    counts[name] = 0;
    for (const some of chunksOf([...revocations[kind].keys()], BATCH_SIZE))
      counts[name] += await db.run(sql`delete from ${rows} in (${list(some)})`);
  }
  return counts;
}

async function replayCredentials(db: Db, now: number, { server, management, webhook, ...revocations }: Revocations) {
  return {
    server_keys_revoked: await count(revocations['server key'], ([hash, expires]) => endKey(db, hash, Number(expires))),
    servers_removed: await count(onlyWith(server), ([key, removed]) => removeServer(db, now, key, Number(removed))),
    secrets_withdrawn: await count(revocations['application secret'].keys(), (key) =>
      changesRow(db, sql`delete from application_secrets where key = ${Number(key)}`),
    ),
    management_removed: await count(endedIn(management), ([key, url]) =>
      changesRow(db, sql`delete from managed_servers where server_key = ${Number(key)} and url = ${url!}`),
    ),
    webhooks_removed: await count(webhook, ([key, state]) => endWebhook(db, Number(key), state)),
  };
}

const endKey = async (db: Db, hash: string, expires: number): Promise<boolean> =>
  (await db.run(sql`
    update server_keys set expires = ${expires} where hash = ${hash} and (expires is null or expires > ${expires})`)) >
  0;

/** What has no place in a restored database: a webhook that was removed, or is switched off. */
async function endWebhook(db: Db, key: number, state: string): Promise<boolean> {
  if (state === 'removed') return await changesRow(db, sql`delete from webhooks where key = ${key}`);
  const [, reason] = /^off (.*)$/.exec(state) ?? [];
  if (reason === undefined) return false;
  const off = sql`update webhooks set state = 'off', reason = ${reason} where key = ${key} and state <> 'off'`;
  return await changesRow(db, off);
}

async function replayApplications(db: Db, { application, access, owner, consent, invitation }: Revocations) {
  return {
    applications_deleted: await count(application.keys(), (clientId) => deleteApplication(db, clientId)),
    access_withdrawn: await count(access, ([clientId, state]) => withdrawAccess(db, clientId, state)),
    owners_removed: await count(endedIn(owner), (pair) => removeOwner(db, pair)),
    consents_ended: await count(endedIn(consent), ([account, client]) =>
      changesRow(db, sql`delete from consents where account_id = ${account} and client_id = ${client}`),
    ),
    invitations_ended: await count(endedIn(invitation), ([key, account]) => endInvitation(db, Number(key), account)),
  };
}

const withdrawAccess = async (db: Db, clientId: string, state: string): Promise<boolean> =>
  (await db.run(sql`
    update applications set access = ${state}
    where client_id = ${clientId} and access = 'approved' and access <> ${state}`)) > 0;

/** Counts the changed subjects; the last operator, who is not changed, is added to `last`. */
async function count<T>(
  subjects: Iterable<T>,
  change: (subject: T) => Promise<boolean | 'last operator'>,
  last = new Set<string>(),
): Promise<number> {
  let changed = 0;
  for (const subject of subjects) {
    const outcome = await change(subject);
    if (outcome === 'last operator') last.add(Array.isArray(subject) ? String(subject[0]) : String(subject));
    else if (outcome) changed++;
  }
  return changed;
}

/** The subjects whose last state is not empty; an empty one reverts an earlier line. */
const onlyWith = (states: ReadonlyMap<string, string>): [string, string][] => [...states].filter(([, state]) => state);

const GIVEN: ReadonlySet<string> = new Set(['added', 'given']);

/** The pairs of keys whose last state is an end. */
const endedIn = (states: ReadonlyMap<string, string>): [string, string][] =>
  [...states]
    .filter(([, state]) => !GIVEN.has(state))
    .map(([pair]) => {
      const [first = '', second = ''] = pair.split(' ');
      return [first, second];
    });

async function removeServer(db: Db, now: number, id: string, removed: number): Promise<boolean> {
  const key = Number(id);
  return await db.transaction(async (tx) => {
    await Keys.lock(tx);
    const removal = sql`update servers set removed = ${removed} where key = ${key} and removed is null`;
    const isRemoved = await changesRow(tx, removal);
    if (isRemoved) await recordChanges(tx, [{ kind: 'server', key, type: 'withdrawn' }], now);
    return isRemoved;
  });
}

async function removeOwner(db: Db, [applicationKey, accountId]: readonly [string, string]): Promise<boolean> {
  const key = Number(applicationKey);
  return await db.transaction(async (tx) => {
    const removal = sql`delete from application_owners where application_key = ${key} and account_id = ${accountId}`;
    const removed = await changesRow(tx, removal);
    if (removed) await syncOwnerSuspension(tx, [key]);
    return removed;
  });
}

async function disable(db: Db, id: string, since: string): Promise<boolean | 'last operator'> {
  if (since === '') return false;
  if (!(await exists(db, sql`select 1 as found from accounts where id = ${id} and disabled is null`))) return false;
  return (await setDisabled(db, id, Number(since))) || 'last operator';
}

const RANKS: Record<Role, number> = { user: 0, moderator: 1, operator: 2 };

async function lower(db: Db, id: string, role: Role): Promise<boolean | 'last operator'> {
  const row = await db.get<{ role: Role }>(sql`select role from accounts where id = ${id}`);
  if (row === undefined || RANKS[row.role] <= RANKS[role]) return false;
  return (await setRole(db, id, role)) || 'last operator';
}
