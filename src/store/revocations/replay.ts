import type { Db, Queryable } from '#db/db.ts';
import { list, type Sql, sql } from '#db/sql.ts';
import { setDisabled, setRole } from '#store/accounts/account-changes.ts';
import type { Role } from '#store/accounts/accounts.ts';
import { deleteApplication } from '#store/applications/applications.ts';
import { endInvitation } from '#store/applications/invitations.ts';
import { syncOwnerSuspension } from '#store/applications/suspension.ts';
import { recordChanges } from '#store/game/changes.ts';
import { Keys } from '#store/sequence.ts';
import { deleteAgain, eraseAgain, gameAccountsOf, pseudonymsIn } from './erasures.ts';
import { hideAgain } from './hidden-players.ts';
import type { Revocations } from './log-reader.ts';

/**
 * Repeats the deletions and revocations of a revocation log. Each step is idempotent, so that a replay can be
 * interrupted and repeated.
 */
export interface Replayed {
  accounts_erased: number;
  players_erased: number;
  tokens_revoked: number;
  console_sessions_ended: number;
  server_keys_revoked: number;
  servers_removed: number;
  applications_deleted: number;
  secrets_withdrawn: number;
  access_withdrawn: number;
  owners_removed: number;
  consents_ended: number;
  signing_keys_withdrawn: number;
  management_removed: number;
  webhooks_removed: number;
  passkeys_removed: number;
  authenticator_apps_removed: number;
  recovery_codes_used: number;
  factor_codes_used: number;
  factor_resets_ended: number;
  mail_links_ended: number;
  invitations_ended: number;
  players_hidden: number;
  accounts_disabled: number;
  roles_lowered: number;
  /** The ids of accounts that could not be deleted, disabled or lowered, because they are the last operator. */
  last_operators: string[];
}

const BATCH_SIZE = 500;

export async function replayRevocations(db: Db, now: number, revocations: Revocations): Promise<Replayed> {
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
  const credentials = await replayCredentials(db, now, revocations);
  const factors = await replayFactors(db, revocations);
  const players_hidden = await hideAgain(db, now, revocations['hidden player']);
  return {
    ...{
      accounts_erased,
      players_erased,
      ...applications,
      ...credentials,
      ...factors,
      players_hidden,
      accounts_disabled,
      roles_lowered,
    },
    last_operators: [...last],
  };
}

async function replayCredentials(
  db: Db,
  now: number,
  revocations: Revocations,
): Promise<
  Pick<
    Replayed,
    | 'tokens_revoked'
    | 'console_sessions_ended'
    | 'server_keys_revoked'
    | 'servers_removed'
    | 'secrets_withdrawn'
    | 'signing_keys_withdrawn'
    | 'management_removed'
    | 'webhooks_removed'
  >
> {
  const { token, server, management, webhook } = revocations;
  return {
    tokens_revoked: await inBatches(db, token, (some) => sql`delete from tokens where hash in (${some})`),
    console_sessions_ended: await inBatches(
      db,
      revocations['console session'],
      (some) => sql`delete from console_sessions where hash in (${some})`,
    ),
    server_keys_revoked: await count(revocations['server key'], ([hash, expires]) =>
      changes(
        db,
        sql`
        update server_keys set expires = ${Number(expires)}
        where hash = ${hash} and (expires is null or expires > ${Number(expires)})`,
      ),
    ),
    servers_removed: await count(onlyWith(server), ([key, removed]) => removeServer(db, now, key, Number(removed))),
    secrets_withdrawn: await count(revocations['application secret'].keys(), (key) =>
      changes(db, sql`delete from application_secrets where key = ${Number(key)}`),
    ),
    signing_keys_withdrawn: await inBatches(
      db,
      revocations['signing key'],
      (some) => sql`delete from signing_keys where kid in (${some})`,
    ),
    management_removed: await count(endedIn(management), ([key, url]) =>
      changes(db, sql`delete from managed_servers where server_key = ${Number(key)} and url = ${url!}`),
    ),
    webhooks_removed: await count(webhook, ([key, state]) => endWebhook(db, Number(key), state)),
  };
}

/** What has no place in a restored database: a webhook that was removed, or is switched off. */
async function endWebhook(db: Db, key: number, state: string): Promise<boolean> {
  if (state === 'removed') return await changes(db, sql`delete from webhooks where key = ${key}`);
  const [, reason] = /^off (.*)$/.exec(state) ?? [];
  if (reason === undefined) return false;
  const off = sql`update webhooks set state = 'off', reason = ${reason} where key = ${key} and state <> 'off'`;
  return await changes(db, off);
}

type Factors =
  | 'mail_links_ended'
  | 'passkeys_removed'
  | 'authenticator_apps_removed'
  | 'recovery_codes_used'
  | 'factor_codes_used'
  | 'factor_resets_ended';

async function replayFactors(db: Db, revocations: Revocations): Promise<Pick<Replayed, Factors>> {
  const { passkey, 'authenticator app': apps, 'recovery code': recovery } = revocations;
  const { 'factor code': codes, 'factor reset': resets } = revocations;
  return {
    passkeys_removed: await inBatches(db, passkey, (some) => sql`delete from passkeys where id in (${some})`),
    authenticator_apps_removed: await inBatches(
      db,
      apps,
      (some) => sql`delete from totp_secrets where account_id || ' ' || created in (${some})`,
    ),
    recovery_codes_used: await inBatches(
      db,
      recovery,
      (some) => sql`delete from recovery_codes where hash in (${some})`,
    ),
    factor_codes_used: await inBatches(db, codes, (some) => sql`delete from factor_codes where hash in (${some})`),
    factor_resets_ended: await inBatches(db, resets, (some) => sql`delete from factor_resets where hash in (${some})`),
    mail_links_ended: await inBatches(
      db,
      revocations['mail link'],
      (some) => sql`delete from mail_tokens where hash in (${some})`,
    ),
  };
}

async function replayApplications(
  db: Db,
  { application, access, owner, consent, invitation }: Revocations,
): Promise<
  Pick<
    Replayed,
    'applications_deleted' | 'access_withdrawn' | 'owners_removed' | 'consents_ended' | 'invitations_ended'
  >
> {
  return {
    applications_deleted: await count(application.keys(), (clientId) => deleteApplication(db, clientId)),
    access_withdrawn: await count(access, ([clientId, state]) =>
      changes(
        db,
        sql`
        update applications set access = ${state}
        where client_id = ${clientId} and access = 'approved' and access <> ${state}`,
      ),
    ),
    owners_removed: await count(endedIn(owner), (pair) => removeOwner(db, pair)),
    consents_ended: await count(endedIn(consent), (pair) => endConsent(db, pair)),
    invitations_ended: await count(endedIn(invitation), ([key, account]) => endInvitation(db, Number(key), account)),
  };
}

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

const changes = async (db: Queryable, statement: Sql): Promise<boolean> => (await db.run(statement)) > 0;

async function inBatches(
  db: Db,
  subjects: ReadonlyMap<string, string>,
  statement: (some: Sql) => Sql,
): Promise<number> {
  const all = [...subjects.keys()];
  let changed = 0;
  for (let start = 0; start < all.length; start += BATCH_SIZE) {
    changed += await db.run(statement(list(all.slice(start, start + BATCH_SIZE))));
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
    const isRemoved = await changes(
      tx,
      sql`update servers set removed = ${removed} where key = ${key} and removed is null`,
    );
    if (isRemoved) await recordChanges(tx, [{ kind: 'server', key, type: 'withdrawn' }], now);
    return isRemoved;
  });
}

async function removeOwner(db: Db, [applicationKey, accountId]: readonly [string, string]): Promise<boolean> {
  const key = Number(applicationKey);
  return await db.transaction(async (tx) => {
    const removed = await changes(
      tx,
      sql`
      delete from application_owners where application_key = ${key} and account_id = ${accountId}`,
    );
    if (removed) await syncOwnerSuspension(tx, [key]);
    return removed;
  });
}

async function endConsent(db: Db, [accountId, clientId]: readonly [string, string]): Promise<boolean> {
  return await changes(db, sql`delete from consents where account_id = ${accountId} and client_id = ${clientId}`);
}

async function disable(db: Db, id: string, since: string): Promise<boolean | 'last operator'> {
  if (since === '') return false;
  const row = await db.get(sql`select 1 as found from accounts where id = ${id} and disabled is null`);
  if (row === undefined) return false;
  return (await setDisabled(db, id, Number(since))) || 'last operator';
}

const RANKS: Record<Role, number> = { user: 0, moderator: 1, operator: 2 };

async function lower(db: Db, id: string, role: Role): Promise<boolean | 'last operator'> {
  const row = await db.get<{ role: Role }>(sql`select role from accounts where id = ${id}`);
  if (row === undefined || RANKS[row.role] <= RANKS[role]) return false;
  return (await setRole(db, id, role)) || 'last operator';
}
