import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '#db/sql.ts';
import type { Hall } from '#context/context.ts';
import { takeEvents } from '#events/ledger.ts';
import { noteOnline } from '#store/game/online-samples.ts';
import type { Sample } from './network/index.ts';

const EVERY_MS = 15_000;
const MINUTE_MS = 60_000;
const CHART_MS = 8 * 24 * 60 * MINUTE_MS;

/** Sends the heartbeats of all servers, as the servers would. */
export async function beat({ db, clock }: Hall, sample: Sample): Promise<void> {
  await takeEvents(db, clock, { kind: 'operator' }, sample.presenceAt(clock.now()));
}

/** Keeps the servers alive until it is disposed of, which waits for the heartbeats under way. */
export function keepBeating(hall: Hall, sample: Sample): AsyncDisposable {
  const stop = new AbortController();
  const running = (async () => {
    while (!stop.signal.aborted) {
      await pause(EVERY_MS, undefined, { signal: stop.signal }).catch(() => undefined);
      if (stop.signal.aborted) return;
      await beat(hall, sample).catch((error: unknown) => hall.log.error({ err: error }, 'the servers fell silent'));
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

/** Notes how many were online in the minutes nobody counted: before the demo was made, and while it was not running. */
export async function fillChart({ db, clock }: Hall, sample: Sample): Promise<void> {
  const now = clock.now();
  const last = await db.get<{ time: number | null }>(sql`select max(time) as time from online_samples`);
  const since = Math.max(now - CHART_MS, (last?.time ?? 0) + MINUTE_MS);
  await noteOnline(db, sample.onlineBetween(since, now));
}
