import type { Clock } from '#platform/clock.ts';
import { counter, DURATION_BUCKETS, gauge, histogram, type Metrics } from '#platform/process/metrics.ts';
import { randomUUID } from 'node:crypto';
import type { AppContext } from '#context/context.ts';
import { REPORT_MS, reportOpenStreams } from '#store/applications/open-streams.ts';
import type { StreamOrder } from '../open-streams.ts';

export type StreamMetrics = ReturnType<typeof streamMetrics>;

/** @param open the number of open streams */
export function streamMetrics(metrics: Metrics, clock: Clock, open: () => number) {
  gauge(metrics, {
    name: 'scorehall_streams_open',
    help: 'Open streams of changes',
    collect: (streams) => streams.set(open()),
  });
  const sent = counter(metrics, {
    name: 'scorehall_stream_events_total',
    help: 'Events sent to streams of changes',
    labelNames: ['event'],
  });
  const lag = histogram(metrics, {
    name: 'scorehall_stream_lag_seconds',
    help: 'Age of the oldest change of a write to the streams of the present',
    buckets: DURATION_BUCKETS,
  });
  return {
    sent: (event: 'change' | 'presence' | 'live', count: number) => sent.inc({ event }, count),
    /** @param time of the oldest change that is sent to subscribers of the present */
    changed: (time: number) => lag.observe((clock.now() - time) / 1000),
  };
}

const INTERVAL_MS = 5_000;

/** Reports the open streams of each application for the console. */
export class StreamCounts {
  readonly #context: Pick<AppContext, 'db' | 'clock'>;
  readonly #process = randomUUID();
  readonly #counts = new Map<number, number>();
  #isReported = true;
  #lastReport = 0;

  constructor(context: Pick<AppContext, 'db' | 'clock'>) {
    this.#context = context;
  }

  add({ application }: StreamOrder, change: 1 | -1): void {
    if (application === undefined) return;
    this.#isReported = false;
    const count = (this.#counts.get(application) ?? 0) + change;
    if (count === 0) this.#counts.delete(application);
    else this.#counts.set(application, count);
  }

  /** Reports at most every five seconds, and what stays the same less often. The end of all streams is reported at once. */
  async tick(): Promise<void> {
    const { db, clock } = this.#context;
    const now = clock.now();
    const isEmpty = this.#counts.size === 0;
    const waitMs = this.#isReported ? (isEmpty ? Infinity : REPORT_MS) : isEmpty ? 0 : INTERVAL_MS;
    if (now - this.#lastReport < waitMs) return;
    [this.#isReported, this.#lastReport] = [true, now];
    await reportOpenStreams(db, now, this.#process, this.#counts);
  }
}
