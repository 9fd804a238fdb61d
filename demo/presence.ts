import { systemClock } from '#platform/clock.ts';
import type { Queryable } from '#db/db.ts';
import { insertAll, sql } from '#db/sql.ts';
import type { AppContext } from '#context/context.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import type { OnlineSample } from '#store/game/online-samples.ts';
import type { Sample } from './network/index.ts';

const EVERY_MS = 15_000;
const MINUTE_MS = 60_000;
const CHART_MS = 8 * 24 * 60 * MINUTE_MS;

/** Ingests the results since a time, one heartbeat of every server, and the matches that run. */
export async function sendPresence({ db, clock }: AppContext, sample: Sample, since = clock.now()): Promise<void> {
  const now = clock.now();
  const events = [...sample.resultsBetween(since, now), ...sample.presenceAt(now), ...sample.runningAt(now)];
  await ingestEvents(db, clock, { kind: 'operator' }, events);
}

/** Continues the network every 15 seconds. Disposing stops it and waits for the events in progress. */
export function keepSendingPresence(context: AppContext, sample: Sample): AsyncDisposable {
  const stop = new AbortController();
  let last = context.clock.now();
  const running = (async () => {
    while (!stop.signal.aborted) {
      await systemClock.wait(EVERY_MS, stop.signal);
      if (stop.signal.aborted) return;
      const now = context.clock.now();
      await sendPresence(context, sample, last).then(
        () => (last = now),
        (error: unknown) => context.log.error({ err: error }, 'sending the demo heartbeats failed'),
      );
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

/** Stores samples of past minutes. A minute that already has a sample keeps it. */
export async function recordOnline(db: Queryable, samples: readonly OnlineSample[]): Promise<void> {
  const rows = samples.map(({ time, count }) => [Math.floor(time / MINUTE_MS) * MINUTE_MS, count]);
  await db.runAll(insertAll('insert into online_samples (time, count) values', rows, 'on conflict (time) do nothing'));
}

/** Records samples of online players for the minutes without any: before the demo existed, and while it was stopped. */
export async function fillChart({ db, clock }: AppContext, sample: Sample): Promise<void> {
  const now = clock.now();
  const last = await db.get<{ time: number | null }>(sql`select max(time) as time from online_samples`);
  const since = Math.max(now - CHART_MS, (last?.time ?? 0) + MINUTE_MS);
  await recordOnline(db, sample.onlineBetween(since, now));
}
