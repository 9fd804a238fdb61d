import { HASH_PURPOSE, keyedHashOf, type SecretKey } from '#platform/crypto/secret-key.ts';
import { seal, unseal } from '#platform/crypto/seal.ts';
import { UsageError } from '#platform/errors.ts';
import type { Queryable, Transactional } from '#db/db.ts';
import { identifier, join, type Sql, sql } from '#db/sql.ts';
import { MANAGEMENT_SECRETS } from '#store/game/watches/managed-servers.ts';
import { WEBHOOK_SECRETS } from '#store/applications/webhooks/webhooks.ts';
import { TOTP_SECRETS } from '#store/accounts/totp.ts';
import { clearImportHashes } from '#store/imports.ts';
import { deleteFormerHashKeys, formerHashKeys, secretFingerprint, saveFingerprint } from './installation.ts';
import { saveFormerHashKeys, storedFingerprint } from './installation.ts';
import { Keys } from '#store/sequence.ts';

/** What the secret key seals: by keys of which purpose, in which column. */
const SEALED = {
  signing_keys: { purpose: 'signing keys', table: 'signing_keys', key: 'kid', sealed: 'sealed' },
  first_party: { purpose: 'own client', table: 'first_party_clients', key: 'name', sealed: 'sealed_secret' },
  management_secrets: {
    purpose: MANAGEMENT_SECRETS,
    table: 'managed_servers',
    key: 'server_key',
    sealed: 'sealed_secret',
  },
  webhook_secrets: { purpose: WEBHOOK_SECRETS, table: 'webhooks', key: 'key', sealed: 'sealed_secret' },
  former_webhook_secrets: { purpose: WEBHOOK_SECRETS, table: 'webhooks', key: 'key', sealed: 'sealed_former' },
  totp_secrets: { purpose: TOTP_SECRETS, table: 'totp_secrets', key: 'account_id', sealed: 'sealed' },
};

/** The tables with keyed hashes, by the columns of their keys, of which those whose names end in `_hash` have them. */
const HASHED = {
  erased_players: { table: 'pseudonyms', key: ['uuid_hash'] },
  removed_names: { table: 'removed_names', key: ['uuid_hash', 'name_hash'] },
  managed_bans: { table: 'managed_bans', key: ['server_key', 'uuid_hash'] },
};

/**
 * Seals and hashes everything under a new secret key, in one transaction.
 * @throws UsageError if `from` is not the key of the database, or jobs are unfinished
 */
export async function changeSecretKey(db: Transactional, from: SecretKey, to: SecretKey) {
  return await db.transaction(async (tx) => {
    await Keys.lock(tx);
    await refuseUnfinishedJobs(tx);
    const stored = await storedFingerprint(tx);
    if (stored === secretFingerprint(to)) throw new UsageError('The database has this secret key already.');
    if (stored !== undefined && stored !== secretFingerprint(from)) {
      throw new UsageError(`The key of --from is not that of the database, which has fingerprint ${stored}.`);
    }
    const former = (await formerHashKeys(tx, from)) ?? [];
    const counts = {} as Record<keyof typeof SEALED | keyof typeof HASHED, number>;
    for (const name of Object.keys(SEALED) as (keyof typeof SEALED)[]) counts[name] = await reseal(tx, name, from, to);
    for (const name of Object.keys(HASHED) as (keyof typeof HASHED)[])
      counts[name] = await rehash(tx, name, keyedHashOf(to));
    await saveFormerHashKeys(tx, to, [...former, from.derive(HASH_PURPOSE)]);
    await tx.run(sql`delete from link_codes`);
    await tx.run(sql`delete from factor_mail_codes`);
    await clearImportHashes(tx);
    await saveFingerprint(tx, to);
    const { signing_keys, management_secrets, webhook_secrets, totp_secrets, erased_players } = counts;
    return { signing_keys, management_secrets, webhook_secrets, totp_secrets, erased_players };
  });
}

/** The losses of an installation without its secret key. */
export async function readLoss(db: Queryable) {
  const count = async (table: Sql): Promise<number> => Number((await db.tuple(sql`select count(*) from ${table}`))![0]);
  return {
    /** ID tokens that they have signed no longer verify. */
    signing_keys: await count(sql`signing_keys`),
    /** They are recorded under their own names when they play again. */
    erased_players: await count(sql`pseudonyms`),
    /** They have to be entered again. */
    management_secrets: await count(sql`managed_servers`),
    /** The webhooks are switched off, and have to be added again. */
    webhook_secrets: await count(sql`webhooks`),
    /** The codes of the apps are refused, so the owners need a passkey or a recovery code. */
    totp_secrets: await count(sql`totp_secrets`),
  };
}

/** Deletes what only the lost secret key can read, and accepts the new one. The records of erased players stay erased. */
export async function resetSecretKey(db: Transactional, to: SecretKey): ReturnType<typeof readLoss> {
  return await db.transaction(async (tx) => {
    await Keys.lock(tx);
    await refuseUnfinishedJobs(tx);
    const loss = await readLoss(tx);
    await tx.run(sql`delete from signing_keys`);
    await tx.run(sql`delete from link_codes`);
    await tx.run(sql`delete from factor_mail_codes`);
    await tx.run(sql`delete from managed_bans`);
    await clearImportHashes(tx);
    await deleteFormerHashKeys(tx);
    await saveFingerprint(tx, to);
    return loss;
  });
}

/** Jobs name erased players by their hashes. */
async function refuseUnfinishedJobs(tx: Queryable): Promise<void> {
  if ((await tx.tuple(sql`select key from jobs where finished is null limit 1`)) === undefined) return;
  throw new UsageError('Jobs are unfinished: `scorehall job list` shows them. Let the service finish them first.');
}

/**
 * Seals the rows of a table under the new key. A row that cannot be unsealed is not changed: the service then refuses
 * to start for a signing key, issues a new secret for a first-party client, asks for the secret of a management
 * connection, and switches a webhook off. The codes of an authenticator app are then refused; its owner needs a passkey or a recovery code.
 */
async function reseal(tx: Queryable, name: keyof typeof SEALED, from: SecretKey, to: SecretKey): Promise<number> {
  const { purpose, ...names } = SEALED[name];
  const [table, key, sealed] = [names.table, names.key, names.sealed].map(identifier) as [Sql, Sql, Sql];
  const [oldKey, newKey] = [from.derive(purpose), to.derive(purpose)];
  const rows = await tx.tuples(sql`select ${key}, ${sealed} from ${table} where ${sealed} is not null`);
  for (const [id, value] of rows as [string | number, string][]) {
    const text = unseal(oldKey, value);
    if (text === undefined && name === 'signing_keys') {
      throw new UsageError('The key of --from cannot decrypt the signing keys: it is not the key of this database.');
    }
    if (text !== undefined)
      await tx.run(sql`update ${table} set ${sealed} = ${seal(newKey, text)} where ${key} = ${id}`);
  }
  return rows.length;
}

async function rehash(tx: Queryable, name: keyof typeof HASHED, hashOf: (text: string) => string): Promise<number> {
  const { table, key } = HASHED[name];
  const columns = key.map(identifier);
  const rows = await tx.tuples(sql`select ${join(columns)} from ${identifier(table)}`);
  for (const row of rows) {
    const after = row.map((value, place) => (key[place]!.endsWith('_hash') ? hashOf(String(value)) : value));
    const [set, same] = [after, row].map((values) =>
      columns.map((column, place) => sql`${column} = ${values[place]!}`),
    );
    await tx.run(sql`update ${identifier(table)} set ${join(set!)} where ${join(same!, ' and ')}`);
  }
  return rows.length;
}
