/**
 * `Access-Control-Allow-Headers` of preflight responses. Libraries add headers to each request (X-Requested-With, traceparent),
 * so any header is allowed: none carries the authority of the browser, because the services allow no credentials. `*` does
 * not include Authorization; the others are named for browsers that do not know `*`.
 */
export const ALLOWED_HEADERS =
  'Authorization, X-Client-ID, If-None-Match, If-Modified-Since, Accept, Accept-Language, Content-Type, Cache-Control, ' +
  'Pragma, X-Requested-With, X-CSRF-Token, X-XSRF-TOKEN, X-Request-ID, traceparent, tracestate, baggage, sentry-trace, *';

/** `Cache-Control` of descriptions, which are open to all. */
export const PUBLIC_CACHE = 'public, max-age=300';
