import { randomUUID } from 'node:crypto';
import type { AppContext } from '#context/context.ts';
import { REPORT_MS, reportOpenStreams } from '#store/applications/open-streams.ts';
import type { Subscriber } from './subscribers.ts';

const INTERVAL_MS = 5_000;

/** Reports the open streams of each application for the console. */
export class StreamCounts {
  readonly #context: Pick<AppContext, 'db' | 'clock'>;
  readonly #process = randomUUID();
  #reported = '[]';
  #lastCheck = 0;
  #lastReport = 0;

  constructor(context: Pick<AppContext, 'db' | 'clock'>) {
    this.#context = context;
  }

  /** Reports at most every five seconds, and what stays the same less often. The end of all streams is reported at once. */
  async tick(subscribers: ReadonlySet<Subscriber>): Promise<void> {
    const { db, clock } = this.#context;
    const now = clock.now();
    if (subscribers.size > 0 && now - this.#lastCheck < INTERVAL_MS) return;
    this.#lastCheck = now;
    const counts = new Map<number, number>();
    for (const { order } of subscribers)
      if (order.application !== undefined) counts.set(order.application, (counts.get(order.application) ?? 0) + 1);
    const report = JSON.stringify([...counts]);
    if (report === this.#reported && (report === '[]' || now - this.#lastReport < REPORT_MS)) return;
    await reportOpenStreams(db, now, this.#process, counts);
    [this.#reported, this.#lastReport] = [report, now];
  }
}
