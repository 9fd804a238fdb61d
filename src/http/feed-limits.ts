import type { Limit } from './limit.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const REFUSED = '429 with `Retry-After`';

/** The limits of the feed of changes and of its webhooks, part of `LIMITS`. */
export const FEED_LIMITS = {
  /** Each is a request to an unconfirmed address. */
  webhookTest: {
    counts: 'webhooks that are added, and test messages',
    max: { application: 60 },
    windowMs: 60 * MINUTE_MS,
    beyond: 'the form again, with the problem',
    counter: 'database',
  },
  /** A mirror begins with it: a million matches would take eleven hours within the hourly limit. */
  walk: {
    counts: 'walks through the feed of changes from `after=0`, whose pages are paced and do not count as requests',
    max: { application: 1 },
    windowMs: DAY_MS,
    beyond: 'the pages count as requests',
    counter: 'database',
  },
  walkPage: {
    counts: 'pages of such a walk',
    max: { application: 120 },
    windowMs: MINUTE_MS,
    beyond: REFUSED,
    counter: 'memory',
  },
  openStream: {
    counts: 'open streams of changes',
    max: { application: 'STREAM_LIMIT', applicationAccount: 10, server: 10, network: 10 },
    beyond: REFUSED,
    counter: 'memory',
  },
} as const satisfies Record<string, Limit>;
