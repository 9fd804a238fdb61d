/** The options of the command line, which every load test gets. */
export interface LoadTestOptions {
  /** Returns true for every part; with `--only`, for the named part alone. */
  wants: (part: string) => boolean;
  database: string;
  /** Undefined: the number that the load test has by default. */
  matches: number | undefined;
  minutes: number;
  seconds: number;
  seed: number | undefined;
}
