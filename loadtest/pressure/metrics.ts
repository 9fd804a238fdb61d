import { statSync } from 'node:fs';

const LINE = /^scorehall_event_loop_delay_seconds\{(.*)\} (\S+)$/;

/** The delays of the event loop of a thread, in milliseconds. */
export interface Delays {
  thread: string;
  p99: number;
  longest: number;
}

/** The delays of each thread since the last call, from the internal listener. */
export async function eventLoopDelays(port: number): Promise<Delays[]> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const threads = new Map<string, Record<string, number>>();
  for (const line of text.split('\n')) {
    const [, labels = '', seconds] = LINE.exec(line) ?? [];
    const thread = /thread="(\w+)"/.exec(labels)?.[1];
    const percentile = /percentile="(\d+)"/.exec(labels)?.[1];
    if (thread === undefined || percentile === undefined) continue;
    const delays = threads.get(thread) ?? {};
    threads.set(thread, { ...delays, [percentile]: Number(seconds) * 1000 });
  }
  return [...threads].map(([thread, delays]) => ({ thread, p99: delays['99'] ?? 0, longest: delays['100'] ?? 0 }));
}

/** Counts the responses that an abuser gets. */
export class Statuses {
  readonly #counts = new Map<string, number>();
  #isOrderly = true;

  /** Server errors are only in order as 503 with `Retry-After`. */
  add(response: Response): void {
    const { status } = response;
    this.#count(String(status));
    if (status >= 500 && !(status === 503 && response.headers.has('retry-after'))) this.#isOrderly = false;
  }

  /** A connection that the service closed or that was cut off at the end. */
  addFailure(): void {
    this.#count('closed');
  }

  get isOrderly(): boolean {
    return this.#isOrderly;
  }

  toString(): string {
    return [...this.#counts].map(([status, count]) => `${count} × ${status}`).join(', ') || 'none';
  }

  #count(status: string): void {
    this.#counts.set(status, (this.#counts.get(status) ?? 0) + 1);
  }
}

/** Watches the size of the log of a SQLite file. */
export class LongestLog {
  #bytes = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(path: string) {
    this.#timer = setInterval(() => {
      this.#bytes = Math.max(this.#bytes, statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0);
    }, 100).unref();
  }

  /** @returns megabytes */
  end(): number {
    clearInterval(this.#timer);
    return Math.round(this.#bytes / 1e6);
  }
}
