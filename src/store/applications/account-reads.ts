import { setImmediate } from 'node:timers/promises';
import type { Queryable } from '#db/db.ts';
import { lists, type Sql, sql } from '#db/sql.ts';
import { SumChanges } from '../game/sum-changes.ts';
import { bucketsIn, oldestRetained } from '../game/time-buckets.ts';

/** How often an application was answered about a player within a day. */
export interface PlayerRead {
  uuid: string;
  /** The bucket of the day. */
  day: number;
  application_key: number;
  requests: number;
}

/** The same about the game account of an account, with the application; null if it was deleted. */
export interface AccountRead extends Omit<PlayerRead, 'uuid' | 'application_key'> {
  client_id: string | null;
  name: string | null;
}

const READS = { name: 'account_reads', key: ['account_id', 'day', 'application_key'], sums: ['requests'] };

/** The statements that add what was read about players with a linked account. Nothing is stored about others. */
export async function readStatements(db: Queryable, reads: readonly PlayerRead[]): Promise<Sql[]> {
  const accounts = await accountsByPlayer(db, new Set(reads.map(({ uuid }) => uuid)));
  const sums = new SumChanges<[account: string, day: number, application: number]>({ ...READS, empty: 'requests' });
  for (const { uuid, day, application_key, requests } of reads)
    for (const id of accounts.get(uuid) ?? []) sums.add([id, day, application_key], [requests]);
  return sums.statements();
}

/** The ids of the accounts that are linked to players, or to others that were merged into these. */
async function accountsByPlayer(db: Queryable, uuids: ReadonlySet<string>): Promise<ReadonlyMap<string, string[]>> {
  const found: [uuid: string, id: string][] = [];
  for (const some of lists([...uuids])) {
    const rows = await db.tuples(sql`
      select player_uuid, id from accounts where player_uuid in (${some})
      union
      select p.into_uuid, a.id from player_aliases p join accounts a on a.player_uuid = p.uuid where p.into_uuid in (${some})`);
    found.push(...(rows as typeof found));
    // Reads of SQLite block the thread.
    await setImmediate();
  }
  return new Map(
    Map.groupBy(found, ([uuid]) => uuid)
      .entries()
      .map(([uuid, rows]) => [uuid, rows.map(([, id]) => id)]),
  );
}

/** Who read the data of an account, the last day first. The days are those of leaderboards, and as many are kept. */
export const readsOfAccount = (
  db: Queryable,
  accountId: string,
  { zone, now }: { zone: string; now: number },
): Promise<AccountRead[]> =>
  db.all(sql`
    select r.day, a.client_id, a.name, r.requests from account_reads r left join applications a on a.key = r.application_key
    where r.account_id = ${accountId} and r.day >= ${oldestRetained(bucketsIn(zone), now).day}
    order by r.day desc, r.requests desc, r.application_key`);
