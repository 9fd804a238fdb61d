import { MAX_WAIT_MS, ScorehallError } from './errors.ts';
import { abortable, pause } from './timing.ts';

/** What a request counts as, and how it may wait for the limit. */
export interface WaitOptions {
  /** The number of requests that it counts as. */
  price: number;
  signal?: AbortSignal | undefined;
  maxWaitMs: number;
}

/** Ends a request that was admitted, with the headers of its response if it had one. Only the first call counts. */
export type EndRequest = (headers?: Headers) => void;

/** By how much the same end of a window differs between responses. A new window ends at least an hour later. */
const IMPRECISION_MS = 60_000;

/**
 * The hourly limit of the client's credentials, as the headers of responses tell it. A request waits here for the next
 * window instead of getting a 429. Until the first response tells the limit, one request is sent at a time.
 */
export class RateLimit {
  /** The requests left in the window, without those in flight; undefined before the first response. */
  #remaining: number | undefined;
  #max = Infinity;
  #resetsAt = 0;
  #inFlight = 0;
  #waiting: (() => void)[] = [];

  /**
   * Waits until a request may be sent.
   * @throws ScorehallError `rate_limit` if that takes longer than `maxWaitMs`
   */
  async admit({ price, signal, maxWaitMs }: WaitOptions): Promise<EndRequest> {
    for (;;) {
      const ms = this.#untilWindow(price);
      if (ms > maxWaitMs) throw limitReached(ms);
      if (ms > 0) await pause(ms, signal);
      else if (this.#inFlight === 0 || this.#inFlight + price <= (this.#remaining ?? 0)) return this.#begin(price);
      else await abortable(new Promise<void>((resolve) => this.#waiting.push(resolve)), signal);
    }
  }

  #begin(price: number): EndRequest {
    this.#inFlight += price;
    let isOpen = true;
    return (headers) => {
      if (!isOpen) return;
      isOpen = false;
      this.#inFlight -= price;
      if (headers !== undefined) this.#update(headers);
      for (const wake of this.#waiting.splice(0)) wake();
    };
  }

  #update(headers: Headers): void {
    const [max, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`));
    if (!max || !remaining || !reset) {
      this.#remaining ??= Infinity;
      return;
    }
    // The clocks of the two machines may differ. Pages of other origins cannot read `Date`.
    const now = Date.parse(headers.get('date') ?? '') || Date.now();
    const resetsAt = Date.now() + Math.min(Math.max(Number(reset) * 1000 - now, 0), MAX_WAIT_MS);
    // The responses of concurrent requests may arrive in any order: within a window the smallest number is the newest.
    const isNewWindow = this.#remaining === undefined || resetsAt > this.#resetsAt + IMPRECISION_MS;
    this.#remaining = isNewWindow ? Number(remaining) : Math.min(this.#remaining!, Number(remaining));
    this.#resetsAt = resetsAt;
    this.#max = Number(max);
  }

  /** The milliseconds until the next window if too little is left of this one. */
  #untilWindow(price: number): number {
    const now = Date.now();
    // One that counts as more than a whole window is for the service to refuse.
    if (this.#remaining === undefined || this.#remaining >= Math.min(price, this.#max)) return 0;
    if (now < this.#resetsAt) return this.#resetsAt - now;
    // The next request begins a window.
    this.#resetsAt = now + MAX_WAIT_MS;
    this.#remaining = this.#max;
    return 0;
  }
}

function limitReached(ms: number): ScorehallError {
  const message = `The hourly limit is used up; the next request is possible in ${Math.ceil(ms / 1000)} seconds.`;
  return new ScorehallError('rate_limit', message, { retryAfterMs: ms });
}
