import type { Limit } from './limit.ts';

const MINUTE_MS = 60_000;
const REFUSED = '429 with `Retry-After`';

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
  /** A visible page asks at most 20 times a minute. */
  livePage: {
    counts:
      'requests of `/live`, by which a visible page of the site follows what changes, except those answered with 304 from memory',
    max: { network: 600 },
    windowMs: MINUTE_MS,
    beyond: `${REFUSED}; the page stays as it is and asks later`,
    counter: 'memory',
  },
} as const satisfies Record<string, Limit>;
