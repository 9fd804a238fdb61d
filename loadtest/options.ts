/** The options of the command line, which every load test gets. */
export interface LoadTestOptions {
  /** Returns true for every part; with `--only`, for the named part alone. */
  wants: (part: string) => boolean;
  database: string;
  /** Undefined: the number that the load test has by default. */
  matches: number | undefined;
  /** Undefined: the number that the load test has by default. */
  kills: number | undefined;
  minutes: number;
  seconds: number;
  seed: number | undefined;
  /** The folder of the recording; undefined: a new one. */
  out: string | undefined;
  /** The folder of an earlier recording. */
  compare: string | undefined;
  /** The folder of the artefacts of a release; undefined: they are made. */
  dist: string | undefined;
}
