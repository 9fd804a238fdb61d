import type { Db, Queryable } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';

const MINUTE_MS = 60_000;

export interface OnlineSample {
  /** The start of the minute, epoch milliseconds. */
  time: number;
  count: number;
}

/**
 * Counts the players online and stores the count for this minute. If several processes do so, the first one counts.
 * @param since epoch milliseconds; heartbeats received earlier do not count
 */
export async function sampleOnline(db: Pick<Db, 'transaction'>, now: number, since: number): Promise<void> {
  const time = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  await db.transaction(async (tx) => {
    await lockSamples(tx);
    const inserted = await tx.run(
      sql`insert into online_samples (time, count) values (${time}, 0) on conflict (time) do nothing`,
    );
    if (inserted === 0) return;
    await tx.run(sql`
      insert into online_by_server (time, server_key, received, count)
      select cast(${time} as bigint), p.server_key, p.received, p.player_count
      from presence p join servers s on s.key = p.server_key
      where p.received >= ${since} and s.removed is null and p.player_count > 0`);
    await tx.run(sql`
      update online_samples set count = (select coalesce(sum(b.count), 0) from online_by_server b where b.time = ${time})
      where time = ${time}`);
  });
}

/**
 * Retracts the heartbeats of a server received since a timestamp: deletes its presence and subtracts its share from the
 * samples, at most `limit` of them. Earlier heartbeats are not restored in those minutes.
 * @returns the number of samples that changed, and whether the presence of a server that is not removed was deleted
 */
export async function removeOnlineSamples(
  tx: Queryable,
  serverKey: number,
  since: number,
  limit: number,
): Promise<{ samples: number; isSeen: boolean }> {
  await lockSamples(tx);
  const deleted = await tx.tuples(sql`
    delete from presence where server_key = ${serverKey} and received >= ${since}
    returning (select removed from servers where key = server_key)`);
  const isSeen = deleted.some(([removed]) => removed === null);
  // All samples, at most eight days, are checked, because their clock may be that of another process than the
  // heartbeats'.
  const rows = await tx.tuples(sql`
    select time from online_by_server where server_key = ${serverKey} and received >= ${since} order by time limit ${limit}`);
  if (rows.length === 0) return { samples: 0, isSeen };
  const times = list(rows.map(([time]) => time as number));
  await tx.run(sql`
    update online_samples
    set count = count - (
      select b.count from online_by_server b where b.time = online_samples.time and b.server_key = ${serverKey})
    where time in (${times})`);
  await tx.run(sql`delete from online_by_server where server_key = ${serverKey} and time in (${times})`);
  return { samples: rows.length, isSeen };
}

/** Serialises sampling and retraction, which without the lock could miss each other's rows. */
async function lockSamples(tx: Queryable): Promise<void> {
  if (tx.remote) await tx.run(sql`lock table online_by_server in exclusive mode`);
}

/** The samples since a timestamp (epoch milliseconds), oldest first. */
export const onlineSince = (db: Queryable, since: number): Promise<OnlineSample[]> =>
  db.all(sql`select time, count from online_samples where time >= ${since} order by time limit 2000`);
