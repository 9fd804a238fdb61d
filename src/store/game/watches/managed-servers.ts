import { seal, unseal } from '#platform/crypto/seal.ts';
import type { SecretKey } from '#platform/crypto/secret-key.ts';
import { changesRow, type Db, type Queryable, type Transactional } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** Game servers that are followed by the Minecraft Server Management Protocol. */

/** Why a server is not followed at the moment. */
export type ManageReason =
  | 'timeout'
  | 'refused'
  | 'unreachable'
  | 'not_found'
  | 'certificate'
  | 'unauthorized'
  | 'wrong_answer'
  | 'too_large'
  | 'too_many_players'
  | 'closed'
  | 'secret_unreadable';
type ManageState = ManageReason | 'connected';

/** The settings of an operator. */
export interface ManageTarget {
  /** In the form of `readManagementUrl`. */
  url: string;
  /** Certificates of the authorities that the server's certificate must come from, in PEM; empty: those of Node. */
  ca: string;
}

export interface Managed extends ManageTarget {
  /** Null before the first attempt. */
  state: ManageState | null;
  since: number | null;
  /** The last contact with the server; null before the first. */
  contact: number | null;
}

/** A server that this process follows. */
export interface HeldServer extends ManageTarget {
  serverKey: number;
  serverName: string;
  /** Changes with each change of the connection. */
  revision: number;
  sealedSecret: string;
  contact: number | null;
}

/** The purpose of the key that seals the secrets. */
export const MANAGEMENT_SECRETS = 'management secrets';

const COLUMNS = sql`m.url, m.ca, nullif(m.state, '') as state, m.since, m.contact`;

export const managedServer = (db: Queryable, serverKey: number): Promise<Managed | undefined> =>
  db.get(sql`select ${COLUMNS} from managed_servers m where m.server_key = ${serverKey}`);

/** Every managed server with its name, in the order of the servers' keys. */
export const listManaged = (db: Queryable): Promise<(Managed & { server: string })[]> =>
  db.all(sql`
    select s.name as server, ${COLUMNS}
    from managed_servers m join servers s on s.key = m.server_key order by m.server_key`);

/**
 * Follows a server from now on, or over another connection. What it reported before stays, so that the next connection
 * reports the difference.
 */
export async function setManaged(
  db: Transactional,
  key: SecretKey,
  serverKey: number,
  { url, ca, secret }: ManageTarget & { secret: string },
): Promise<void> {
  const sealed = seal(key.derive(MANAGEMENT_SECRETS), secret);
  await db.run(sql`
    insert into managed_servers (server_key, url, sealed_secret, ca, revision, holder, held_until, state, since, contact)
    values (${serverKey}, ${url}, ${sealed}, ${ca}, 1, '', 0, '', null, null)
    on conflict (server_key) do update set url = excluded.url, sealed_secret = excluded.sealed_secret, ca = excluded.ca,
      revision = managed_servers.revision + 1, state = '', since = null`);
}

/** @returns whether the server was managed */
export const removeManaged = (db: Queryable, serverKey: number): Promise<boolean> =>
  changesRow(db, sql`delete from managed_servers where server_key = ${serverKey}`);

/** @returns undefined if the secret was sealed under another secret key */
export function openSecret(key: SecretKey, { sealedSecret }: Pick<HeldServer, 'sealedSecret'>): string | undefined {
  return unseal(key.derive(MANAGEMENT_SECRETS), sealedSecret);
}

/** Whether a server is followed with this secret. */
export async function hasManagementSecret(
  db: Queryable,
  key: SecretKey,
  serverKey: number,
  secret: string,
): Promise<boolean> {
  const row = await db.get<{ sealed_secret: string }>(sql`
    select sealed_secret from managed_servers where server_key = ${serverKey}`);
  return row !== undefined && openSecret(key, { sealedSecret: row.sealed_secret }) === secret;
}

/** The servers that a process follows. */
export const heldServers = (db: Queryable, holder: string): Promise<HeldServer[]> =>
  db.all(sql`
    select m.server_key as "serverKey", s.name as "serverName", m.url, m.ca, m.revision,
      m.sealed_secret as "sealedSecret", m.contact
    from managed_servers m join servers s on s.key = m.server_key where m.holder = ${holder}`);

type Held = Pick<HeldServer, 'serverKey' | 'revision'>;

/**
 * Locks the server for this transaction and records the contact.
 * @returns false if another process has the lease, or the connection was changed
 */
export const touchHeld = async (
  tx: Queryable,
  now: number,
  holder: string,
  { serverKey, revision }: Held,
): Promise<boolean> =>
  (await tx.run(sql`
    update managed_servers set contact = ${now}
    where server_key = ${serverKey} and holder = ${holder} and revision = ${revision}`)) > 0;

/** Stores the state of the connection. @returns whether it differs from the stored one */
export const recordManageState = async (
  db: Db,
  now: number,
  holder: string,
  { serverKey, revision }: Held,
  state: ManageState,
): Promise<boolean> =>
  (await db.run(sql`
    update managed_servers set state = ${state}, since = ${now}
    where server_key = ${serverKey} and holder = ${holder} and revision = ${revision} and state <> ${state}`)) > 0;
