import { hostname } from 'node:os';
import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** PostgreSQL cuts names after 63 bytes. */
const MAX_HOST = 40;

/** The name of the sessions of this process of the service, which all its threads share. */
export const serviceSessionName = (service: number): string => `scorehall ${service}@${hostname().slice(0, MAX_HOST)}`;

/** How many processes of the service have sessions in this PostgreSQL database now. */
export async function countServiceProcesses(db: Queryable): Promise<number> {
  const [row] = await db.tuples(sql`
    select count(distinct application_name) from pg_stat_activity
    where datname = current_database() and application_name like 'scorehall %@%'`);
  return Number(row![0]);
}
