/** The source of the current time. Tests replace it with a clock that they set. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** One day before the last day with a four-digit year, so that a timestamp can be written with every UTC offset. */
export const LAST_TIMESTAMP = Date.parse('9999-12-31T00:00:00Z');
