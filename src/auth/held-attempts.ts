import { unavailable } from '#http/errors.ts';
import type { TimerClock } from '#platform/clock.ts';
import { clientInfo } from './client-info.ts';

const DELAY_MS = 5_000;
/** A held request occupies a socket, so the number is bounded, and for one account so that it cannot take all places. */
const MAX_HELD = 200;
const MAX_HELD_PER_ACCOUNT = 5;

/** Delays the answers to passwords that are probably guesses. A held request waits on a timer and occupies no thread. */
export class HeldAttempts {
  readonly #clock: TimerClock;
  readonly #held = new Map<string, number>();
  readonly #closing = new AbortController();
  #total = 0;

  constructor(clock: TimerClock) {
    this.#clock = clock;
  }

  /**
   * Waits before the password is checked.
   * @returns false if too many requests are held, or the client has disconnected: the password must not be checked then
   * @throws HttpError 503 with `Retry-After` if the service stops: the password has not been checked
   */
  async hold(account: string): Promise<boolean> {
    if (this.#closing.signal.aborted) throw unavailable();
    const held = this.#held.get(account) ?? 0;
    if (this.#total >= MAX_HELD || held >= MAX_HELD_PER_ACCOUNT) return false;
    this.#held.set(account, held + 1);
    this.#total++;
    try {
      return await this.#wait();
    } finally {
      this.#total--;
      const left = this.#held.get(account)! - 1;
      if (left === 0) this.#held.delete(account);
      else this.#held.set(account, left);
    }
  }

  /** Ends the waiting of all requests, because the service stops. */
  close(): void {
    this.#closing.abort();
  }

  /** @returns false if the client has disconnected */
  async #wait(): Promise<boolean> {
    const disconnected = new AbortController();
    void clientInfo.getStore()?.answered.then(() => disconnected.abort());
    await this.#clock.wait(DELAY_MS, AbortSignal.any([disconnected.signal, this.#closing.signal]));
    if (this.#closing.signal.aborted) throw unavailable();
    return !disconnected.signal.aborted;
  }
}
