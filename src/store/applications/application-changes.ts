import { idOf, keyOf } from '#platform/ids.ts';
import { imageHash, type UploadedImage } from '#platform/uploaded-image.ts';
import { allAs, changesRow, getAs, getValue, type Queryable, type Transactional } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { nextKey } from '../sequence.ts';
import { isApprovedByOperator } from './access-requests.ts';
import { type Application, applicationByClientId, type ApplicationSettings, setApplication } from './applications.ts';
import { logoHash, setLogo } from './logos.ts';

/** What an operator approves besides the logo. */
type Reviewed = Pick<Application, 'name' | 'redirect_uris' | 'post_logout_redirect_uris'>;

/**
 * A new name, a new logo or new redirect URIs (also for after a sign-out) of an application that an operator has approved. They wait for an
 * operator, whose approval was for the present name, logo and addresses; until then sign-in uses these. (RFC 9700,
 * section 4.11.2, lets errors redirect only to trusted targets, and people trust name and logo on the consent page.)
 */
export interface ApplicationChange {
  id: string;
  client_id: string;
  /** The values in force. */
  old: Reviewed;
  name: string;
  redirect_uris: string[];
  post_logout_redirect_uris: string[];
  /** The hash of the new logo; null if the logo stays. */
  logo: string | null;
  /** The owner who asked; null if the account was deleted. */
  account_id: string | null;
  account_name: string | null;
  created: number;
}

type ChangeRow = Omit<ApplicationChange, 'id' | 'old' | 'redirect_uris' | 'post_logout_redirect_uris'> &
  Record<'old_name' | 'old_uris' | 'old_logout_uris' | 'redirect_uris' | 'post_logout_redirect_uris', string> & {
    key: number;
  };

const SELECT = sql`
  select c.key, a.client_id, a.name as old_name, a.redirect_uris as old_uris,
    a.post_logout_redirect_uris as old_logout_uris, c.name, c.redirect_uris, c.post_logout_redirect_uris,
    c.logo_hash as logo, c.account_id, u.name as account_name, c.created
  from application_changes c join applications a on a.key = c.application_key left join accounts u on u.id = c.account_id`;

function toChange({ key, old_name, old_uris, old_logout_uris, ...row }: ChangeRow): ApplicationChange {
  return {
    ...row,
    ...withUris(row.name, row.redirect_uris, row.post_logout_redirect_uris),
    id: idOf(key),
    old: withUris(old_name, old_uris, old_logout_uris),
  };
}

function withUris(name: string, uris: string, logoutUris: string): Reviewed {
  const [redirect_uris, post_logout_redirect_uris] = [uris, logoutUris].map((text) => JSON.parse(text) as string[]);
  return { name, redirect_uris: redirect_uris!, post_logout_redirect_uris: post_logout_redirect_uris! };
}

/**
 * Saves the settings of an application. If an operator has approved it, a new name or an added redirect URI makes the
 * whole change of name and redirect URIs wait. If redirect URIs are only removed, the change is immediate, so that an
 * owner can act on a lost address. A new change replaces the waiting one. Saving the settings in force deletes it,
 * unless an operator saves them, who means the other settings. A waiting logo is kept.
 *
 * @param by the owner; undefined for an operator, whose change needs no approval
 *
 * @returns the waiting change, and whether this call requested it; undefined if the settings are in force
 */
export async function changeApplication(
  db: Transactional,
  now: number,
  clientId: string,
  wanted: ApplicationSettings,
  by: string | undefined,
): Promise<WaitingChange | undefined> {
  return await inLockedApplication(db, now, clientId, async (tx, { key, current, waiting }) => {
    const asked: AskedChange = { ...wanted, key, account_id: by ?? waiting?.account_id ?? null, created: now };
    if (by === undefined || !addsTo(current, wanted) || !(await isApprovedByOperator(tx, current))) {
      const ends = by !== undefined || !isEqual(current, wanted);
      if (ends && waiting?.logo === null) await endChange(tx, current.key);
      else if (ends && waiting !== undefined && !isEqual(waiting, wanted)) await storeChange(tx, current.key, asked);
      await setApplication(tx, clientId, wanted);
      return undefined;
    }
    await setApplication(tx, clientId, { ...wanted, ...reviewed(current) });
    if (waiting !== undefined && isEqual(waiting, wanted)) return { change: waiting, isNew: false };
    await storeChange(tx, current.key, asked);
    return { change: (await changeTo(tx, current.key))!, isNew: true };
  });
}

interface LockedApplication {
  /** The key of a new change. */
  key: number;
  current: Application;
  waiting: ApplicationChange | undefined;
}

/** Runs work in a transaction that has locked an application; undefined if there is none. */
async function inLockedApplication(
  db: Transactional,
  now: number,
  clientId: string,
  work: (tx: Queryable, locked: LockedApplication) => Promise<WaitingChange | undefined>,
): Promise<WaitingChange | undefined> {
  return await db.transaction(async (tx) => {
    const key = await nextKey(tx, now);
    const current = await lockApplication(tx, clientId);
    if (current === undefined) return undefined;
    return await work(tx, { key, current, waiting: await changeTo(tx, current.key) });
  });
}

/** A waiting change, and whether this call requested it. */
export interface WaitingChange {
  change: ApplicationChange;
  isNew: boolean;
}

/**
 * Saves the logo of an application. If an operator has approved the application, a new logo waits, together with a
 * waiting name and redirect URIs; saving the logo in force deletes a waiting one.
 *
 * @param by the owner; undefined for an operator, whose change needs no approval
 *
 * @returns the waiting change; undefined if the logo is in force
 */
export async function changeLogo(
  db: Transactional,
  now: number,
  clientId: string,
  { content_type, bytes }: Omit<UploadedImage, 'hash'>,
  by: string | undefined,
): Promise<WaitingChange | undefined> {
  return await inLockedApplication(db, now, clientId, async (tx, { key, current, waiting }) => {
    const hash = imageHash(bytes);
    const account_id = by ?? waiting?.account_id ?? null;
    const asked: AskedChange = { ...reviewed(waiting ?? current), key, account_id, created: now };
    const isInForce = (await logoHash(tx, current.key)) === hash;
    if (by === undefined || isInForce || !(await isApprovedByOperator(tx, current))) {
      await setLogo(tx, current.key, content_type, bytes);
      if (typeof waiting?.logo !== 'string') return undefined;
      if (isEqual(waiting, current)) await endChange(tx, current.key);
      else await storeChange(tx, current.key, asked, null);
      return undefined;
    }
    if (waiting?.logo === hash) return { change: waiting, isNew: false };
    await storeChange(tx, current.key, asked, { content_type, hash, bytes });
    return { change: (await changeTo(tx, current.key))!, isNew: true };
  });
}

type AskedChange = Reviewed & Pick<ApplicationChange, 'account_id' | 'created'> & { key: number };

/**
 * Stores a change in place of the waiting change.
 * @param logo null for none; without it a waiting logo is kept
 */
async function storeChange(
  tx: Queryable,
  applicationKey: number,
  { key, name, redirect_uris, post_logout_redirect_uris, account_id, created }: AskedChange,
  logo?: UploadedImage | null,
): Promise<void> {
  await tx.run(sql`
    insert into application_changes (application_key, key, name, redirect_uris, post_logout_redirect_uris, account_id,
      created)
    values (${applicationKey}, ${key}, ${name}, ${JSON.stringify(redirect_uris)},
      ${JSON.stringify(post_logout_redirect_uris)}, ${account_id}, ${created})
    on conflict (application_key) do update set key = excluded.key, name = excluded.name,
      redirect_uris = excluded.redirect_uris, post_logout_redirect_uris = excluded.post_logout_redirect_uris, account_id = excluded.account_id, created = excluded.created`);
  if (logo === undefined) return;
  const { content_type, hash, bytes } = logo ?? { content_type: null, hash: null, bytes: null };
  await tx.run(sql`
    update application_changes set logo_type = ${content_type}, logo_hash = ${hash}, logo_bytes = ${bytes}
    where application_key = ${applicationKey}`);
}

const reviewed = ({ name, redirect_uris, post_logout_redirect_uris }: Reviewed): Reviewed => ({
  name,
  redirect_uris,
  post_logout_redirect_uris,
});

const isEqual = (a: Reviewed, b: Reviewed): boolean => JSON.stringify(reviewed(a)) === JSON.stringify(reviewed(b));

const addsTo = (current: Reviewed, wanted: Reviewed): boolean =>
  wanted.name !== current.name ||
  (['redirect_uris', 'post_logout_redirect_uris'] as const).some((list) =>
    wanted[list].some((uri) => !current[list].includes(uri)),
  );

/** Locks the row until the transaction ends: access and settings cannot change meanwhile. */
async function lockApplication(tx: Queryable, clientId: string): Promise<Application | undefined> {
  await tx.run(sql`update applications set suspended = suspended where client_id = ${clientId}`);
  return await applicationByClientId(tx, clientId);
}

export const endChange = (db: Queryable, applicationKey: number): Promise<boolean> =>
  changesRow(db, sql`delete from application_changes where application_key = ${applicationKey}`);

/**
 * Decides a waiting change; an approved one is in force.
 * @returns undefined if no change with this id waits, because another operator has decided it or its owner has replaced
 * it
 */
export async function decideChange(
  db: Transactional,
  id: string,
  state: 'approved' | 'refused',
): Promise<ApplicationChange | undefined> {
  return await db.transaction(async (tx) => {
    const found = await changeById(tx, id);
    if (found === undefined) return undefined;
    const application = await lockApplication(tx, found.client_id);
    const change = await changeById(tx, id);
    if (application === undefined || change === undefined) return undefined;
    if (state === 'approved') {
      const logo = await waitingLogo(tx, application.key, id);
      if (logo !== undefined) await setLogo(tx, application.key, logo.content_type, logo.bytes);
      await setApplication(tx, change.client_id, { ...application, ...reviewed(change) });
    }
    await endChange(tx, application.key);
    return change;
  });
}

export const changeById = (db: Queryable, id: string): Promise<ApplicationChange | undefined> =>
  getAs(db, sql`${SELECT} where c.key = ${keyOf(id) ?? 0}`, toChange);

export const changeTo = (db: Queryable, applicationKey: number): Promise<ApplicationChange | undefined> =>
  getAs(db, sql`${SELECT} where c.application_key = ${applicationKey}`, toChange);

export const waitingLogo = (db: Queryable, applicationKey: number, id: string): Promise<UploadedImage | undefined> =>
  db.get(sql`
    select logo_type as content_type, logo_hash as hash, logo_bytes as bytes from application_changes
    where application_key = ${applicationKey} and key = ${keyOf(id) ?? 0} and logo_hash is not null`);

/** The waiting changes, oldest first. */
export const waitingChanges = (db: Queryable, limit: number): Promise<ApplicationChange[]> =>
  allAs(db, sql`${SELECT} order by c.key limit ${limit}`, toChange);

/** The key of the newest waiting change. */
export const newestChange = (db: Queryable): Promise<number | undefined> =>
  getValue(db, sql`select key from application_changes order by key desc limit 1`);
