import { performance } from 'node:perf_hooks';
import { type Db, getValue } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { type MailFailure, mailFailureOf } from '#store/mail/mail-failures.ts';
import { isClockSuspect, lastRun } from './job-runs.ts';

/** The state of the service for the operator. Timestamps are epoch milliseconds, null if there is none yet. */
export interface Health {
  database: Db['dialect'];
  /** Duration of one look-up in milliseconds. */
  answer_ms: number;
  /** `heard`: servers with a recent heartbeat. */
  servers: { known: number; heard: number };
  /** Players on the whole network. */
  online: number;
  /** When the last match ended. */
  last_match: number | null;
  /** When the newest event was received. */
  last_event: number | null;
  /** `paused`: the clock is so far ahead of the last purge that nothing is deleted (see server/purge-guard.ts). */
  purge: { last: number | null; paused: boolean };
  /** The failure of the mail server; null while it takes mails. */
  mail_failure: MailFailure | null;
  /** Seconds since this process started. */
  uptime_s: number;
  /** Resident memory of this process in megabytes. */
  memory_mb: number;
}

/**
 * @param options.since epoch milliseconds; heartbeats received earlier do not count
 * @param options.mailServer as `mailServerOf` names it
 */
export async function healthOf(
  db: Db,
  { now, since, mailServer }: { now: number; since: number; mailServer: string },
): Promise<Health> {
  const started = performance.now();
  const last_event = await getValue<number>(db, sql`select received from ledger order by key desc limit 1`);
  const answer_ms = performance.now() - started;
  const servers = await db.get<{ known: number; heard: number | null; online: number | null }>(sql`
    select count(*) as known, sum(case when p.received >= ${since} then 1 else 0 end) as heard,
      sum(case when p.received >= ${since} then p.player_count else 0 end) as online
    from servers s left join presence p on p.server_key = s.key where s.removed is null`);
  const last = await lastRun(db, 'purge');
  return {
    database: db.dialect,
    answer_ms,
    servers: { known: servers!.known, heard: servers!.heard ?? 0 },
    online: servers!.online ?? 0,
    last_event: last_event ?? null,
    last_match: (await getValue<number | null>(db, sql`select max(finished) from matches`)) ?? null,
    purge: { last: last ?? null, paused: isClockSuspect(last, now) },
    mail_failure: (await mailFailureOf(db, mailServer)) ?? null,
    uptime_s: Math.round(process.uptime()),
    memory_mb: Math.round(process.memoryUsage.rss() / 1_048_576),
  };
}
