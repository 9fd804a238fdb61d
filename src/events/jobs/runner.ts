import { setImmediate } from 'node:timers/promises';
import type { Clock } from '#platform/clock.ts';
import { Unavailable } from '#platform/errors.ts';
import { idOf } from '#platform/ids.ts';
import type { Log } from '#platform/process/log.ts';
import type { Db, Transaction } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import type { ResourceKind } from '#store/game/changes.ts';
import { NAMED_KINDS } from '#store/game/renamed-players.ts';
import { type Job, jobByKey, type JobKind, nextJob, nextStale, saveJob } from '#store/jobs.ts';
import { Keys } from '#store/sequence.ts';
import { UnitOfWork } from '../ledger/unit-of-work.ts';
import { anonymiseChunk } from './anonymisation.ts';
import { countersChunk } from '../handlers/recount.ts';
import { deriveAggregate, deriveMaxima, derivePlayer, deriveRecordsOf } from './derivation.ts';
import { mergeChunk } from '../handlers/merge-records.ts';
import type { ChunkRunner } from '../ledger/chunk.ts';
import { withdrawChunk } from './withdrawal.ts';

/**
 * Runs jobs (`store/jobs.ts`) in chunks: short transactions that each save a cursor, so that a job survives a restart, and
 * ingest, sign-in and API never wait for more than one chunk. Several processes may run chunks of one job in turns.
 */

interface JobRunner {
  run: ChunkRunner;
  /** The kinds of public resources that it changes, without those that the effects of events declare. */
  changes: readonly ResourceKind[];
}

const RUNNERS: Record<JobKind, JobRunner> = {
  withdrawal: { run: withdrawChunk, changes: ['server'] },
  merge: { run: mergeChunk, changes: NAMED_KINDS },
  anonymisation: { run: anonymiseChunk, changes: ['match', 'punishment', 'server'] },
  counters: { run: countersChunk, changes: [] },
};

type Context = { db: Db; clock: Clock; log?: Log };

/** Runs the next chunk of the oldest job. @returns false if no job can run */
export async function runChunk({ db, clock, log }: Context): Promise<boolean> {
  const waiting = await nextJob(db);
  if (waiting === undefined) return false;
  try {
    if (waiting.phase === 'derive') await deriveChunk(db, clock, waiting);
    else await db.transaction((tx) => workChunk(tx, clock));
  } catch (error) {
    if (error instanceof Unavailable) throw error;
    log?.error({ err: error, job: idOf(waiting.key), kind: waiting.kind }, 'a job has failed');
    await failJob(db, waiting, error);
  }
  return true;
}

async function workChunk(tx: Transaction, clock: Clock): Promise<void> {
  const keys = await Keys.lock(tx);
  const job = await nextJob(tx);
  if (job === undefined || job.phase === 'derive') return;
  const work = new UnitOfWork(tx, keys, clock.now());
  const { run, changes } = RUNNERS[job.kind];
  work.changes.declare(changes);
  const { cursor, done, isComplete, mayPause = true } = await run(work, job);
  await work.flush();
  await keys.save();
  const phase = isComplete || (mayPause && job.state === 'pausing') ? 'derive' : 'work';
  const state = isComplete ? 'waiting' : job.state;
  const chunks = job.chunks + 1;
  await saveJob(tx, { ...job, state, phase, chunks, cursor: JSON.stringify(cursor), done: job.done + done });
}

/** Derives one stale player or aggregate, or ends the job if none is left. */
async function deriveChunk(db: Db, clock: Clock, job: Job): Promise<void> {
  const stale = await nextStale(db);
  if (stale?.kind === 'player') await derivePlayer(db, clock, job, stale);
  else if (stale?.kind === 'counters') await deriveMaxima(db, job, stale);
  else if (stale?.kind === 'records') await deriveRecordsOf(db, job, stale);
  else await db.transaction((tx) => deriveAggregateOrEnd(tx, clock.now(), job));
}

async function deriveAggregateOrEnd(tx: Transaction, now: number, { key, chunks }: Job): Promise<void> {
  const keys = await Keys.lock(tx);
  const job = await jobByKey(tx, key);
  if (job?.chunks !== chunks) return;
  const stale = await nextStale(tx);
  const next = { ...job, chunks: chunks + 1 };
  if (stale === undefined) return await saveJob(tx, endedJob(next, now));
  if (stale.kind !== 'aggregate') return;
  const work = new UnitOfWork(tx, keys, now);
  const cascaded = await deriveAggregate(work, stale);
  await work.flush();
  const cursor = JSON.parse(job.cursor) as { cascaded?: number };
  const counted = JSON.stringify({ ...cursor, cascaded: (cursor.cascaded ?? 0) + cascaded });
  await saveJob(tx, { ...next, cursor: cascaded === 0 ? job.cursor : counted });
}

function endedJob(job: Job, now: number): Job {
  if (job.state === 'pausing') return { ...job, state: 'paused', phase: 'work' };
  // The parameters of a merge contain a UUID, which must not outlive the account.
  return { ...job, state: 'done', params: '{}', finished: now };
}

/** A failed job stays unfinished, because the records that it has not replaced or moved are as before. */
async function failJob(db: Db, { key }: Job, error: unknown): Promise<void> {
  const text = error instanceof Error ? error.message : String(error);
  await db.run(sql`update jobs set state = 'failed', error = ${text} where key = ${key}`);
}

/** Runs all jobs to their end without a pause: for tests, and for commands in a network that is not running. */
export async function runJobs(context: Context): Promise<void> {
  while (await runChunk(context)) await setImmediate();
}

const isOpen = ({ state, finished }: Job): boolean => state !== 'paused' && finished === null;

/**
 * Runs jobs, in turns with other processes, until one of them has ended or was paused.
 * @param rest called after each chunk
 * @throws Error if the job has failed, or waits for an earlier job that is paused
 */
export async function runJob(context: Context, key: number, rest: () => Promise<unknown> = setImmediate): Promise<Job> {
  for (;;) {
    const job = (await jobByKey(context.db, key))!;
    if (job.state === 'failed') throw new Error(`The job has failed: ${job.error}`);
    if (!isOpen(job)) return job;
    if (await runChunk(context)) await rest();
    // Another process may have ended the job since it was read.
    else if (isOpen((await jobByKey(context.db, key))!))
      throw new Error('The job waits for an earlier one that is paused.');
  }
}
