import { monitorEventLoopDelay } from 'node:perf_hooks';
import { BroadcastChannel } from 'node:worker_threads';
import { systemClock } from '#platform/clock.ts';
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client';
import type { ServiceName } from '#platform/config/config.ts';
import { gauge, type Metrics } from '#platform/process/metrics.ts';

/** The threads of one process, which a scrape asks for their metrics. A request carries its number; so does each reply. */
const CHANNEL = 'scorehall metrics';
/** A thread that does not reply within this time has a blocked event loop; its metrics are missing from that scrape. */
const REPLY_TIMEOUT_MS = 2_000;
const DELAY_RESOLUTION_MS = 10;
const NS_PER_S = 1e9;

/** The names of the threads: values of the label `thread`, and in `/readyz`. */
export const WRITER = 'writer';
export const STREAMS = 'streams';
export const threadName = (service: ServiceName): string => service.toLowerCase();

/** The metrics of a thread in prom-client's JSON form. */
export type MetricList = MetricObjectWithValues<MetricValue<string>>[];

type Message =
  | { request: number }
  | { reply: number; thread: string; metrics: MetricList }
  | { opened: string }
  | { closed: string };

/** Answers the metrics requests of the main thread until it is disposed of. */
export function shareMetrics(metrics: Metrics, thread: string): Disposable {
  addThreadMetrics(metrics, thread);
  return answerScrapes(thread, () => metrics.getMetricsAsJSON());
}

/** Answers the metrics requests of the main thread for a thread or another process. */
export function answerScrapes(thread: string, read: () => Promise<MetricList>): Disposable {
  const channel = new BroadcastChannel(CHANNEL);
  let isClosed = false;
  const post = (message: Message): void => channel.postMessage(message);
  const reply = async (request: number): Promise<void> => {
    const list = await read();
    // Posting to a closed channel throws. The scrape does without the metrics of a thread that stops.
    if (!isClosed) post({ reply: request, thread, metrics: list });
  };
  channel.addEventListener('message', (event) => {
    const { data } = event as MessageEvent<Message>;
    // A metric that cannot be computed is missing with those of its thread; the rejection would end the process.
    if ('request' in data) void reply(data.request).catch(() => undefined);
  });
  channel.unref();
  post({ opened: thread });
  return {
    [Symbol.dispose]() {
      isClosed = true;
      post({ closed: thread });
      channel.close();
    },
  };
}

/** Collects the metrics of all threads of this process. Open it before the other threads. */
export class ThreadMetrics implements Disposable {
  readonly #own: Metrics;
  readonly #channel = new BroadcastChannel(CHANNEL);
  readonly #open = new Set<string>();
  /** The names of the other threads, whether or not they are running. */
  readonly threads: ReadonlySet<string>;
  readonly #opening = Promise.withResolvers<void>();
  /** Resolves when every thread has opened for the first time. */
  readonly allOpen = this.#opening.promise;
  readonly #pending = new Map<number, (thread: string, metrics: MetricList) => void>();
  /** `performance.now()` of the first request that a thread has not answered yet. */
  readonly #silentSince = new Map<string, number>();
  #last = 0;

  /** @param expected the names of the other threads of this process */
  constructor(own: Metrics, expected: readonly string[]) {
    this.#own = own;
    this.threads = new Set(expected);
    if (expected.length === 0) this.#opening.resolve();
    addThreadMetrics(own, 'main');
    this.#channel.addEventListener('message', (event) => this.#receive((event as MessageEvent<Message>).data));
    this.#channel.unref();
  }

  /** How long a thread has not replied to the requests of scrapes and checks; Infinity if it is not running. */
  silenceMs(thread: string, now: number): number {
    if (!this.#open.has(thread)) return Infinity;
    return now - (this.#silentSince.get(thread) ?? now);
  }

  /** The metrics of each other thread that replied in time, by its name. */
  async replies(): Promise<Map<string, MetricList>> {
    const found = new Map<string, MetricList>();
    const waiting = new Set(this.#open);
    const { promise: complete, resolve } = Promise.withResolvers<void>();
    const request = ++this.#last;
    const now = performance.now();
    for (const thread of waiting) this.#silentSince.getOrInsert(thread, now);
    this.#pending.set(request, (thread, metrics) => {
      found.set(thread, metrics);
      waiting.delete(thread);
      if (waiting.size === 0) resolve();
    });
    if (waiting.size === 0) resolve();
    this.#channel.postMessage({ request } satisfies Message);
    const stop = new AbortController();
    await Promise.race([complete, systemClock.wait(REPLY_TIMEOUT_MS, stop.signal)]);
    stop.abort();
    this.#pending.delete(request);
    return found;
  }

  /** The metrics of all threads in the text format of Prometheus. */
  async text(): Promise<string> {
    const [own, others] = await Promise.all([this.#own.getMetricsAsJSON(), this.replies()]);
    return await AggregatorRegistry.aggregate([...others.values(), own]).metrics();
  }

  [Symbol.dispose](): void {
    this.#channel.close();
  }

  #receive(message: Message): void {
    if ('opened' in message) {
      this.#open.add(message.opened);
      this.#silentSince.delete(message.opened);
      if (this.threads.isSubsetOf(this.#open)) this.#opening.resolve();
    } else if ('closed' in message) this.#open.delete(message.closed);
    else if ('reply' in message) {
      this.#silentSince.delete(message.thread);
      this.#pending.get(message.reply)?.(message.thread, message.metrics);
    }
  }
}

/** The histogram contains the interval of its timer. */
const delaySeconds = (ns: number): number => Math.max(0, ns / NS_PER_S - DELAY_RESOLUTION_MS / 1000);

/** Labels every metric with the thread, and adds the load of the thread itself. */
export function addThreadMetrics(metrics: Metrics, thread: string): void {
  metrics.setDefaultLabels({ thread });
  const delays = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  delays.enable();
  gauge(metrics, {
    name: 'scorehall_event_loop_delay_seconds',
    help: 'Delay of the event loop since the last scrape',
    // Not `quantile`, which only a summary may have.
    labelNames: ['percentile'],
    collect: (delay) => {
      for (const percentile of [50, 99, 100])
        delay.set({ percentile: String(percentile) }, delaySeconds(delays.percentile(percentile)));
      delays.reset();
    },
  });
  gauge(metrics, {
    name: 'scorehall_heap_used_bytes',
    help: 'Used heap of the JavaScript engine',
    collect: (heap) => heap.set(process.memoryUsage().heapUsed),
  });
}
