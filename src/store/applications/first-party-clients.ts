import { seal, unseal } from '#platform/crypto/seal.ts';
import type { Db, Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import {
  addSecret,
  applicationByClientId,
  createApplication,
  deleteApplication,
  setRedirectUris,
} from './applications.ts';

/** An application of the service itself, as it signs people in at our own sign-in. */
export interface FirstPartyClient {
  client_id: string;
  client_secret: string;
}

interface Wanted {
  /** What it is to us: `console`. */
  id: string;
  /** What people read on the consent page. */
  name: string;
  redirect_uris: string[];
}

/** The application of this id, registered at the first call and brought up to date at every other. */
export async function firstPartyClient(db: Db, now: number, key: Buffer, wanted: Wanted): Promise<FirstPartyClient> {
  return (await knownClient(db, now, key, wanted)) ?? (await registerClient(db, now, key, wanted));
}

async function knownClient(db: Db, now: number, key: Buffer, wanted: Wanted): Promise<FirstPartyClient | undefined> {
  const row = await db.get<{ client_id: string; sealed_secret: string }>(
    sql`select client_id, sealed_secret from first_party_clients where name = ${wanted.id}`,
  );
  const application = row && (await applicationByClientId(db, row.client_id));
  if (row === undefined || application === undefined) return undefined;
  const { client_id, redirect_uris } = application;
  if (JSON.stringify(redirect_uris) !== JSON.stringify(wanted.redirect_uris)) {
    await setRedirectUris(db, client_id, wanted.redirect_uris);
  }
  const known = unseal(key, row.sealed_secret);
  if (known !== undefined) return { client_id, client_secret: known };
  return await db.transaction(async (tx) => {
    const client_secret = await addSecret(tx, now, application.key);
    await tx.run(sql`
      update first_party_clients set sealed_secret = ${seal(key, client_secret)} where name = ${wanted.id}`);
    return { client_id, client_secret };
  });
}

/** Of several processes that start together one registers; the others take what it has registered. */
async function registerClient(db: Db, now: number, key: Buffer, wanted: Wanted): Promise<FirstPartyClient> {
  const { name, redirect_uris } = wanted;
  const made = { name, type: 'service', redirect_uris, access: 'none', require_pkce: true } as const;
  const { application, secret } = await createApplication(db, now, made);
  const { client_id } = application;
  const cached = await db.run(sql`
    insert into first_party_clients (name, client_id, sealed_secret) values (${wanted.id}, ${client_id}, ${seal(key, secret!)})
    on conflict (name) do nothing`);
  if (cached === 1) return { client_id, client_secret: secret! };
  await deleteApplication(db, client_id);
  return (await knownClient(db, now, key, wanted))!;
}

/** Whether an application is the service itself. */
export async function isFirstPartyClient(db: Queryable, clientId: string): Promise<boolean> {
  return (await db.get(sql`select name from first_party_clients where client_id = ${clientId}`)) !== undefined;
}
