import { HASH_PURPOSE, keyedHashOf, type SecretKey } from '#platform/crypto/secret-key.ts';
import { seal, unseal } from '#platform/crypto/seal.ts';
import { UsageError } from '#platform/errors.ts';
import type { Queryable, Transactional } from '#db/db.ts';
import { identifier, type Sql, sql } from '#db/sql.ts';
import { MANAGEMENT_SECRETS } from '#store/game/watches/managed-servers.ts';
import { WEBHOOK_SECRETS } from '#store/applications/webhooks/webhooks.ts';
import { TOTP_SECRETS } from '#store/accounts/totp.ts';
import { clearImportHashes } from '#store/imports.ts';
import { deleteFormerHashKeys, formerHashKeys, secretFingerprint, saveFingerprint } from './installation.ts';
import { saveFormerHashKeys, storedFingerprint } from './installation.ts';
import { Keys } from '#store/sequence.ts';

const BATCH_SIZE = 500;

/** What the secret key seals: by keys of which purpose, in which column. */
const SEALED = {
  signing_keys: { purpose: 'signing keys', table: 'signing_keys', key: 'kid', sealed: 'sealed' },
  first_party: { purpose: 'own client', table: 'first_party_clients', key: 'name', sealed: 'sealed_secret' },
  management: { purpose: MANAGEMENT_SECRETS, table: 'managed_servers', key: 'server_key', sealed: 'sealed_secret' },
  webhooks: { purpose: WEBHOOK_SECRETS, table: 'webhooks', key: 'key', sealed: 'sealed_secret' },
  former_webhooks: { purpose: WEBHOOK_SECRETS, table: 'webhooks', key: 'key', sealed: 'sealed_former' },
  apps: { purpose: TOTP_SECRETS, table: 'totp_secrets', key: 'account_id', sealed: 'sealed' },
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
    const resealed = (name: keyof typeof SEALED): Promise<number> => reseal(tx, name, from, to);
    const signing_keys = await resealed('signing_keys');
    await resealed('first_party');
    const management_secrets = await resealed('management');
    const webhook_secrets = await resealed('webhooks');
    await resealed('former_webhooks');
    const totp_secrets = await resealed('apps');
    const erased_players = await rehash(tx, keyedHashOf(to));
    await rehashBans(tx, keyedHashOf(to));
    await rehashNames(tx, keyedHashOf(to));
    await saveFormerHashKeys(tx, to, [...former, from.derive(HASH_PURPOSE)]);
    await tx.run(sql`delete from link_codes`);
    await tx.run(sql`delete from factor_mail_codes`);
    await clearImportHashes(tx);
    await saveFingerprint(tx, to);
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

async function rehash(tx: Queryable, hashOf: (text: string) => string): Promise<number> {
  let count = 0;
  for (let last = ''; ;) {
    const rows = await tx.tuples(sql`
      select uuid, uuid_hash from pseudonyms where uuid > ${last} order by uuid limit ${BATCH_SIZE}`);
    for (const [uuid, hash] of rows as [string, string][]) {
      await tx.run(sql`update pseudonyms set uuid_hash = ${hashOf(hash)} where uuid = ${uuid}`);
    }
    count += rows.length;
    if (rows.length < BATCH_SIZE) return count;
    last = String(rows.at(-1)![0]);
  }
}

async function rehashNames(tx: Queryable, hashOf: (text: string) => string): Promise<void> {
  const rows = (await tx.tuples(sql`select uuid_hash, name_hash from removed_names`)) as [string, string][];
  for (const [uuid, name] of rows) {
    await tx.run(sql`
      update removed_names set uuid_hash = ${hashOf(uuid)}, name_hash = ${hashOf(name)}
      where uuid_hash = ${uuid} and name_hash = ${name}`);
  }
}

/** The bans that managed servers listed name their players by keyed hashes. */
async function rehashBans(tx: Queryable, hashOf: (text: string) => string): Promise<void> {
  const rows = (await tx.tuples(sql`select server_key, uuid_hash from managed_bans`)) as [number, string][];
  for (const [server, hash] of rows) {
    await tx.run(sql`
      update managed_bans set uuid_hash = ${hashOf(hash)} where server_key = ${server} and uuid_hash = ${hash}`);
  }
}
