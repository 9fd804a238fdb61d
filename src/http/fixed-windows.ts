import type { Db } from '#db/db.ts';
import { saveCounts, savedCounts } from '#store/counts.ts';

/** The requests of a subject in a window. */
export interface Window {
  used: number;
  /** When the window ends, in epoch milliseconds. */
  resets: number;
  /** Whether the request was not counted because it costs more than is left. */
  isTooDear?: boolean;
}

/** A request or attempt, and the limit, subject and window that it counts for. */
export interface NewRequest {
  /** The name of the limit. */
  limit: string;
  subject: string;
  max: number;
  windowMs: number;
  /** The number of requests that it counts as. */
  price: number;
}

/** Where the windows of limits are. */
export interface Windows {
  /** Counts a request and returns the window. */
  add(request: NewRequest, now: number): Window | Promise<Window>;
  /** The window of a subject; undefined if none is open. */
  get(subject: string, now: number): Window | undefined | Promise<Window | undefined>;
}

/** Adds a request to a window, unless it costs more than is left. @returns a copy */
export function addTo(window: Window, price: number, max: number): Window {
  if (price > 1 && window.used + price > max) return { ...window, isTooDear: true };
  window.used += price;
  return { ...window };
}

/** Counts in memory. The window of a subject begins with the first request that it counts. */
export class FixedWindows implements Windows {
  /** Limits the memory: beyond it the oldest window is dropped. */
  readonly maxSubjects: number;
  /** Sorted by the start of the windows, so that the first entry is the oldest. */
  readonly #windows = new Map<string, Window>();

  constructor(maxSubjects: number) {
    this.maxSubjects = maxSubjects;
  }

  add({ subject, max, windowMs, price }: Omit<NewRequest, 'limit'>, now: number): Window {
    let window = this.get(subject, now);
    if (window === undefined) {
      window = { used: 0, resets: now + windowMs };
      this.set(subject, window);
    }
    return addTo(window, price, max);
  }

  set(subject: string, window: Window): void {
    this.#windows.delete(subject);
    if (this.#windows.size >= this.maxSubjects) this.#windows.delete(this.#windows.keys().next().value!);
    this.#windows.set(subject, window);
  }

  get(subject: string, now: number): Window | undefined {
    const window = this.#windows.get(subject);
    return window !== undefined && window.resets > now ? window : undefined;
  }

  deleteEnded(now: number): void {
    for (const [subject, { resets }] of this.#windows) if (resets <= now) this.#windows.delete(subject);
  }
}

/** Counts in memory that survive a restart. */
export class SavedWindows extends FixedWindows {
  readonly #unsaved = new Set<string>();

  override add(request: NewRequest, now: number): Window {
    this.#unsaved.add(request.subject);
    return super.add(request, now);
  }

  /** Loads the saved windows of a limit. */
  async load(db: Db, now: number, limit: string): Promise<void> {
    for (const { subject, used, resets } of await savedCounts(db, now, limit, this.maxSubjects))
      this.set(subject, { used, resets });
  }

  /** Saves the changed windows. If that fails, the next call saves them. */
  async save(db: Db, now: number): Promise<void> {
    const subjects = [...this.#unsaved];
    this.#unsaved.clear();
    const changed = subjects.flatMap((subject) => {
      const window = this.get(subject, now);
      return window === undefined ? [] : [{ subject, ...window }];
    });
    try {
      await saveCounts(db, changed);
    } catch (error) {
      for (const subject of subjects) this.#unsaved.add(subject);
      throw error;
    }
    this.deleteEnded(now);
  }
}
