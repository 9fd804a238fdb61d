import type { Config } from '#platform/config/config.ts';

/** The subjects of limits: all requests of one subject share a count. */
export const SUBJECTS = {
  user: 'user',
  application: 'application',
  applicationAccount: 'application and account',
  account: 'account',
  session: 'session of an account',
  accountInNetwork: 'account and address (IPv6: /64)',
  knownBrowser: 'account and browser that has signed in to it before',
  otherBrowsers: 'account, all other browsers together',
  server: 'game server',
  webhook: 'webhook',
  network: 'address (IPv6: /64; a /56 has twice as many, a /48 eight times as many)',
  process: 'process',
} as const;

export type Subject = keyof typeof SUBJECTS;
export type LimitSetting = Extract<keyof Config, `${string}_LIMIT`>;

/** A rate limit, or a limit of the number at a time. */
export interface Limit {
  /** The noun that is counted. */
  readonly counts: string;
  /** The maximum of each subject: a number, or the setting that holds it. */
  readonly max: Readonly<Partial<Record<Subject, number | LimitSetting>>>;
  /** Multiplies the value of the setting. */
  readonly factor?: number;
  /** The duration of a window, which begins with the first request. Left out: the number at a time. */
  readonly windowMs?: number;
  /** The response or effect beyond the maximum. Default: 429 with `Retry-After`. */
  readonly beyond?: string;
  /**
   * The place of the count; default: the database. One in memory belongs to one process and begins again with it. `COUNTERS`: the setting decides,
   * and a count in memory is saved.
   */
  readonly counter?: 'memory' | 'COUNTERS';
}
