/** The requests of a subject in a window. */
export interface Window {
  used: number;
  /** When the window ends, in epoch milliseconds. */
  resets: number;
}

/** Counts in memory. The window of a subject begins with the first request that it counts. */
export class FixedWindows<Subject> {
  readonly #windowMs: number;
  readonly #maxSubjects: number;
  /** Sorted by the start of the windows, so that the first entry is the oldest. */
  readonly #windows = new Map<Subject, Window>();

  /** @param maxSubjects limits the memory: beyond it the oldest window is dropped */
  constructor(windowMs: number, maxSubjects: number) {
    this.#windowMs = windowMs;
    this.#maxSubjects = maxSubjects;
  }

  /** Counts requests and returns the window. */
  add(subject: Subject, requests: number, now: number): Window {
    let window = this.#windows.get(subject);
    if (window === undefined || window.resets <= now) {
      window = { used: 0, resets: now + this.#windowMs };
      this.set(subject, window);
    }
    window.used += requests;
    return window;
  }

  set(subject: Subject, window: Window): void {
    this.#windows.delete(subject);
    if (this.#windows.size >= this.#maxSubjects) this.#windows.delete(this.#windows.keys().next().value!);
    this.#windows.set(subject, window);
  }

  /** The last window of a subject, which may have ended. */
  get(subject: Subject): Window | undefined {
    return this.#windows.get(subject);
  }

  /** Requests of a subject in its current window. */
  used(subject: Subject, now: number): number {
    const window = this.#windows.get(subject);
    return window !== undefined && window.resets > now ? window.used : 0;
  }

  deleteEnded(now: number): void {
    for (const [subject, { resets }] of this.#windows) if (resets <= now) this.#windows.delete(subject);
  }
}
