import { idOf, keyOf } from '#platform/ids.ts';
import { allAs, exists, getAs, getValue, type Queryable, rowReader, type Transactional, unlessTaken } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { type AccessState, type Application, setAccess, setLimit } from './applications.ts';
import { nextKey } from '../sequence.ts';

/** access: access to the data API; limit: more requests an hour than usual. */
export type RequestKind = 'access' | 'limit';
export const REQUEST_STATES = ['waiting', 'approved', 'refused'] as const;
export type RequestState = (typeof REQUEST_STATES)[number];

/** A request by an owner, and the operator's decision. */
export interface AccessRequest {
  id: string;
  client_id: string;
  application_name: string;
  kind: RequestKind;
  account_id: string | null;
  account_name: string | null;
  /** The purpose of the application, or the reason for a higher limit. */
  purpose: string;
  /** The address of the application's site; empty if it has none. */
  site: string;
  /** Expected requests an hour. */
  volume: number;
  state: RequestState;
  created: number;
  decided: number | null;
  /** The name of the operator who decided; null for automatic approval. */
  decided_by: string | null;
  /** The operator's note to the applicant. */
  note: string;
}

const SELECT = sql`
  select r.key as id, a.client_id, a.name as application_name, r.kind, r.account_id, u.name as account_name, r.purpose, r.site,
    r.volume, r.state, r.created, r.decided, r.decided_by, r.note
  from access_requests r join applications a on a.key = r.application_key left join accounts u on u.id = r.account_id`;

const toRequest = rowReader<AccessRequest>({ id: idOf });

export type NewAccessRequest = Pick<AccessRequest, 'kind' | 'purpose' | 'site' | 'volume'> & { account_id: string };

/** Maximum applications per owner that get access without an operator's decision. */
const MAX_AUTOMATIC = 3;

/**
 * Stores a request for the operator. A request for access sets the application's access to `waiting`.
 * @param automatic approve the application's first request for access immediately, unless the account already owns
 * `MAX_AUTOMATIC` automatically approved applications
 * @returns the request, waiting or approved; undefined if a request of this kind is already waiting
 */
export async function requestAccess(
  db: Transactional,
  now: number,
  application: Application,
  { kind, account_id, purpose, site, volume }: NewAccessRequest,
  automatic = false,
): Promise<AccessRequest | undefined> {
  return await unlessTaken(db, async (tx) => {
    // Assigning a key locks the sequence until commit, so concurrent requests are counted one after the other.
    const key = await nextKey(tx, now);
    await tx.run(sql`
      insert into access_requests (key, application_key, kind, account_id, purpose, site, volume, state, created,
        decided, decided_by, note)
      values (${key}, ${application.key}, ${kind}, ${account_id}, ${purpose}, ${site}, ${volume}, 'waiting', ${now},
        null, null, '')`);
    if (kind === 'access') await setAccess(tx, application.client_id, 'waiting');
    if (automatic && (await mayApproveAutomatically(tx, application.key, account_id)))
      return (await decide(tx, now, key, { state: 'approved', note: '', by: null }))!;
    return (await requestByKey(tx, key))!;
  });
}

/** Whether this is the first request of the application, and the account owns few applications approved automatically. */
async function mayApproveAutomatically(tx: Queryable, applicationKey: number, accountId: string): Promise<boolean> {
  const earlier = sql`
    select key from access_requests where application_key = ${applicationKey} and kind = 'access' and state <> 'waiting'`;
  if (await exists(tx, earlier)) return false;
  const automatic = sql`
    select count(distinct r.application_key)
    from application_owners o join access_requests r on r.application_key = o.application_key
    where o.account_id = ${accountId} and r.kind = 'access' and r.state = 'approved' and r.decided_by is null`;
  return (await getValue<number>(tx, automatic))! < MAX_AUTOMATIC;
}

export interface Decision {
  state: 'approved' | 'refused';
  note: string;
  /** The name of the operator who decides; null for automatic approval. */
  by: string | null;
  /** The granted requests an hour of a request for a higher limit; by default the requested volume. */
  limit?: number | undefined;
}

/**
 * Decides a waiting request and applies the decision to the application.
 * @returns undefined if no request with this id is waiting, for example because another operator has decided it
 */
export const decideRequest = (
  db: Transactional,
  now: number,
  id: string,
  decision: Decision,
): Promise<AccessRequest | undefined> => db.transaction((tx) => decide(tx, now, keyOf(id) ?? 0, decision));

async function decide(
  tx: Queryable,
  now: number,
  key: number,
  { state, note, by, limit }: Decision,
): Promise<AccessRequest | undefined> {
  const changed = await tx.run(sql`
    update access_requests set state = ${state}, note = ${note}, decided = ${now}, decided_by = ${by}
    where key = ${key} and state = 'waiting'`);
  if (changed === 0) return undefined;
  const request = (await requestByKey(tx, key))!;
  if (request.kind === 'access') await setAccess(tx, request.client_id, state);
  else if (state === 'approved') await setLimit(tx, request.client_id, limit ?? request.volume);
  return request;
}

/** Sets the access of an application by an operator's decision. An automatic approval before it becomes the operator's. */
export async function decideWithoutRequest(
  db: Transactional,
  now: number,
  clientId: string,
  { state, by }: { state: AccessState; by: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    await setAccess(tx, clientId, state);
    if (state !== 'approved') return;
    await tx.run(sql`
      update access_requests set decided_by = ${by}, decided = ${now}
      where application_key = (select key from applications where client_id = ${clientId})
        and kind = 'access' and state = 'approved' and decided_by is null`);
  });
}

/** Whether an operator has approved the application, and not the setting `ACCESS_APPROVAL=auto`, which approves all. */
export async function isApprovedByOperator(db: Queryable, { key, access }: Application): Promise<boolean> {
  if (access !== 'approved') return false;
  const newest = await db.get<{ decided_by: string | null }>(sql`
    select decided_by from access_requests
    where application_key = ${key} and kind = 'access' and state = 'approved' order by key desc limit 1`);
  return newest?.decided_by !== null;
}

const requestByKey = (db: Queryable, key: number): Promise<AccessRequest | undefined> =>
  getAs(db, sql`${SELECT} where r.key = ${key}`, toRequest);

export const requestById = (db: Queryable, id: string): Promise<AccessRequest | undefined> =>
  requestByKey(db, keyOf(id) ?? 0);

/** The newest requests of an application, newest first. */
export const listAccessRequests = (db: Queryable, applicationKey: number): Promise<AccessRequest[]> =>
  allAs(db, sql`${SELECT} where r.application_key = ${applicationKey} order by r.key desc limit 20`, toRequest);

/** Requests in one state: waiting ones oldest first, decided ones newest first. */
export async function listRequests(db: Queryable, state: RequestState, limit: number): Promise<AccessRequest[]> {
  const order = state === 'waiting' ? sql`r.key` : sql`r.key desc`;
  const rows = await db.all(sql`${SELECT} where r.state = ${state} order by ${order} limit ${limit}`);
  return rows.map(toRequest);
}

export const newestWaiting = (db: Queryable): Promise<number | undefined> =>
  getValue(db, sql`select key from access_requests where state = 'waiting' order by key desc limit 1`);
