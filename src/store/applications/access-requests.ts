import { idOf, keyOf } from '#platform/ids.ts';
import { type Db, isUniqueViolation, type Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { type Application, setAccess, setLimit } from './applications.ts';
import { nextKey } from '../sequence.ts';

/** access: to the data API at all; limit: more requests an hour than usual. */
export const REQUEST_KINDS = ['access', 'limit'] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];
export const REQUEST_STATES = ['waiting', 'approved', 'refused'] as const;
export type RequestState = (typeof REQUEST_STATES)[number];

/** What an owner asked for, and what became of it. */
export interface AccessRequest {
  id: string;
  client_id: string;
  application_name: string;
  kind: RequestKind;
  account_id: string | null;
  account_name: string | null;
  /** What for: the purpose, or the reason for more. */
  purpose: string;
  /** Where it will be seen; empty where nowhere. */
  site: string;
  /** Requests an hour. */
  volume: number;
  state: RequestState;
  created: number;
  decided: number | null;
  /** Who decided, by name; null for the service itself. */
  decided_by: string | null;
  /** What the operator wrote to the applicant. */
  note: string;
}

type RequestRow = Omit<AccessRequest, 'id'> & { key: number };

const SELECT = sql`
  select r.key, a.client_id, a.name as application_name, r.kind, r.account_id, u.name as account_name, r.purpose, r.site,
    r.volume, r.state, r.created, r.decided, r.decided_by, r.note
  from access_requests r join applications a on a.key = r.application_key left join accounts u on u.id = r.account_id`;

const requestOf = ({ key, ...row }: RequestRow): AccessRequest => ({ id: idOf(key), ...row });

export interface Wish {
  kind: RequestKind;
  account_id: string;
  purpose: string;
  site: string;
  volume: number;
}

/**
 * Puts a wish into the operator's queue; access is waited for from then on, where it is not there already.
 * @returns undefined where such a wish waits already
 */
export async function askAccess(
  db: Db,
  now: number,
  application: Application,
  { kind, account_id, purpose, site, volume }: Wish,
): Promise<AccessRequest | undefined> {
  try {
    return await db.transaction(async (tx) => {
      const key = await nextKey(tx, now);
      await tx.run(sql`
        insert into access_requests (key, application_key, kind, account_id, purpose, site, volume, state, created,
          decided, decided_by, note)
        values (${key}, ${application.key}, ${kind}, ${account_id}, ${purpose}, ${site}, ${volume}, 'waiting', ${now},
          null, null, '')`);
      if (kind === 'access') await setAccess(tx, application.client_id, 'waiting');
      return (await requestByKey(tx, key))!;
    });
  } catch (error) {
    if (isUniqueViolation(error)) return undefined;
    throw error;
  }
}

export interface Decision {
  state: 'approved' | 'refused';
  note: string;
  /** The name of who decides; null for the service itself. */
  by: string | null;
  /** Requests an hour that a wish for more is granted; what was asked for where left out. */
  limit?: number | undefined;
}

/**
 * Answers a wish that waits, and does what the answer says.
 * @returns undefined where none waits under this id: somebody else has answered it
 */
export async function decideRequest(
  db: Db,
  now: number,
  id: string,
  { state, note, by, limit }: Decision,
): Promise<AccessRequest | undefined> {
  return await db.transaction(async (tx) => {
    const changed = await tx.run(sql`
      update access_requests set state = ${state}, note = ${note}, decided = ${now}, decided_by = ${by}
      where key = ${keyOf(id) ?? 0} and state = 'waiting'`);
    if (changed === 0) return undefined;
    const request = (await requestByKey(tx, keyOf(id)!))!;
    if (request.kind === 'access') await setAccess(tx, request.client_id, state);
    else if (state === 'approved') await setLimit(tx, request.client_id, limit ?? request.volume);
    return request;
  });
}

async function requestByKey(db: Queryable, key: number): Promise<AccessRequest | undefined> {
  const row = await db.get<RequestRow>(sql`${SELECT} where r.key = ${key}`);
  return row && requestOf(row);
}

export async function requestById(db: Queryable, id: string): Promise<AccessRequest | undefined> {
  return await requestByKey(db, keyOf(id) ?? 0);
}

/** What was asked for an application, the newest first. */
export async function requestsOf(db: Queryable, applicationKey: number): Promise<AccessRequest[]> {
  const rows = await db.all<RequestRow>(
    sql`${SELECT} where r.application_key = ${applicationKey} order by r.key desc limit 20`,
  );
  return rows.map(requestOf);
}

/** Those of one state: waiting ones the oldest first, others the newest first. */
export async function listRequests(db: Queryable, state: RequestState, limit: number): Promise<AccessRequest[]> {
  const order = state === 'waiting' ? sql`r.key` : sql`r.key desc`;
  const rows = await db.all<RequestRow>(sql`${SELECT} where r.state = ${state} order by ${order} limit ${limit}`);
  return rows.map(requestOf);
}

export async function countWaiting(db: Queryable): Promise<number> {
  const row = await db.get<{ count: number }>(
    sql`select count(*) as count from access_requests where state = 'waiting'`,
  );
  return row!.count;
}
