import { type Db, getValue, type Queryable } from '#db/db.ts';
import { insertAll, sql } from '#db/sql.ts';
import { type PlayerRead, readStatements } from './account-reads.ts';
import { SumChanges } from '../game/sum-changes.ts';

export const HOUR_MS = 3_600_000;

/** The requests of an application at one endpoint of the data API within an hour. */
export interface Usage {
  application_key: number;
  /** The start of the hour, epoch milliseconds. */
  hour: number;
  /** The path pattern, `/v1/matches/:id`; empty for paths that do not exist. */
  endpoint: string;
  requests: number;
  /** 4xx responses except 429. */
  client_errors: number;
  /** 429 responses. */
  limited: number;
  server_errors: number;
}

/** When an application last used the data API. */
export interface LastUse {
  application_key: number;
  /** Epoch milliseconds. */
  last: number;
}

/** The last use of an application with the tokens of one account. */
export interface PersonalRead {
  account_id: string;
  client_id: string;
  /** Epoch milliseconds. */
  last: number;
}

const COUNTED = ['requests', 'client_errors', 'limited', 'server_errors'] as const;
export type Sum = Pick<Usage, (typeof COUNTED)[number]>;
const USAGE = { name: 'usage', key: ['application_key', 'hour', 'endpoint'], sums: COUNTED, empty: 'requests' };

/** What one process has counted since it last stored it. */
export interface Counted {
  usage: readonly Usage[];
  lastUses: readonly LastUse[];
  personalReads: readonly PersonalRead[];
  playerReads: readonly PlayerRead[];
}

/** Adds the counts since the last call to the stored ones, in one transaction without fsync. */
export async function addUsage(db: Db, { usage, lastUses, personalReads, playerReads }: Counted): Promise<void> {
  const counts = new SumChanges<[application: number, hour: number, endpoint: string]>(USAGE);
  for (const row of usage) {
    const sums = COUNTED.map((column) => row[column]);
    counts.add([row.application_key, row.hour, row.endpoint], sums);
  }
  const statements = [
    ...counts.statements(),
    ...insertAll(
      'insert into application_uses (application_key, last) values',
      lastUses.map(({ application_key, last }) => [application_key, last]),
      'on conflict (application_key) do update set last = excluded.last where excluded.last > application_uses.last',
    ),
    ...personalReads.map(
      ({ account_id, client_id, last }) =>
        sql`update consents set read = ${last} where account_id = ${account_id} and client_id = ${client_id}`,
    ),
    ...(await readStatements(db, playerReads)),
  ];
  await db.transaction((tx) => tx.runAll(statements), { durable: false });
}

/** The usage of an application since a timestamp, by hour and endpoint. */
export const usageSince = (db: Queryable, applicationKey: number, since: number): Promise<Usage[]> =>
  db.all(sql`
    select application_key, hour, endpoint, requests, client_errors, limited, server_errors from usage
    where application_key = ${applicationKey} and hour >= ${since} order by hour, endpoint`);

/** Each process stores its counts this often, because on SQLite every commit empties the response cache. */
export const STORED_EVERY_MS = 10_000;

/**
 * The time until which every request is counted, unless a process crashed: requests of others that are this much older than the
 * newest stored one are stored too. Undefined before the first one.
 */
export async function countedUntil(db: Queryable): Promise<number | undefined> {
  const newest = await getValue<number | null>(db, sql`select max(last) from application_uses`);
  return typeof newest === 'number' ? newest - 2 * STORED_EVERY_MS : undefined;
}

export const readLastUse = (db: Queryable, applicationKey: number): Promise<number | undefined> =>
  getValue(db, sql`select last from application_uses where application_key = ${applicationKey}`);

export function sumUsage(usage: readonly Sum[]): Sum {
  const sums = COUNTED.map((column) => [column, usage.reduce((sum, row) => sum + row[column], 0)] as const);
  return Object.fromEntries(sums) as Sum;
}
