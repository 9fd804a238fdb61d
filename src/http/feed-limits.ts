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
  /** A receiver that fails, is switched on and fails again would send one each time. */
  webhookMail: {
    counts: 'mails to the owners about a webhook that the service has switched off',
    max: { webhook: 1 },
    windowMs: DAY_MS,
    beyond: 'the mail waits for the end of the day, and is sent if the webhook is still off',
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
  /** Bounds the sockets and memory. */
  openStreamAnywhere: {
    counts: 'open streams of changes, all together',
    max: { process: 20_000 },
    beyond: '503 with `Retry-After`',
    counter: 'memory',
  },
} as const satisfies Record<string, Limit>;
