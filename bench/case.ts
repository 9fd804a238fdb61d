export interface BenchRequest {
  method?: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** A kind of request to measure. */
export interface Case {
  name: string;
  /** The expected status of all responses. */
  status: number;
  /** Makes the next request; undefined when the prepared data is used up. */
  nextRequest: () => BenchRequest | undefined;
  /** Prepares data for a round. Its cost is not measured. */
  prepare?: (origin: string) => Promise<void>;
  /** The length of a round; a second when omitted. */
  ms?: number;
  /** The limits of CPU time and body size a request; a run that exceeds them fails. */
  max?: { cpu_us: number; bytes: number };
}

/** A random item, only among the first `among` if given. */
export function randomItem<T>(items: readonly T[], among = items.length): T {
  return items[Math.floor(Math.random() * Math.min(among, items.length))]!;
}
