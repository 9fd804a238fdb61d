import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '#platform/errors.ts';
import { systemClock } from '#platform/clock.ts';
import { applyDueResets } from '#store/accounts/factor-resets.ts';
import { rotateOldKey } from '#store/accounts/signing-keys.ts';
import { projectMatches } from '#store/game/leaderboards/leaderboard-projection.ts';
import { BatchLimit } from '#store/game/projections.ts';
import { sampleOnline } from '#store/game/online-samples.ts';
import { projectRivals } from '#store/game/rivals/rival-projection.ts';
import { rankMaps } from '#store/game/maps/map-ranks.ts';
import { fillChanges } from '#store/game/changes.ts';
import { recordNextShown } from '#store/game/renamed-players.ts';
import { countRanks } from '#store/game/teampvp-ranks.ts';
import { cutSitemaps } from '#store/game/sitemaps.ts';
import { purgeSteps, type Retention, tokenPurgeSteps } from '#store/purge/purge.ts';
import { revocationLog, writeRevocations } from '#store/revocations/outbox.ts';
import { recordRun } from '#store/installation/job-runs.ts';
import type { Config } from '#platform/config/config.ts';
import type { AppContext } from '#context/context.ts';
import { runChunk } from '#events/jobs/runner.ts';
import type { EventQueue } from '#events/ingest/event-queue.ts';
import { counter, DURATION_BUCKETS, gauge, histogram, type Metrics } from '#platform/process/metrics.ts';
import { mailNotices } from '#mails/account-mails.ts';
import { mailOperators } from '#mails/operator-mails.ts';
import { mailPunished } from '#mails/punishment-mails.ts';
import { mailWebhookOwners } from '#mails/application-mails.ts';
import { PurgeGuard } from './purge-guard.ts';

/**
 * Background work that is due again and again. It may run in several processes at once and may be interrupted anywhere; no
 * answer depends on it.
 */
interface RecurringJob {
  name: string;
  everyMs: number;
  run(context: AppContext, pacing: Pacing): Promise<void>;
}

/** When a job pauses between its steps. */
interface Pacing {
  /** The writer's load: milliseconds in which it had events to write, so far. */
  load: Pick<EventQueue, 'busyMs'>;
  stop: AbortSignal;
  /** The longest pause after a step, as a multiple of the time that the step took. */
  maxPause: number;
  /** See `Db.othersWait`; left out: no other connection waits. */
  othersWait?: () => boolean | undefined;
  /** Whether the next step has to wait; left out: never. */
  isHeldBack?: () => boolean;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** On SQLite the ingest waits while a job writes; on PostgreSQL both only share the machine. */
const MAX_PAUSE = { sqlite: 200, postgres: 40 };
/**
 * A backup, or another long read, keeps SQLite from emptying its log, and deletions of random rows add most to it: a purge
 * waits while the log is longer than this. Without such a read a log of commits that do not flush has up to 250 MB.
 */
const LONG_LOG_BYTES = 512 * 1024 ** 2;
const HELD_BACK_MS = 100;
/** A job continues when the writer is idle for this share of the time. */
const IDLE_SHARE = 0.5;

const JOBS: readonly RecurringJob[] = [
  { name: 'run queued jobs', everyMs: SECOND_MS, run: runQueuedJobs },
  { name: 'update leaderboards', everyMs: SECOND_MS, run: inSteps(updateLeaderboards) },
  { name: 'record changes', everyMs: SECOND_MS, run: inSteps(recordRemainingChanges) },
  { name: 'write revocation log', everyMs: SECOND_MS, run: inSteps(writeRevocationLog) },
  { name: 'count ranks', everyMs: SECOND_MS, run: inSteps(({ db }) => countRanks(db)) },
  // One match a transaction would cost twice as much as ten.
  { name: 'count rivals', everyMs: 10 * SECOND_MS, run: inSteps(({ db }, limit) => projectRivals(db, limit)) },
  { name: 'mail accounts', everyMs: SECOND_MS, run: mailNotices },
  { name: 'mail punished players', everyMs: SECOND_MS, run: mailPunished },
  { name: 'reset second factors', everyMs: MINUTE_MS, run: ({ db, clock }) => applyDueResets(db, clock.now()) },
  { name: 'sample online players', everyMs: MINUTE_MS, run: sampleOnlinePlayers },
  {
    name: 'rotate signing keys',
    everyMs: MINUTE_MS,
    run: ({ db, config, clock }) => rotateOldKey(db, config, clock.now()),
  },
  { name: 'rank maps', everyMs: MINUTE_MS, run: rankAllMaps },
  { name: 'mail owners of webhooks', everyMs: MINUTE_MS, run: mailWebhookOwners },
  { name: 'cut sitemaps', everyMs: 10 * MINUTE_MS, run: inSteps(({ db }) => cutSitemaps(db)) },
];

/** @param step returns false after the last one; a projection limits its transactions by what the earlier ones took */
function inSteps(step: (context: AppContext, limit: BatchLimit) => Promise<boolean>): RecurringJob['run'] {
  const limit = new BatchLimit();
  return (context, pacing) => runWithPauses(() => step(context, limit), pacing);
}

/** The jobs that operators and account owners have started rest for at most as long as the last step took. */
async function runQueuedJobs(context: AppContext, pacing: Pacing): Promise<void> {
  await runWithPauses(() => runChunk(context), { ...pacing, maxPause: Math.min(1, pacing.maxPause) });
}

/** All jobs of one process, with those that remember when the process started or what its clock has shown since. */
function allJobs({ db, clock, log }: AppContext): readonly RecurringJob[] {
  const started = clock.now();
  const guard = new PurgeGuard(db, log);
  return [
    ...JOBS,
    { name: 'purge', everyMs: 10 * MINUTE_MS, run: (context, pacing) => purgeAll(context, guard, pacing) },
    { name: 'purge tokens', everyMs: MINUTE_MS, run: (context, pacing) => purgeTokens(context, guard, pacing) },
    { name: 'mail operators', everyMs: MINUTE_MS, run: (context) => mailOperators(context, started) },
  ];
}

async function writeRevocationLog({ db, config, clock }: AppContext): Promise<boolean> {
  return await writeRevocations(db, clock.now(), revocationLog(config));
}

async function updateLeaderboards({ db, config, clock, log }: AppContext, limit: BatchLimit): Promise<boolean> {
  const restarted = (from: string): void =>
    log.warn(
      { from, to: config.TIME_ZONE },
      'TIME_ZONE has changed: the leaderboards are counted again, from the first match',
    );
  return await projectMatches(db, config.TIME_ZONE, clock.now(), { restarted, limit });
}

/** Changes that are too many for the transaction of their fact. */
async function recordRemainingChanges({ db, clock }: AppContext): Promise<boolean> {
  return (await fillChanges(db, clock.now())) || (await recordNextShown(db, clock.now()));
}

async function rankAllMaps({ db }: AppContext, pacing: Pacing): Promise<void> {
  let after: number | undefined = 0;
  await runWithPauses(async () => {
    after = await rankMaps(db, after ?? 0);
    return after !== undefined;
  }, pacing);
}

/**
 * Runs steps until one returns false. If events or writers of other threads and processes came during a step, it pauses for
 * as long as the step took, and again while the writer is busy, up to the longest pause: events have priority, and
 * projections may lag behind them for a while.
 */
export async function runWithPauses(
  step: () => Promise<boolean>,
  { load, stop, maxPause, othersWait = () => false, isHeldBack = () => false }: Pacing,
): Promise<void> {
  for (;;) {
    while (!stop.aborted && isHeldBack()) await systemClock.wait(HELD_BACK_MS, stop);
    if (stop.aborted) return;
    const [started, busyBefore] = [performance.now(), load.busyMs];
    const more = await step();
    if (!more || stop.aborted) return;
    const took = performance.now() - started;
    if (maxPause === 0) continue;
    // Events that were sent during the step arrive in this turn.
    await systemClock.wait(0, stop);
    if (load.busyMs === busyBefore && othersWait() !== true) continue;
    for (let [pauses, busy] = [0, 1]; pauses < maxPause && busy > 1 - IDLE_SHARE; pauses++) {
      const [from, before] = [performance.now(), load.busyMs];
      await systemClock.wait(took, stop);
      busy = (load.busyMs - before) / (performance.now() - from);
    }
  }
}

async function purgeAll(context: AppContext, guard: PurgeGuard, pacing: Pacing): Promise<void> {
  const isHeldBack = (): boolean => context.db.logBytes() > LONG_LOG_BYTES;
  if (await guard.allows(context.clock.now())) await purgeNow(context, { ...pacing, isHeldBack });
}

async function purgeTokens({ db, clock }: AppContext, guard: PurgeGuard, pacing: Pacing): Promise<void> {
  if (await guard.allows(clock.now())) await runWithPauses(tokenPurgeSteps(db, clock.now()), pacing);
}

/** Deletes expired rows by the present time, without asking whether the clock is right. */
export async function purgeNow({ db, config, clock }: AppContext, pacing = withoutPauses()): Promise<void> {
  const now = clock.now();
  await runWithPauses(purgeSteps(db, retentionOf(config), now), pacing);
  if (!pacing.stop.aborted) await recordRun(db, 'purge', now);
}

const retentionOf = ({ TIME_ZONE: zone, AUDIT_LIFETIME, CHANGES_LIFETIME }: Config): Retention => ({
  zone,
  auditMs: AUDIT_LIFETIME * SECOND_MS,
  changesMs: CHANGES_LIFETIME * SECOND_MS,
});

/** For commands and tests. */
function withoutPauses(): Pacing {
  return { load: { busyMs: 0 }, stop: new AbortController().signal, maxPause: 0 };
}

async function sampleOnlinePlayers({ db, config, clock }: AppContext): Promise<void> {
  const now = clock.now();
  await sampleOnline(db, now, now - config.PRESENCE_TIMEOUT * SECOND_MS);
}

/** Runs every job that is due within a time once, without pauses: for commands and tests. */
export async function runJobsOnce(context: AppContext, withinMs = Infinity): Promise<void> {
  for (const job of allJobs(context)) if (job.everyMs <= withinMs) await job.run(context, withoutPauses());
}

/** Runs every job repeatedly until it is disposed of, which waits for the running steps. Its statements may take any time. */
export function startJobs(service: AppContext, load: Pacing['load']): AsyncDisposable {
  const context = { ...service, db: service.db.withoutTimeout() };
  const stop = new AbortController();
  const othersWait = (): boolean | undefined => context.db.othersWait();
  const pacing = { load, stop: stop.signal, maxPause: MAX_PAUSE[context.db.dialect], othersWait };
  const metrics = jobMetrics(context.metrics);
  const running = allJobs(context).map((job) => repeat(job, { context, metrics }, pacing));
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(running);
      // What was revoked in the last second before the stop.
      await inSteps(writeRevocationLog)(context, withoutPauses()).catch((error: unknown) =>
        context.log.error({ err: error }, 'revocation log'),
      );
    },
  };
}

interface JobDeps {
  context: AppContext;
  metrics: ReturnType<typeof jobMetrics>;
}

async function repeat(job: RecurringJob, { context, metrics }: JobDeps, pacing: Pacing): Promise<void> {
  let reported: string | undefined;
  while (!pacing.stop.aborted) {
    const started = performance.now();
    try {
      await job.run(context, pacing);
      metrics.lastSuccess.set({ job: job.name }, context.clock.now() / 1000);
      if (reported !== undefined) context.log.info({ job: job.name }, 'background job works again');
      reported = undefined;
    } catch (error) {
      metrics.failures.inc({ job: job.name });
      // A job that runs each second would fill the log with one cause; the log itself limits outages of the database.
      if (error instanceof Unavailable || String(error) !== reported)
        context.log.error({ err: error, job: job.name }, 'background job failed');
      reported = String(error);
    }
    metrics.durations.observe({ job: job.name }, (performance.now() - started) / 1000);
    await pause(job.everyMs, undefined, { signal: pacing.stop, ref: false }).catch(() => undefined);
  }
}

function jobMetrics(metrics: Metrics) {
  const labelNames = ['job'] as const;
  return {
    durations: histogram(metrics, {
      name: 'scorehall_job_duration_seconds',
      help: 'Duration of the runs of a background job, with its pauses',
      labelNames,
      buckets: DURATION_BUCKETS,
    }),
    failures: counter(metrics, {
      name: 'scorehall_job_failures_total',
      help: 'Failed runs of a background job',
      labelNames,
    }),
    lastSuccess: gauge(metrics, {
      name: 'scorehall_job_last_success_timestamp_seconds',
      help: 'When a background job last ended without an error, as a Unix timestamp',
      labelNames,
    }),
  };
}
