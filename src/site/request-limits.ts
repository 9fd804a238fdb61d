import type { Clock } from '#platform/clock.ts';
import { HttpError } from '#http/errors.ts';
import { networkOf } from '#http/client-network.ts';

/** A picture is one unit, a page ten: it reads and renders more. */
const UNITS_PER_PAGE = 10;
const WINDOW_MS = 60_000;
/** Bounds the memory against a client with many addresses. */
const MAX_ADDRESSES = 50_000;
/** Requests in progress; more would only wait for each other. */
const MAX_PENDING = 200;

const PICTURE = /^\/(heads\/|maps\/[^/]+\/image$|live\.json$)/;
const FREE = /^\/(assets\/|favicon\.ico$|robots\.txt$)/;

/** What the site spends on one address in a minute, and on all requests at once. */
export class SiteLimits {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #windows = new Map<string, { used: number; resets: number }>();
  #pending = 0;

  /** @param pagesPerMinute for one address; 0: no limit */
  constructor(clock: Clock, pagesPerMinute: number) {
    this.#clock = clock;
    this.#limit = pagesPerMinute * UNITS_PER_PAGE;
  }

  /**
   * Counts a request against its address.
   * @returns the seconds to wait if the address has used up its minute, else undefined
   */
  secondsToWait(address: string, path: string): number | undefined {
    if (this.#limit === 0 || FREE.test(path)) return undefined;
    const now = this.#clock.now();
    const window = this.#windowOf(networkOf(address), now);
    window.used += PICTURE.test(path) ? 1 : UNITS_PER_PAGE;
    return window.used <= this.#limit ? undefined : Math.max(1, Math.ceil((window.resets - now) / 1000));
  }

  /** Keeps the map sorted by the start of the windows, so that its first entry is the oldest. */
  #windowOf(network: string, now: number): { used: number; resets: number } {
    const current = this.#windows.get(network);
    if (current !== undefined && current.resets > now) return current;
    this.#windows.delete(network);
    if (this.#windows.size >= MAX_ADDRESSES) this.#windows.delete(this.#windows.keys().next().value!);
    const window = { used: 0, resets: now + WINDOW_MS };
    this.#windows.set(network, window);
    return window;
  }

  /**
   * Runs a request, unless too many are in progress.
   * @throws HttpError 503
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#pending >= MAX_PENDING)
      throw new HttpError(503, 'temporarily_unavailable', 'Too many requests at once.', { 'retry-after': '2' });
    this.#pending++;
    try {
      return await work();
    } finally {
      this.#pending--;
    }
  }
}
