import { setTimeout as pause } from 'node:timers/promises';
import { projectMatches } from '#store/game/leaderboard-projection.ts';
import { sampleOnline } from '#store/game/online-samples.ts';
import { cutSitemaps } from '#store/game/sitemaps.ts';
import { purge } from '#store/purge.ts';
import type { AppContext } from '#context/context.ts';

/**
 * What has to happen though nobody asks for it. Each task may run in several processes at once, may be cut off at any
 * point, and makes no answer right that would be wrong without it.
 */
interface Job {
  name: string;
  everyMs: number;
  /** @param rests how many times as long as a step took it rests before the next, at most */
  run(context: AppContext, stop: AbortSignal, rests: number): Promise<void>;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** SQLite has one who writes, for whom the ingest waits; with PostgreSQL both only share what the machine can do. */
const RESTS = { sqlite: 200, postgres: 40 };
/** The share of its time that the intake has to spare for what follows it. */
const SPARE = 0.5;

const JOBS: readonly Job[] = [
  { name: 'count matches into boards', everyMs: SECOND_MS, run: updateLeaderboards },
  { name: 'note who is online', everyMs: MINUTE_MS, run: sampleOnlinePlayers },
  { name: 'cut sitemaps', everyMs: 10 * MINUTE_MS, run: ({ db }) => cutSitemaps(db) },
  { name: 'sweep', everyMs: 10 * MINUTE_MS, run: purgeAll },
];

async function updateLeaderboards(context: AppContext, stop: AbortSignal, rests: number): Promise<void> {
  const { db, config, clock } = context;
  await runWithPauses(() => projectMatches(db, config.TIME_ZONE, clock.now()), context, stop, rests);
}

/**
 * Takes step after step until one says that there are no more. Between two it rests, for as long as a step takes, and
 * much longer while the intake has no time to spare: what is told to the service goes first, and what follows it may lag
 * behind for a while.
 */
export async function runWithPauses(
  step: () => Promise<boolean>,
  { eventQueue }: Pick<AppContext, 'eventQueue'>,
  stop: AbortSignal,
  rests: number,
): Promise<void> {
  for (;;) {
    const started = performance.now();
    const more = await step();
    if (!more || stop.aborted) return;
    const took = performance.now() - started;
    for (let [rested, busy] = [0, 1]; rested < rests && busy > 1 - SPARE; rested++) {
      const [from, before] = [performance.now(), eventQueue.busyMs];
      await pause(took, undefined, { signal: stop }).catch(() => undefined);
      busy = (eventQueue.busyMs - before) / (performance.now() - from);
    }
  }
}

async function purgeAll({ db, config, clock }: AppContext): Promise<void> {
  await purge(db, { zone: config.TIME_ZONE, auditMs: config.AUDIT_LIFETIME * SECOND_MS }, clock.now());
}

async function sampleOnlinePlayers({ db, config, clock }: AppContext): Promise<void> {
  const now = clock.now();
  await sampleOnline(db, now, now - config.PRESENCE_TIMEOUT * SECOND_MS);
}

/** Every task once, to its end: for programs that do not stay. */
export async function runJobsOnce(context: AppContext): Promise<void> {
  const stop = new AbortController().signal;
  for (const task of JOBS) await task.run(context, stop, 0);
}

/** Runs every task now and again until it is disposed of, which waits for those under way. */
export function startJobs(context: AppContext): AsyncDisposable {
  const stop = new AbortController();
  const running = JOBS.map((task) => repeat(task, context, stop.signal));
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(running);
    },
  };
}

async function repeat(task: Job, context: AppContext, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    await task.run(context, stop, RESTS[context.db.dialect]).catch((error: unknown) => {
      context.log.error({ err: error, task: task.name }, 'upkeep failed');
    });
    await pause(task.everyMs, undefined, { signal: stop, ref: false }).catch(() => undefined);
  }
}
