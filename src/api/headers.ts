/** Names and values one after the other, as `writeHead` takes them. */
export type Headers = string[];

export const METHODS = 'GET, HEAD, OPTIONS';

const EXPOSED =
  'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, WWW-Authenticate, ETag, Deprecation, ' +
  'Sunset, Link';

/** What every answer carries. */
const COMMON: Headers = ['access-control-allow-origin', '*', 'access-control-expose-headers', EXPOSED, 'cache-control'];

export const PREFLIGHT: Headers = [
  ...['allow', METHODS],
  ...['access-control-allow-methods', METHODS],
  ...['access-control-allow-headers', 'Authorization, X-Client-ID, If-None-Match'],
  ...['access-control-max-age', '86400'],
];

/** The headers of an answer, without the state of a limit. What has a token in its address is kept nowhere. */
export function headersFor(tokenInAddress: boolean): Headers {
  return [...COMMON, tokenInAddress ? 'private, no-store' : 'private'];
}

/** The state of a limit (spec, Limits). */
export function addLimit(
  headers: Headers,
  { limit, remaining, resets }: { limit: number; remaining: number; resets: number },
): Headers {
  const reset = Math.ceil(resets / 1000);
  headers.push('x-ratelimit-limit', `${limit}`, 'x-ratelimit-remaining', `${remaining}`);
  headers.push('x-ratelimit-reset', `${reset}`);
  return headers;
}
