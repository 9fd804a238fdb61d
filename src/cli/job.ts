import { setTimeout as pause } from 'node:timers/promises';
import { TemporaryError, Unavailable, UsageError } from '#platform/errors.ts';
import { byJobId, pauseJob, resumeJob } from '#admin/jobs.ts';
import type { AppContext } from '#context/context.ts';
import { runJob } from '#events/jobs/runner.ts';
import { type Job, jobByKey, jobId, jobInTurn, listJobs, waitsFor } from '#store/jobs.ts';
import { type Command, commandAbout, reading } from './command/command.ts';
import { command } from './command/operation-command.ts';
import { errorOutput } from '#platform/process/output.ts';

const result = ({ db }: AppContext, { key }: Job) => shownJob(db, key);
const NEWEST = 50;

export const commands: Command[] = [
  reading(
    'job list',
    'List the newest jobs: withdrawals, merges, anonymisations and recounts, with their progress',
    listAll,
  ),
  commandAbout(byJobId, 'job show', 'Show one job', ({ db }, { key }) => shownJob(db, key)),
  command(pauseJob, 'job pause', { result }),
  command(resumeJob, 'job resume', { result }),
];

async function listAll({ db }: AppContext) {
  const inTurn = await jobInTurn(db);
  const jobs = await listJobs(db, Number.MAX_SAFE_INTEGER, NEWEST);
  return jobs.map((job) => wireJob(job, inTurn));
}

async function shownJob(db: AppContext['db'], key: number): Promise<Record<string, unknown>> {
  const inTurn = await jobInTurn(db);
  return wireJob((await jobByKey(db, key))!, inTurn);
}

function wireJob(job: Job, inTurn: Job | undefined): Record<string, unknown> {
  const before = waitsFor(job, inTurn);
  const { kind, state, label, done, total, created, finished, error } = job;
  return {
    id: jobId(job),
    kind,
    state,
    about: label,
    done,
    total,
    created: new Date(created).toISOString(),
    finished: finished === null ? null : new Date(finished).toISOString(),
    waits_for: before === undefined ? null : jobId(before),
    ...(error === '' ? {} : { error }),
  };
}

const PROGRESS_EVERY_MS = 1_000;

async function progressLine(db: AppContext['db'], key: number): Promise<string> {
  const inTurn = await jobInTurn(db);
  const job = (await jobByKey(db, key))!;
  const before = waitsFor(job, inTurn);
  const id = jobId(job);
  if (before !== undefined) return `job ${id}: waits for job ${jobId(before)} (${amountOf(before)})\n`;
  return `job ${id}: ${amountOf(job)} (pause it: scorehall job pause --job ${id})\n`;
}

const amountOf = ({ done, total }: Job): string => (total === null ? String(done) : `${done} of ${total}`);

/**
 * Takes part in running a job until it has ended, with its progress on standard error. A running service works on the job
 * too, and continues it if the command is interrupted. Rests after each transaction for as long as it took, unless the
 * database says that no other connection waits to write.
 */
export async function runWithProgress(context: AppContext, key: number): Promise<Job> {
  const id = jobId({ key });
  let started = performance.now();
  let shown = started;
  const rest = async (): Promise<void> => {
    if (performance.now() - shown > PROGRESS_EVERY_MS) {
      shown = performance.now();
      errorOutput().write(await progressLine(context.db, key));
    }
    await pause(context.db.othersWait() === false ? 0 : performance.now() - started);
    started = performance.now();
  };
  const job = await runJob(context, key, rest).catch((error: unknown) => {
    // The service continues a job whose command has lost the database.
    const Failure = error instanceof Unavailable ? TemporaryError : UsageError;
    throw new Failure(`${(error as Error).message.replace(/\.?$/, '.')} See: scorehall job show --job ${id}`);
  });
  if (job.state === 'paused')
    throw new UsageError(`The job ${id} was paused. Continue: scorehall job resume --job ${id}`);
  return job;
}

/** Runs a withdrawal to its end. @returns the events that were withdrawn, and how many of them cascaded */
export async function runWithdrawal(context: AppContext, key: number): Promise<{ events: number; cascaded: number }> {
  const { cursor } = await runWithProgress(context, key);
  const { events, cascaded } = JSON.parse(cursor) as { events: number; cascaded: number };
  return { events: events + cascaded, cascaded };
}
