/** One request. */
export interface BenchRequest {
  method?: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** One thing that is asked for again and again. */
export interface Case {
  name: string;
  status: number;
  /** The next request, which may be another one each time; undefined when what it needs is used up. */
  ask: () => BenchRequest | undefined;
  /** What has to be there before a round, made outside of what is measured. */
  prepare?: (origin: string) => Promise<void>;
  /** How long a round lasts where that is not a second. */
  ms?: number;
  /** What a request may cost at most; a run that finds more fails. */
  most?: { cpu_us: number; bytes: number };
}

export function anyOf<T>(of: readonly T[], among = of.length): T {
  return of[Math.floor(Math.random() * Math.min(among, of.length))]!;
}
