import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RateLimitResult } from '#http/rate-limiter.ts';
import type { Caller } from './auth/callers.ts';
import type { Versions } from '#db/db.ts';
import { Query } from './query.ts';
import type { Route, Routes } from './routes.ts';

/** First stage: an unauthenticated request. */
export class ReceivedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Path and query. A client may send an absolute URL (RFC 9112 section 3.2.2); its scheme and host are dropped. */
  readonly target: string;
  readonly path: string;
  /** Undefined if no endpoint has the path. */
  readonly route: Route | undefined;
  /** The data versions at the arrival of the request. */
  readonly versions: Versions;
  #query: Query | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, routes: Routes, versions: Versions) {
    const url = request.url ?? '/';
    this.request = request;
    this.response = response;
    this.target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
    const at = this.target.indexOf('?');
    this.path = at < 0 ? this.target : this.target.slice(0, at);
    this.route = routes.find(this.path);
    this.versions = versions;
  }

  get query(): Query {
    return (this.#query ??= new Query(this.target.slice(this.path.length + 1)));
  }
}

/** Second stage: a request with an authenticated caller. */
export interface AuthenticatedRequest {
  readonly received: ReceivedRequest;
  readonly caller: Caller;
}

/** Third stage: a request that was counted against a rate limit. It may have exceeded the limit, see `rateLimit.allowed`. */
export interface CountedRequest extends AuthenticatedRequest {
  readonly rateLimit: RateLimitResult;
}
