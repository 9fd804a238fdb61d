import { hostname } from 'node:os';
import { columnOf, type Queryable } from '../db.ts';
import { sql } from '../sql.ts';

/** PostgreSQL cuts names after 63 bytes. */
const MAX_HOST = 36;

/**
 * The name of the sessions of a process of the service, which all its threads share. It says how many migrations the process
 * knows, for those that start beside it.
 */
export const serviceSessionName = (service: number, known: number): string =>
  `scorehall serve ${known} ${service}@${hostname().slice(0, MAX_HOST)}`;

/** The names of the processes of the service that have sessions in this database now. */
const sessionNames = (db: Queryable): Promise<string[]> =>
  columnOf<string>(
    db,
    sql`
    select distinct application_name from pg_stat_activity
    where datname = current_database() and application_name like 'scorehall serve %'`,
  );

export const countServiceProcesses = async (db: Queryable): Promise<number> => (await sessionNames(db)).length;

/** The processes, as PROCESS@HOST, that know fewer migrations. */
export async function olderServices(db: Queryable, known: number): Promise<string[]> {
  const named = (await sessionNames(db)).map((name) => name.split(' ').slice(2));
  return named.filter(([number]) => Number(number) < known).map(([, process]) => process!);
}
