import { randomUUID } from 'node:crypto';
import type { AppContext } from '#context/context.ts';
import { REPORT_MS, reportOpenStreams } from '#store/applications/open-streams.ts';
import type { Subscriber } from './feed-group.ts';

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

  add({ order: { application } }: Subscriber, change: 1 | -1): void {
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
