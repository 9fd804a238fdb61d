import type { Db, Queryable } from '#db/db.ts';
import { sql, type Sql } from '#db/sql.ts';

/** Which process polls or follows each game server. */

/** The tables of servers that processes hold by leases. */
const TABLES = { server_watches: sql`server_watches`, managed_servers: sql`managed_servers` } satisfies Record<
  string,
  Sql
>;
export type LeasedTable = keyof typeof TABLES;

/**
 * Which process holds a server; no process has the holder ''. `until` (`held_until`) is a time by the clock of that process,
 * and grows with each renewal: others only see whether it has changed.
 */
export interface ServerLease {
  serverKey: number;
  holder: string;
  until: number;
}

/** The leases that a process does not hold. */
export async function otherLeases(db: Queryable, table: LeasedTable, holder: string): Promise<ServerLease[]> {
  const rows = await db.tuples(sql`
    select server_key, holder, held_until from ${TABLES[table]} where holder <> ${holder} order by server_key`);
  return rows.map(([serverKey, other, until]) => ({
    serverKey: Number(serverKey),
    holder: String(other),
    until: Number(until),
  }));
}

/** Takes servers, except for those whose lease has changed since it was read. */
export async function takeLeases(
  db: Db,
  table: LeasedTable,
  leases: readonly ServerLease[],
  holder: string,
  until: number,
): Promise<void> {
  // Writing takes the writer's lock.
  if (leases.length === 0) return;
  // In the order of the keys, so that processes that take the same servers do not deadlock.
  const ordered = leases.toSorted((one, other) => one.serverKey - other.serverKey);
  await db.transaction((tx) =>
    tx.runAll(
      ordered.map(
        (lease) => sql`
          update ${TABLES[table]} set holder = ${holder}, held_until = ${until}
          where server_key = ${lease.serverKey} and holder = ${lease.holder} and held_until = ${lease.until}`,
      ),
    ),
  );
}

/** Renews all leases of a process. A clock that stops or goes back must not leave a lease unchanged. */
export async function renewLeases(db: Db, table: LeasedTable, holder: string, until: number): Promise<void> {
  await changeHeld(
    db,
    table,
    holder,
    sql`held_until = case when held_until < ${until} then ${until} else held_until + 1 end`,
  );
}

/** Releases the leases, so that other processes can take the servers immediately. */
export async function releaseLeases(db: Db, table: LeasedTable, holder: string): Promise<void> {
  await changeHeld(db, table, holder, sql`holder = '', held_until = 0`);
}

/** Locks in the order of the keys: on PostgreSQL an `update` locks its rows in any order, and two processes could deadlock. */
async function changeHeld(db: Db, table: LeasedTable, holder: string, change: Sql): Promise<void> {
  const held = sql`from ${TABLES[table]} where holder = ${holder}`;
  // Reads first, because writing takes the writer's lock.
  if ((await db.tuple(sql`select 1 ${held} limit 1`)) === undefined) return;
  await db.transaction(async (tx) => {
    if (tx.remote) await tx.tuples(sql`select 1 ${held} order by server_key for no key update`);
    await tx.run(sql`update ${TABLES[table]} set ${change} where holder = ${holder}`);
  });
}
