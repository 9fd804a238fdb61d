import { ALLOWED_HEADERS } from '#http/cors.ts';
import type { Shape } from './endpoint.ts';
import type { Query } from './query.ts';

/** Header names and values in turn, as `writeHead` takes them. */
export type Headers = string[];

export const METHODS = 'GET, HEAD, OPTIONS';

const EXPOSED =
  'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, WWW-Authenticate, ETag, Deprecation, ' +
  'Sunset, Link, X-Ignored-Parameters';

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

/** Parameters that `readCredentials` reads. */
const CREDENTIALS: ReadonlySet<string> = new Set(['access_token', 'client_id']);
const MAX_NAMES = 10;
const MAX_NAME = 64;

/** Names the parameters of a request that its endpoint does not have and ignores, percent-encoded. */
export function addIgnored(headers: Headers, query: Query, shape: Shape): void {
  const ignored = query.namesOutside(shape).filter((name) => !CREDENTIALS.has(name));
  if (ignored.length === 0) return;
  const named = ignored.slice(0, MAX_NAMES).map((name) => encodeURIComponent(name.slice(0, MAX_NAME).toWellFormed()));
  headers.push('x-ignored-parameters', named.join(', '));
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
