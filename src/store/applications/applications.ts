import { randomBytes } from 'node:crypto';
import { idOf, keyOf } from '#platform/ids.ts';
import { newSecret, secretHash } from '#platform/crypto/secrets.ts';
import type { Db, Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { nextKey } from '../sequence.ts';

/** installed: on the user's device; web: JavaScript in a browser; service: on a web server, with a Client Secret. */
export const APPLICATION_TYPES = ['installed', 'web', 'service'] as const;
export type ApplicationType = (typeof APPLICATION_TYPES)[number];

/** Access to the data API: asked for in the developer console, granted by the operator. */
export const ACCESS_STATES = ['none', 'waiting', 'approved', 'refused', 'revoked'] as const;
export type AccessState = (typeof ACCESS_STATES)[number];

export interface Application {
  key: number;
  client_id: string;
  name: string;
  type: ApplicationType;
  redirect_uris: string[];
  require_pkce: boolean;
  access: AccessState;
  /** Requests an hour that the operator raised the application to; null for the usual limits. */
  hourly_limit: number | null;
  /** Why it is suspended (see suspension.ts); null while it goes on. */
  suspended: 'disabled' | 'deleted' | null;
  created: number;
}

type ApplicationRow = Omit<Application, 'redirect_uris' | 'require_pkce'> & {
  redirect_uris: string;
  require_pkce: number;
};

const COLUMNS = sql`key, client_id, name, type, redirect_uris, require_pkce, access, hourly_limit, suspended, created`;

export async function applicationByClientId(db: Queryable, clientId: string): Promise<Application | undefined> {
  const row = await db.get<ApplicationRow>(sql`select ${COLUMNS} from applications where client_id = ${clientId}`);
  return row && applicationOf(row);
}

/** The service's own applications are no one's to manage. */
const NOT_OWN = sql`not exists (select 1 from first_party_clients o where o.client_id = applications.client_id)`;

/** An application that its owners and operators may change; undefined for the service's own. */
export async function managedApplication(db: Queryable, clientId: string): Promise<Application | undefined> {
  const row = await db.get<ApplicationRow>(
    sql`select ${COLUMNS} from applications where client_id = ${clientId} and ${NOT_OWN}`,
  );
  return row && applicationOf(row);
}

export async function listApplications(db: Queryable): Promise<Application[]> {
  const rows = await db.all<ApplicationRow>(sql`select ${COLUMNS} from applications where ${NOT_OWN} order by key`);
  return rows.map(applicationOf);
}

/** Applications with keys below this one, the newest first. */
export async function applicationsBefore(db: Queryable, before: number, limit: number): Promise<Application[]> {
  const rows = await db.all<ApplicationRow>(
    sql`select ${COLUMNS} from applications where key < ${before} and ${NOT_OWN} order by key desc limit ${limit}`,
  );
  return rows.map(applicationOf);
}

/** Those that are suspended, the newest first. */
export async function suspendedApplications(db: Queryable, limit: number): Promise<Application[]> {
  const rows = await db.all<ApplicationRow>(
    sql`select ${COLUMNS} from applications where suspended is not null order by key desc limit ${limit}`,
  );
  return rows.map(applicationOf);
}

/** Those of one name, the newest first. */
export async function applicationsNamed(db: Queryable, name: string, limit: number): Promise<Application[]> {
  const rows = await db.all<ApplicationRow>(
    sql`select ${COLUMNS} from applications where name = ${name} and ${NOT_OWN} order by key desc limit ${limit}`,
  );
  return rows.map(applicationOf);
}

function applicationOf(row: ApplicationRow): Application {
  return { ...row, redirect_uris: JSON.parse(row.redirect_uris) as string[], require_pkce: row.require_pkce === 1 };
}

export type NewApplication = Pick<Application, 'name' | 'type' | 'redirect_uris' | 'access'> & {
  require_pkce?: boolean;
};

/** Registers an application. A service gets its first secret, which is shown this once. */
export async function createApplication(
  db: Db,
  now: number,
  { name, type, redirect_uris, access, require_pkce = false }: NewApplication,
): Promise<{ application: Application; secret: string | undefined }> {
  const client_id = randomBytes(12).toString('hex');
  return await db.transaction(async (tx) => {
    const key = await nextKey(tx, now);
    await tx.run(sql`
      insert into applications (key, client_id, name, type, redirect_uris, require_pkce, access, hourly_limit, created)
      values (${key}, ${client_id}, ${name}, ${type}, ${JSON.stringify(redirect_uris)}, ${require_pkce ? 1 : 0}, ${access},
        null, ${now})`);
    const application = (await applicationByClientId(tx, client_id))!;
    return { application, secret: type === 'service' ? await addSecret(tx, now, key) : undefined };
  });
}

/** How many secrets of an application live side by side, while one replaces another. */
export const MAX_SECRETS = 5;

/** Gives an application one more secret, which is shown this once. */
export async function addSecret(tx: Queryable, now: number, applicationKey: number): Promise<string> {
  return await insertSecret(tx, now, applicationKey, await nextKey(tx, now));
}

/** As `addSecret`; undefined where the application has as many as there may be. */
export async function addFurtherSecret(
  tx: Queryable,
  now: number,
  applicationKey: number,
): Promise<string | undefined> {
  // Whoever takes a key is alone until commit: the count holds.
  const key = await nextKey(tx, now);
  const { length } = await secretsOf(tx, applicationKey);
  return length < MAX_SECRETS ? await insertSecret(tx, now, applicationKey, key) : undefined;
}

async function insertSecret(tx: Queryable, now: number, applicationKey: number, key: number): Promise<string> {
  const secret = newSecret('shs_');
  await tx.run(sql`
    insert into application_secrets (key, application_key, hash, created)
    values (${key}, ${applicationKey}, ${secretHash(secret)}, ${now})`);
  return secret;
}

/** A live secret of an application: what names it, and opens nothing. */
export interface ApplicationSecret {
  id: string;
  created: number;
}

export async function secretsOf(db: Queryable, applicationKey: number): Promise<ApplicationSecret[]> {
  const rows = await db.all<{ key: number; created: number }>(
    sql`select key, created from application_secrets where application_key = ${applicationKey} order by key`,
  );
  return rows.map(({ key, created }) => ({ id: idOf(key), created }));
}

/** Withdraws a secret at once. */
export async function removeSecret(db: Queryable, applicationKey: number, id: string): Promise<boolean> {
  const removed = await db.run(
    sql`delete from application_secrets where application_key = ${applicationKey} and key = ${keyOf(id) ?? 0}`,
  );
  return removed === 1;
}

/** The hashes of an application's live secrets. */
export async function secretHashesOf(db: Queryable, applicationKey: number): Promise<string[]> {
  const rows = await db.all<{ hash: string }>(
    sql`select hash from application_secrets where application_key = ${applicationKey} order by key`,
  );
  return rows.map(({ hash }) => hash);
}

/** The hashes of the live secrets behind a Client ID: none where there is no such service, or it is stopped. */
export async function serviceSecrets(db: Queryable, clientId: string): Promise<string[]> {
  const rows = await db.tuples(sql`
    select s.hash from applications a join application_secrets s on s.application_key = a.key
    where a.client_id = ${clientId} and a.type = 'service' and a.suspended is null`);
  return rows.map(([hash]) => hash as string);
}

export async function setAccess(db: Queryable, clientId: string, access: AccessState): Promise<boolean> {
  return (await db.run(sql`update applications set access = ${access} where client_id = ${clientId}`)) === 1;
}

/** Raises an application's limit, or gives it back the usual one with null. */
export async function setLimit(db: Queryable, clientId: string, limit: number | null): Promise<boolean> {
  return (await db.run(sql`update applications set hourly_limit = ${limit} where client_id = ${clientId}`)) === 1;
}

export async function setRedirectUris(db: Queryable, clientId: string, uris: readonly string[]): Promise<void> {
  await db.run(sql`update applications set redirect_uris = ${JSON.stringify(uris)} where client_id = ${clientId}`);
}

/** Changes what an owner may change. */
export async function setApplication(
  db: Queryable,
  clientId: string,
  { name, redirect_uris, require_pkce }: Pick<Application, 'name' | 'redirect_uris' | 'require_pkce'>,
): Promise<void> {
  await db.run(sql`
    update applications
    set name = ${name}, redirect_uris = ${JSON.stringify(redirect_uris)}, require_pkce = ${require_pkce ? 1 : 0}
    where client_id = ${clientId}`);
}

/** Removes an application with its secrets and every token it holds; never one of the service's own. */
export async function deleteApplication(db: Db, clientId: string): Promise<boolean> {
  return await db.transaction(async (tx) => {
    if ((await managedApplication(tx, clientId)) === undefined) return false;
    await tx.run(sql`delete from tokens where client_id = ${clientId}`);
    for (const table of [sql`usage`, sql`application_uses`]) {
      await tx.run(sql`
        delete from ${table} where application_key = (select key from applications where client_id = ${clientId})`);
    }
    return (await tx.run(sql`delete from applications where client_id = ${clientId}`)) === 1;
  });
}
