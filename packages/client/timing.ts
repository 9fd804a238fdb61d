/** Waits; rejects with the reason of the signal as soon as it aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const elapsed = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  return abortable(elapsed, signal).finally(() => clearTimeout(timer));
}

/** Rejects with the reason of the signal if it aborts before the promise is settled. */
export async function abortable<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (signal === undefined) return await promise;
  signal.throwIfAborted();
  return await new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Doubles with each failure up to a maximum, with jitter, so that clients of one outage do not return together. */
export function backoff(failures: number, firstMs = 500, maxMs = 30_000): number {
  return Math.min(firstMs * 2 ** failures, maxMs) * (0.5 + Math.random() / 2);
}

/**
 * A signal that aborts together with another one or after a time that `extend` begins again. `AbortSignal.any` would keep
 * the signals of all requests for as long as the other one lives.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #abort = (): void => {
    clearTimeout(this.#timer);
    this.#controller.abort(this.#outer?.reason);
  };
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number, outer: AbortSignal | undefined) {
    outer?.throwIfAborted();
    this.#outer = outer;
    outer?.addEventListener('abort', this.#abort, { once: true });
    this.extend(ms);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  extend(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(new DOMException('Timed out', 'TimeoutError')), ms);
  }

  /** Ends what still uses the signal. */
  close(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#abort);
    this.#controller.abort();
  }
}
