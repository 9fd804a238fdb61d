import { idOf, keyOf } from '#platform/ids.ts';
import { newSecret, secretHash } from '#platform/crypto/secrets.ts';
import { flag, type Queryable, rowReader, type Transactional } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { nextKey } from '../sequence.ts';
import type { PunishmentScope } from './servers.ts';

/**
 * A secret key with which a game server sends events. A server has several valid keys while one replaces another. Events
 * sent with a test key are validated and receipted, but not stored.
 */
export interface ServerKey {
  id: string;
  test: boolean;
  created: number;
  /** The expiry, epoch milliseconds; null if it does not expire. */
  expires: number | null;
}

/** The server that a secret key authenticates; `credential` is the primary key of the secret key. */
export interface Credential {
  credential: number;
  serverKey: number;
  serverName: string;
  test: boolean;
}

const toCredential = rowReader<Credential>({ test: flag });

const PREFIX = 'shk_';
const TEST_PREFIX = 'shk_test_';

/** Creates a key for a server. Its text is shown only once; the database holds its hash. */
export async function createServerKey(db: Transactional, now: number, server: number, test = false): Promise<string> {
  const secret = newSecret(test ? TEST_PREFIX : PREFIX);
  await db.transaction(async (tx) => {
    const key = await nextKey(tx, now);
    await tx.run(sql`
      insert into server_keys (key, server_key, hash, test, created, expires)
      values (${key}, ${server}, ${secretHash(secret)}, ${test ? 1 : 0}, ${now}, null)`);
  });
  return secret;
}

/** Creates a new key. The old keys keep working for `overlapMs`. */
export async function rotateServerKey(
  db: Transactional,
  now: number,
  server: number,
  overlapMs: number,
): Promise<string> {
  return await db.transaction(async (tx) => {
    const secret = await createServerKey(tx, now, server);
    await tx.run(sql`
      update server_keys set expires = ${now + overlapMs}
      where server_key = ${server} and test = 0 and hash <> ${secretHash(secret)}
        and (expires is null or expires > ${now + overlapMs})`);
    return secret;
  });
}

/**
 * Revokes one key, or all keys of a server, with immediate effect.
 * @returns the number of keys that were still valid
 */
export async function revokeServerKeys(db: Queryable, now: number, serverKey: number, id?: string): Promise<number> {
  const onlyThis = id === undefined ? sql`` : sql`and key = ${keyOf(id) ?? 0}`;
  return await db.run(sql`
    update server_keys set expires = ${now}
    where server_key = ${serverKey} and (expires is null or expires > ${now}) ${onlyThis}`);
}

export async function listServerKeys(db: Queryable, serverKey: number): Promise<ServerKey[]> {
  const rows = await db.all(sql`
    select key as id, test, created, expires from server_keys where server_key = ${serverKey} order by key`);
  return rows.map(rowReader<ServerKey>({ id: idOf, test: flag }));
}

/** The server that a key is of, also if the key is revoked. */
export const serverOfKey = (db: Queryable, key: number): Promise<{ key: number; name: string } | undefined> =>
  db.get(sql`
    select s.key, s.name from server_keys k join servers s on s.key = k.server_key where k.key = ${key}`);

/** Whether a credential has the form of a server's key; it may be unknown. */
export const isServerKey = (secret: string): boolean => secret.startsWith(PREFIX);

/** Authenticates a key; undefined if it is unknown, revoked or expired, or its server was removed. */
export async function findServerKey(db: Queryable, secret: string, now: number): Promise<Credential | undefined> {
  if (!isServerKey(secret)) return undefined;
  const row = await db.get(sql`
    select k.key as credential, k.server_key as "serverKey", s.name as "serverName", k.test from server_keys k join servers s on s.key = k.server_key
    where k.hash = ${secretHash(secret)} and (k.expires is null or k.expires > ${now}) and s.removed is null`);
  return row && toCredential(row);
}

/** The punishments that a key may change; undefined if the key is revoked or expired, or its server was removed. */
export async function keyAuthority(
  db: Queryable,
  serverKey: number,
  credential: number,
  now: number,
): Promise<PunishmentScope | undefined> {
  const row = await db.get<{ punishments: PunishmentScope }>(sql`
    select s.punishments from servers s join server_keys k on k.key = ${credential}
    where s.key = ${serverKey} and s.removed is null and (k.expires is null or k.expires > ${now})`);
  return row?.punishments;
}
