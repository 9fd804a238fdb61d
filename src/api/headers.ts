import { ALLOWED_HEADERS, PUBLIC_CACHE } from '#http/cors.ts';

/** Header names and values in turn, as `writeHead` takes them. */
export type Headers = string[];

export const METHODS = 'GET, HEAD, OPTIONS';

const EXPOSED =
  'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-RateLimit-Cost, Retry-After, WWW-Authenticate, ETag, Deprecation, ' +
  'X-Stream-Limit, X-Stream-Remaining, Sunset, Link, X-Ignored-Parameters, X-Request-Id';

/** Headers of every response; the value of the last one follows, see `headersFor`. */
const COMMON: Headers = ['access-control-allow-origin', '*', 'access-control-expose-headers', EXPOSED, 'cache-control'];

export const PREFLIGHT: Headers = [
  ...['allow', METHODS],
  ...['access-control-allow-methods', METHODS],
  ...['access-control-allow-headers', ALLOWED_HEADERS],
  ...['access-control-max-age', '86400'],
];

/** The headers of a response, without those of the rate limit. No cache may store a URL that contains a token. */
export function headersFor(tokenInUrl: boolean): Headers {
  return [...COMMON, tokenInUrl ? 'private, no-store' : 'private'];
}

/** Lets shared caches keep a response that is the same for all. */
export function allowSharedCaches(headers: Headers): void {
  headers[headers.indexOf('cache-control') + 1] = PUBLIC_CACHE;
}

/** The headers of a stream, which has its own rule for caches. */
export function withoutCacheControl(headers: Headers): Headers {
  return headers.toSpliced(headers.indexOf('cache-control'), 2);
}

/** Adds the state of a rate limit (specification, Limits). */
export function addLimit(
  headers: Headers,
  { limit, remaining, resets }: { limit: number; remaining: number; resets: number },
): Headers {
  const reset = Math.ceil(resets / 1000);
  headers.push('x-ratelimit-limit', `${limit}`, 'x-ratelimit-remaining', `${remaining}`);
  headers.push('x-ratelimit-reset', `${reset}`);
  return headers;
}

/** Marks an endpoint as deprecated. */
export interface Deprecation {
  /** The date of the announcement: `2026-03-01` is midnight UTC. */
  since: string;
  /** The date of the removal; omitted until it is decided. */
  sunset?: string;
  /** The page that explains the deprecation: a URL, or a path on the site. */
  link: string;
}

/**
 * Adds `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a `Link` to the page that explains them.
 * @param site the site's URL, against which `link` is resolved
 */
export function addDeprecation(headers: Headers, { since, sunset, link }: Deprecation, site: string): void {
  const address = new URL(link, `${site}/`).href;
  headers.push('deprecation', `@${Date.parse(since) / 1000}`);
  if (sunset !== undefined) headers.push('sunset', new Date(sunset).toUTCString());
  headers.push('link', `<${address}>; rel="deprecation"`);
}
