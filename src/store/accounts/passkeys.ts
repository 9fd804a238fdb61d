import { allAs, changesRow, flag, getAs, json, type Queryable, rowReader } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { secretHash } from '#platform/crypto/secrets.ts';

export const MAX_PASSKEYS = 20;
export const MAX_PASSKEY_NAME = 64;

/** A credential of WebAuthn, which signs in alone or as the second factor after a password. */
export interface Passkey {
  /** The id of the credential in base64url. Browsers send it, so it is no secret. */
  id: string;
  account_id: string;
  name: string;
  /** COSE in base64url. */
  public_key: string;
  /** Of signatures; 0 if the authenticator does not count, as synchronised ones do not. */
  counter: number;
  /** How browsers reach the authenticator: `internal`, `hybrid`, `usb`, … */
  transports: string[];
  /** Whether it is synchronised between devices. */
  backed_up: boolean;
  /** Whether the authenticator verified the person (PIN, fingerprint) when the passkey was last used or added. */
  user_verified: boolean;
  created: number;
  /** Null before the first sign-in. */
  last_used: number | null;
}

const COLUMNS = sql`
  id, account_id, name, public_key, counter, transports, backed_up, user_verified, created, last_used`;

const toPasskey = rowReader<Passkey>({ transports: json, backed_up: flag, user_verified: flag });

/** The passkeys of an account, oldest first. */
export const passkeysOf = (db: Queryable, accountId: string): Promise<Passkey[]> =>
  allAs(db, sql`select ${COLUMNS} from passkeys where account_id = ${accountId} order by created, id`, toPasskey);

export const passkeyById = (db: Queryable, id: string): Promise<Passkey | undefined> =>
  getAs(db, sql`select ${COLUMNS} from passkeys where id = ${id}`, toPasskey);

/** Stores a passkey. The caller holds the lock of the account. @returns false if an account has this credential already */
export async function insertPasskey(tx: Queryable, passkey: Passkey): Promise<boolean> {
  const { id, account_id, name, public_key, counter, transports, created, last_used } = passkey;
  const added = await tx.run(sql`
    insert into passkeys (${COLUMNS})
    values (${id}, ${account_id}, ${name}, ${public_key}, ${counter}, ${JSON.stringify(transports)},
      ${passkey.backed_up ? 1 : 0}, ${passkey.user_verified ? 1 : 0}, ${created}, ${last_used})
    on conflict (id) do nothing`);
  return added === 1;
}

/** The outcome of a signature by a passkey. */
export interface PasskeyUse {
  counter: number;
  backed_up: boolean;
  user_verified: boolean;
}

/**
 * Records the use of a passkey. One conditional statement: the counter of an authenticator that counts must have grown
 * since the last use, in whatever process that was (WebAuthn Level 3, section 6.1.1).
 * @returns false if the counter has not grown (the authenticator may have been cloned), or the passkey is removed
 */
export const recordPasskeyUse = async (db: Queryable, now: number, id: string, use: PasskeyUse): Promise<boolean> =>
  (await db.run(sql`
    update passkeys set counter = ${use.counter}, last_used = ${now}, backed_up = ${use.backed_up ? 1 : 0},
      user_verified = ${use.user_verified ? 1 : 0}
    where id = ${id} and (counter < ${use.counter} or (counter = 0 and ${use.counter} = 0))`)) > 0;

/** @returns false if the account has no such passkey */
export const renamePasskey = (db: Queryable, accountId: string, id: string, name: string): Promise<boolean> =>
  changesRow(db, sql`update passkeys set name = ${name} where id = ${id} and account_id = ${accountId}`);

/** @returns false if the account has no such passkey */
export const deletePasskey = (tx: Queryable, accountId: string, id: string): Promise<boolean> =>
  changesRow(tx, sql`delete from passkeys where id = ${id} and account_id = ${accountId}`);

/**
 * Uses a challenge: of concurrent requests, in any number of processes, one succeeds.
 * @param expires the time from which on the challenge is refused anyway, so that it need not be remembered
 */
export const consumeChallenge = async (db: Queryable, challenge: string, expires: number): Promise<boolean> =>
  (await db.run(sql`
    insert into used_challenges (hash, expires) values (${secretHash(challenge)}, ${expires})
    on conflict (hash) do nothing`)) > 0;
