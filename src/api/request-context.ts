import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RateLimitResult } from '#http/rate-limiter.ts';
import type { Caller } from './auth/callers.ts';
import type { Versions } from '#db/db.ts';
import { Query } from './query.ts';
import type { Route, Routes } from './routes.ts';

/** First stage: a request as it came. */
export class ReceivedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Path and query. A client may send them behind a host (RFC 9112 section 3.2.2), which does not count. */
  readonly target: string;
  readonly path: string;
  /** Undefined where the path names no endpoint. */
  readonly route: Route | undefined;
  /** The data versions when the request came. */
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

/** Second stage: the caller is known. */
export interface AuthenticatedRequest {
  readonly received: ReceivedRequest;
  readonly caller: Caller;
}

/** Third stage: the request is counted against a rate limit, which it may exceed. */
export interface RequestContext extends AuthenticatedRequest {
  readonly rateLimit: RateLimitResult;
}
