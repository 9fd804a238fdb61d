import type { Limit } from './limit.ts';

const MINUTE_MS = 60_000;
const REFUSED = '429 with `Retry-After`';
const UNAVAILABLE = '503 with `Retry-After`';

/** The limits of the pages of the site, part of `LIMITS`. */
export const PAGE_LIMITS = {
  page: {
    counts: 'pages of the site; a picture counts as a tenth of a page',
    max: { network: 'SITE_LIMIT' },
    windowMs: MINUTE_MS,
    beyond: REFUSED,
    counter: 'memory',
  },
  /** More at a time would only delay the pages of other addresses. */
  openPage: {
    counts: 'pages of the site in progress, without pictures',
    max: { network: 10 },
    beyond: 'the page waits',
    counter: 'memory',
  },
  /** A browser has one for each page that is visible. */
  livePage: {
    counts: 'open streams of `/live`, by which a page of the site follows what changes',
    max: { network: 30 },
    beyond: `${REFUSED}; the page stays as it is`,
    counter: 'memory',
  },
  /** Each is some kilobytes of memory and a write of each update. */
  livePageAnywhere: {
    counts: 'open streams of `/live`, all together',
    max: { process: 2_000 },
    beyond: `${UNAVAILABLE}; the page stays as it is`,
    counter: 'memory',
  },
  /** Each is rendered when it changes. */
  followedPage: {
    counts: 'pages that the streams of `/live` follow, each language by itself',
    max: { process: 200 },
    beyond: `${UNAVAILABLE}; the page stays as it is`,
    counter: 'memory',
  },
} as const satisfies Record<string, Limit>;
