import type { Db, Queryable } from '#db/db.ts';
import { insertAll, sql } from '#db/sql.ts';

export const HOUR_MS = 3_600_000;

/** How the data API answered an application at one endpoint within an hour. */
export interface Usage {
  application_key: number;
  /** Epoch milliseconds at which the hour begins. */
  hour: number;
  /** The path as the description writes it: `/v1/matches/:id`; empty for paths that do not exist. */
  endpoint: string;
  requests: number;
  /** 4xx, those over the limit left out. */
  client_errors: number;
  /** 429 */
  limited: number;
  server_errors: number;
}

/** Reading of one application with the tokens of one person. */
export interface PersonalRead {
  account_id: string;
  client_id: string;
  /** Epoch milliseconds. */
  last: number;
}

/** Adds what was counted since the last time to what is known, all of it or nothing. */
export async function addUsage(
  db: Db,
  counted: readonly Usage[],
  lastUses: ReadonlyMap<number, number>,
  reads: readonly PersonalRead[],
): Promise<void> {
  const rows = counted.map((usage) => [
    ...[usage.application_key, usage.hour, usage.endpoint, usage.requests],
    ...[usage.client_errors, usage.limited, usage.server_errors],
  ]);
  await db.runAll([
    ...insertAll(
      'insert into usage (application_key, hour, endpoint, requests, client_errors, limited, server_errors) values',
      rows,
      `on conflict (application_key, hour, endpoint) do update set requests = usage.requests + excluded.requests,
        client_errors = usage.client_errors + excluded.client_errors, limited = usage.limited + excluded.limited,
        server_errors = usage.server_errors + excluded.server_errors`,
    ),
    ...insertAll(
      'insert into application_uses (application_key, last) values',
      [...lastUses],
      'on conflict (application_key) do update set last = excluded.last where excluded.last > application_uses.last',
    ),
    ...reads.map(
      ({ account_id, client_id, last }) =>
        sql`update consents set read = ${last} where account_id = ${account_id} and client_id = ${client_id}`,
    ),
  ]);
}

/** What is known of an application since a moment, by hour. */
export async function usageSince(db: Queryable, applicationKey: number, since: number): Promise<Usage[]> {
  return await db.all<Usage>(sql`
    select application_key, hour, endpoint, requests, client_errors, limited, server_errors from usage
    where application_key = ${applicationKey} and hour >= ${since} order by hour, endpoint`);
}

/** When an application last asked the data API. */
export async function lastUseOf(db: Queryable, applicationKey: number): Promise<number | undefined> {
  const row = await db.get<{ last: number }>(
    sql`select last from application_uses where application_key = ${applicationKey}`,
  );
  return row?.last;
}

export type Sum = Pick<Usage, 'requests' | 'client_errors' | 'limited' | 'server_errors'>;

/** All of it together. */
export function sumOf(usage: readonly Sum[]): Sum {
  const sum = { requests: 0, client_errors: 0, limited: 0, server_errors: 0 };
  for (const one of usage) {
    sum.requests += one.requests;
    sum.client_errors += one.client_errors;
    sum.limited += one.limited;
    sum.server_errors += one.server_errors;
  }
  return sum;
}
