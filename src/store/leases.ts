import type { Db, Queryable } from '#db/db.ts';
import { sql, type Sql } from '#db/sql.ts';

/** Which process does the work of a row, such as polling a game server. */

/** The tables whose rows processes hold by leases, with their keys. */
const TABLES = {
  server_watches: { table: sql`server_watches`, key: sql`server_key` },
  managed_servers: { table: sql`managed_servers`, key: sql`server_key` },
  webhooks: { table: sql`webhooks`, key: sql`key` },
} satisfies Record<string, { table: Sql; key: Sql }>;
export type LeasedTable = keyof typeof TABLES;

/**
 * Which process holds a row; no process has the holder ''. `until` (`held_until`) is a time by the clock of that process,
 * and grows with each renewal: others only see whether it has changed.
 */
export interface Lease {
  key: number;
  holder: string;
  until: number;
}

/** The leases that a process does not hold. */
export async function otherLeases(db: Queryable, name: LeasedTable, holder: string): Promise<Lease[]> {
  const { table, key } = TABLES[name];
  return await db.all(sql`
    select ${key} as key, holder, held_until as until from ${table} where holder <> ${holder} order by ${key}`);
}

/** Takes rows, except for those whose lease has changed since it was read. */
export async function takeLeases(
  db: Db,
  name: LeasedTable,
  leases: readonly Lease[],
  holder: string,
  until: number,
): Promise<void> {
  // Writing takes the writer's lock.
  if (leases.length === 0) return;
  const { table, key } = TABLES[name];
  // In the order of the keys, so that processes that take the same rows do not deadlock.
  const ordered = leases.toSorted((one, other) => one.key - other.key);
  await db.transaction((tx) =>
    tx.runAll(
      ordered.map(
        (lease) => sql`
          update ${table} set holder = ${holder}, held_until = ${until}
          where ${key} = ${lease.key} and holder = ${lease.holder} and held_until = ${lease.until}`,
      ),
    ),
  );
}

/** Renews all leases of a process. A clock that stops or goes back must not leave a lease unchanged. */
export async function renewLeases(db: Db, name: LeasedTable, holder: string, until: number): Promise<void> {
  await changeHeld(
    db,
    name,
    holder,
    sql`held_until = case when held_until < ${until} then ${until} else held_until + 1 end`,
  );
}

/** Releases the leases, so that other processes can take the rows immediately. */
export async function releaseLeases(db: Db, name: LeasedTable, holder: string): Promise<void> {
  await changeHeld(db, name, holder, sql`holder = '', held_until = 0`);
}

/** Locks in the order of the keys: on PostgreSQL an `update` locks its rows in any order, and two processes could deadlock. */
async function changeHeld(db: Db, name: LeasedTable, holder: string, change: Sql): Promise<void> {
  const { table, key } = TABLES[name];
  const held = sql`from ${table} where holder = ${holder}`;
  // Reads first, because writing takes the writer's lock.
  if ((await db.tuple(sql`select 1 ${held} limit 1`)) === undefined) return;
  await db.transaction(async (tx) => {
    if (tx.remote) await tx.tuples(sql`select 1 ${held} order by ${key} for no key update`);
    await tx.run(sql`update ${table} set ${change} where holder = ${holder}`);
  });
}
