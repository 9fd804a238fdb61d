import { seal, unseal } from '#platform/crypto/seal.ts';
import { type Db, exists, type Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import {
  addSecret,
  applicationByClientId,
  createApplication,
  deleteApplication,
  setRedirectUris,
} from './applications.ts';

/** The credentials of an application that is part of the service itself (the console) at sign-in. */
export interface FirstPartyClient {
  client_id: string;
  client_secret: string;
}

interface Registration {
  /** The internal name: `console`. */
  id: string;
  /** The name on the consent page. */
  name: string;
  redirect_uris: string[];
}

/**
 * The application of this id. The first call registers it; later calls update its redirect URIs, and issue a new secret if
 * the secret key has changed.
 */
export const firstPartyClient = async (
  db: Db,
  now: number,
  key: Buffer,
  registration: Registration,
): Promise<FirstPartyClient> =>
  (await existingClient(db, now, key, registration)) ?? (await registerClient(db, now, key, registration));

async function existingClient(
  db: Db,
  now: number,
  key: Buffer,
  registration: Registration,
): Promise<FirstPartyClient | undefined> {
  const row = await db.get<{ client_id: string; sealed_secret: string }>(
    sql`select client_id, sealed_secret from first_party_clients where name = ${registration.id}`,
  );
  const application = row && (await applicationByClientId(db, row.client_id));
  if (row === undefined || application === undefined) return undefined;
  const { client_id, redirect_uris } = application;
  if (JSON.stringify(redirect_uris) !== JSON.stringify(registration.redirect_uris)) {
    await setRedirectUris(db, client_id, registration.redirect_uris);
  }
  const unsealed = unseal(key, row.sealed_secret);
  if (unsealed !== undefined) return { client_id, client_secret: unsealed };
  return await db.transaction(async (tx) => {
    const client_secret = await addSecret(tx, now, application.key);
    await tx.run(sql`
      update first_party_clients set sealed_secret = ${seal(key, client_secret)} where name = ${registration.id}`);
    return { client_id, client_secret };
  });
}

/** Registers the application. Of several processes that start together, all end with the registration of the first one. */
async function registerClient(db: Db, now: number, key: Buffer, registration: Registration): Promise<FirstPartyClient> {
  const { name, redirect_uris } = registration;
  const details = { name, type: 'service', redirect_uris, access: 'none', require_pkce: true } as const;
  const { application, secret } = await createApplication(db, now, details);
  const { client_id } = application;
  const inserted = await db.run(sql`
    insert into first_party_clients (name, client_id, sealed_secret) values (${registration.id}, ${client_id}, ${seal(key, secret!)})
    on conflict (name) do nothing`);
  if (inserted === 1) return { client_id, client_secret: secret! };
  await deleteApplication(db, client_id);
  return (await existingClient(db, now, key, registration))!;
}

export const isFirstPartyClient = (db: Queryable, clientId: string): Promise<boolean> =>
  exists(db, sql`select name from first_party_clients where client_id = ${clientId}`);
