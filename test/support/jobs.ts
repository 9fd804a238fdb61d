import type { Clock } from '#platform/clock.ts';
import { systemClock } from '#platform/clock.ts';
import type { Db } from '#db/db.ts';
import { runJob, runJobs } from '#events/jobs/runner.ts';
import { createWithdrawal, type WithdrawalParams } from '#events/jobs/withdrawal.ts';

export interface RetractResult {
  /** Events that were withdrawn, including the cascaded ones. */
  events: number;
  cascaded: number;
}

/** Runs all jobs to their end. */
export async function finishJobs(db: Db): Promise<void> {
  await runJobs({ db, clock: systemClock });
}

/** Withdraws events by their keys, with a job that runs here. */
export async function retractEvents(
  db: Db,
  clock: Clock,
  keys: readonly number[],
  server?: number,
): Promise<RetractResult> {
  return await withdraw(db, clock, { keys, ...(server === undefined ? {} : { server }) });
}

/** Withdraws all events of a server that were received since a timestamp, with a job that runs here. */
export async function retractSince(db: Db, clock: Clock, server: number, since: number): Promise<RetractResult> {
  return await withdraw(db, clock, { server, since });
}

async function withdraw(db: Db, clock: Clock, params: WithdrawalParams): Promise<RetractResult> {
  const { cursor } = await runJob({ db, clock }, await createWithdrawal(db, clock, params));
  const { events, cascaded } = JSON.parse(cursor) as RetractResult;
  return { events: events + cascaded, cascaded };
}
