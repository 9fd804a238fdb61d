import { performance } from 'node:perf_hooks';
import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** How the service is, as the operator sees it. */
export interface Health {
  database: Db['dialect'];
  /** What one look-up takes, in milliseconds. */
  answer_ms: number;
  servers: { known: number; heard: number };
  /** Players connected over the whole network. */
  online: number;
  last_match: number | null;
  /** Events that were taken of anybody last. */
  last_event: number | null;
  /** Seconds since this process began, and megabytes that it holds. */
  uptime_s: number;
  memory_mb: number;
}

/** @param since heartbeats from before no longer count */
export async function healthOf(db: Db, since: number): Promise<Health> {
  const started = performance.now();
  const last_event = await newest(db, sql`select received as moment from ledger order by key desc limit 1`);
  const answer_ms = performance.now() - started;
  const servers = await db.get<{ known: number; heard: number | null; online: number | null }>(sql`
    select count(*) as known, sum(case when p.received >= ${since} then 1 else 0 end) as heard,
      sum(case when p.received >= ${since} then p.player_count else 0 end) as online
    from servers s left join presence p on p.server_key = s.key where s.removed is null`);
  return {
    ...{ database: db.dialect, answer_ms, last_event },
    servers: { known: servers!.known, heard: servers!.heard ?? 0 },
    online: servers!.online ?? 0,
    last_match: await newest(db, sql`select finished as moment from matches order by key desc limit 1`),
    uptime_s: Math.round(process.uptime()),
    memory_mb: Math.round(process.memoryUsage.rss() / 1_048_576),
  };
}

async function newest(db: Db, query: ReturnType<typeof sql>): Promise<number | null> {
  return (await db.get<{ moment: number }>(query))?.moment ?? null;
}
