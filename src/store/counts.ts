import type { Db, Queryable } from '#db/db.ts';
import { insertAll, join, row, sql } from '#db/sql.ts';

/** The counts that the setting `COUNTERS` moves into memory, and those that are always in the database. */
const TABLES = { COUNTERS: sql`rate_limits`, database: sql`throttles` };

export type CountTable = keyof typeof TABLES;

/** The count of a subject within its window, which begins with the first request. */
export interface Count {
  subject: string;
  used: number;
  /** The end of the window, epoch milliseconds. */
  resets: number;
}

/** Maximum subjects that one statement counts. */
const MAX_SUBJECTS = 32;

/** Adds to the counts of different subjects; `resets` is the end of a window that begins now. */
export async function addCounts(
  db: Queryable,
  table: CountTable,
  now: number,
  added: readonly Count[],
): Promise<Count[]> {
  // All processes lock the rows in this order, so that two of them do not wait for each other.
  const waiting = added.toSorted((a, b) => (a.subject < b.subject ? -1 : 1));
  const counts: Count[] = [];
  while (waiting.length > 0) {
    // A power of two, so that the number of different prepared statements stays small.
    const size = 2 ** Math.floor(Math.log2(Math.min(MAX_SUBJECTS, waiting.length)));
    const rows = waiting.splice(0, size).map(({ subject, used, resets }) => row([subject, used, resets]));
    const written = await db.all<Count>(sql`
      insert into ${TABLES[table]} as counts (subject, used, resets) values ${join(rows)}
      on conflict (subject) do update set
        used = case when counts.resets <= ${now} then excluded.used else counts.used + excluded.used end,
        resets = case when counts.resets <= ${now} then excluded.resets else counts.resets end
      returning subject, used, resets`);
    counts.push(...written);
  }
  return counts;
}

/** The count of a subject; undefined if it has no open window. */
export const readCount = (db: Db, table: CountTable, now: number, subject: string): Promise<Count | undefined> =>
  db.get(sql`select subject, used, resets from ${TABLES[table]} where subject = ${subject} and resets > ${now}`);

export async function lowerCount(db: Db, table: CountTable, subject: string, requests: number): Promise<void> {
  await db.run(
    sql`update ${TABLES[table]} set used = used - ${requests} where subject = ${subject} and used >= ${requests}`,
  );
}

export async function deleteCount(db: Db, table: CountTable, subject: string): Promise<void> {
  await db.run(sql`delete from ${TABLES[table]} where subject = ${subject}`);
}

/** Saves counts that this process keeps in memory. */
export async function saveCounts(db: Db, counts: readonly Count[]): Promise<void> {
  const statements = insertAll(
    'insert into rate_limits (subject, used, resets) values',
    counts.map(({ subject, used, resets }) => [subject, used, resets]),
    'on conflict (subject) do update set used = excluded.used, resets = excluded.resets',
  );
  for (const statement of statements) await db.transaction((tx) => tx.run(statement), { durable: false });
}

/** The saved counts of a limit whose windows end last, at most `max`, in the order of their ends. */
export async function savedCounts(db: Db, now: number, limit: string, max: number): Promise<Count[]> {
  const counts = await db.all<Count>(sql`
    select subject, used, resets from rate_limits where resets > ${now} and subject like ${`${limit} %`}
    order by resets desc limit ${max}`);
  return counts.reverse();
}
