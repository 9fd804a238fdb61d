import { randomBytes } from 'node:crypto';
import { idOf, keyOf } from '#platform/ids.ts';
import { newSecret, secretHash } from '#platform/crypto/secrets.ts';
import {
  allAs,
  changesRow,
  columnOf,
  flag,
  getAs,
  json,
  type Queryable,
  rowReader,
  type Transactional,
} from '#db/db.ts';
import { type Sql, sql } from '#db/sql.ts';
import { nextKey } from '../sequence.ts';

/** installed: on the user's device; web: JavaScript in a browser; service: on a web server, with a Client Secret. */
export const APPLICATION_TYPES = ['installed', 'web', 'service'] as const;
export type ApplicationType = (typeof APPLICATION_TYPES)[number];

/** The state of access to the data API, which owners request in the console and the operator grants. */
export const ACCESS_STATES = ['none', 'waiting', 'approved', 'refused', 'revoked'] as const;
export type AccessState = (typeof ACCESS_STATES)[number];

export const MAX_NAME_LENGTH = 64;

export interface Application {
  key: number;
  client_id: string;
  name: string;
  type: ApplicationType;
  redirect_uris: string[];
  /** Addresses for after a sign-out, besides those that follow from the redirect URIs. */
  post_logout_redirect_uris: string[];
  require_pkce: boolean;
  /** Type service: whether a refresh token is replaced at each use. The other types always replace it. */
  rotate_refresh_tokens: boolean;
  access: AccessState;
  /** Requests an hour, if the operator raised the limit; null for the usual limits. */
  hourly_limit: number | null;
  /** Why it is suspended (see suspension.ts); null while it is active. */
  suspended: 'disabled' | 'deleted' | null;
  created: number;
}

const COLUMNS = sql`key, client_id, name, type, redirect_uris, post_logout_redirect_uris, require_pkce,
  rotate_refresh_tokens, access, hourly_limit, suspended, created`;

export const applicationByClientId = (db: Queryable, clientId: string): Promise<Application | undefined> =>
  getAs(db, sql`select ${COLUMNS} from applications where client_id = ${clientId}`, toApplication);

/** Excludes first-party clients, which cannot be managed. */
const NOT_FIRST_PARTY = sql`not exists (select 1 from first_party_clients o where o.client_id = applications.client_id)`;

/** An application that its owners and operators may change; undefined for first-party clients. */
export const managedApplication = async (db: Queryable, clientId: string): Promise<Application | undefined> =>
  (await listWhere(db, sql`client_id = ${clientId} and ${NOT_FIRST_PARTY}`))[0];

const listWhere = (db: Queryable, where: Sql): Promise<Application[]> =>
  allAs(db, sql`select ${COLUMNS} from applications where ${where}`, toApplication);

export const listApplications = (db: Queryable): Promise<Application[]> =>
  listWhere(db, sql`${NOT_FIRST_PARTY} order by key`);

/** Applications with keys below `before`, newest first. */
export const applicationsBefore = (db: Queryable, before: number, limit: number): Promise<Application[]> =>
  listWhere(db, sql`key < ${before} and ${NOT_FIRST_PARTY} order by key desc limit ${limit}`);

export const suspendedApplications = (db: Queryable, limit: number): Promise<Application[]> =>
  listWhere(db, sql`suspended is not null order by key desc limit ${limit}`);

/** Applications with this name, newest first. */
export const applicationsNamed = (db: Queryable, name: string, limit: number): Promise<Application[]> =>
  listWhere(db, sql`name = ${name} and ${NOT_FIRST_PARTY} order by key desc limit ${limit}`);

const toApplication = rowReader<Application>({
  ...{ redirect_uris: json, post_logout_redirect_uris: json },
  ...{ require_pkce: flag, rotate_refresh_tokens: flag },
});

export type NewApplication = Pick<Application, 'name' | 'type' | 'redirect_uris' | 'access'> &
  Partial<Pick<Application, 'post_logout_redirect_uris' | 'require_pkce' | 'rotate_refresh_tokens'>>;

/** Registers an application. One of type `service` gets its first secret, which is shown only once. */
export async function createApplication(
  db: Transactional,
  now: number,
  { name, type, access, ...settings }: NewApplication,
): Promise<{ application: Application; secret: string | undefined }> {
  const { redirect_uris, post_logout_redirect_uris = [], require_pkce, rotate_refresh_tokens } = settings;
  const client_id = randomBytes(12).toString('hex');
  return await db.transaction(async (tx) => {
    const key = await nextKey(tx, now);
    await tx.run(sql`
      insert into applications (key, client_id, name, type, redirect_uris, post_logout_redirect_uris, require_pkce,
        rotate_refresh_tokens, access, hourly_limit, created)
      values (${key}, ${client_id}, ${name}, ${type}, ${JSON.stringify(redirect_uris)},
        ${JSON.stringify(post_logout_redirect_uris)}, ${require_pkce ? 1 : 0}, ${rotate_refresh_tokens ? 1 : 0}, ${access},
        null, ${now})`);
    const application = (await applicationByClientId(tx, client_id))!;
    return { application, secret: type === 'service' ? await addSecret(tx, now, key) : undefined };
  });
}

/** Maximum valid secrets, so that a new one can replace an old one without an interruption. */
export const MAX_SECRETS = 5;

/** Adds a secret to an application. Its text is shown only once. */
export const addSecret = async (tx: Queryable, now: number, applicationKey: number): Promise<string> =>
  await insertSecret(tx, now, applicationKey, await nextKey(tx, now), '');

/** Like `addSecret`; undefined if the application already has `MAX_SECRETS`. */
export async function addFurtherSecret(
  tx: Queryable,
  now: number,
  applicationKey: number,
  name: string,
): Promise<string | undefined> {
  // Assigning a key locks the sequence until commit, so no concurrent transaction adds a secret after the count.
  const key = await nextKey(tx, now);
  const { length } = await secretsOf(tx, applicationKey);
  return length < MAX_SECRETS ? await insertSecret(tx, now, applicationKey, key, name) : undefined;
}

async function insertSecret(
  tx: Queryable,
  now: number,
  applicationKey: number,
  key: number,
  name: string,
): Promise<string> {
  const secret = newSecret('shs_');
  await tx.run(sql`
    insert into application_secrets (key, application_key, hash, name, created)
    values (${key}, ${applicationKey}, ${secretHash(secret)}, ${name}, ${now})`);
  return secret;
}

/** A valid secret of an application, without the secret itself. */
export interface ApplicationSecret {
  id: string;
  /** Chosen by an owner; '' without one. */
  name: string;
  created: number;
}

export async function secretsOf(db: Queryable, applicationKey: number): Promise<ApplicationSecret[]> {
  const rows = await db.all(sql`
    select key as id, name, created from application_secrets where application_key = ${applicationKey} order by key`);
  return rows.map(rowReader<ApplicationSecret>({ id: idOf }));
}

export const removeSecret = async (db: Queryable, applicationKey: number, id: string): Promise<boolean> =>
  (await db.run(sql`
    delete from application_secrets where application_key = ${applicationKey} and key = ${keyOf(id) ?? 0}`)) > 0;

export const readSecretHashes = (db: Queryable, applicationKey: number): Promise<string[]> =>
  columnOf(db, sql`select hash from application_secrets where application_key = ${applicationKey} order by key`);

export const setAccess = (db: Queryable, clientId: string, access: AccessState): Promise<boolean> =>
  changesRow(db, sql`update applications set access = ${access} where client_id = ${clientId}`);

/** Sets an application's hourly limit; null restores the usual one. */
export const setLimit = (db: Queryable, clientId: string, limit: number | null): Promise<boolean> =>
  changesRow(db, sql`update applications set hourly_limit = ${limit} where client_id = ${clientId}`);

export async function setRedirectUris(db: Queryable, clientId: string, uris: readonly string[]): Promise<void> {
  await db.run(sql`update applications set redirect_uris = ${JSON.stringify(uris)} where client_id = ${clientId}`);
}

/** The properties that owners may change. */
export type ApplicationSettings = Pick<
  Application,
  'name' | 'redirect_uris' | 'post_logout_redirect_uris' | 'require_pkce' | 'rotate_refresh_tokens'
>;

export async function setApplication(
  db: Queryable,
  clientId: string,
  { name, redirect_uris, post_logout_redirect_uris, require_pkce, rotate_refresh_tokens }: ApplicationSettings,
): Promise<void> {
  await db.run(sql`
    update applications
    set name = ${name}, redirect_uris = ${JSON.stringify(redirect_uris)},
      post_logout_redirect_uris = ${JSON.stringify(post_logout_redirect_uris)}, require_pkce = ${require_pkce ? 1 : 0},
      rotate_refresh_tokens = ${rotate_refresh_tokens ? 1 : 0}
    where client_id = ${clientId}`);
}

/** Deletes an application with its secrets and tokens. Refuses first-party clients. */
export async function deleteApplication(db: Transactional, clientId: string): Promise<boolean> {
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

/** What deleting an application would affect: the number of people who granted it access, and of its stored tokens. */
export async function readDeletionImpact(
  db: Queryable,
  { client_id }: Application,
): Promise<{ people: number; tokens: number }> {
  const impact = await db.get<{ people: number; tokens: number }>(sql`
    select (select count(*) from consents where client_id = ${client_id}) as people,
      (select count(*) from tokens where client_id = ${client_id}
        and kind in ('AccessToken', 'RefreshToken', 'ClientCredentials')) as tokens`);
  return impact!;
}
