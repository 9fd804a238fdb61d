import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RateLimitResult } from '#http/rate-limits.ts';
import { type Router, withoutSlash } from '#http/router.ts';
import type { Caller } from './callers.ts';
import type { Versions } from '#db/db.ts';
import { Query } from './query.ts';
import type { Endpoint } from './endpoint.ts';

/** First stage: an unauthenticated request. */
export class ReceivedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Path and query. A client may send an absolute URL (RFC 9112 section 3.2.2); its scheme and host are dropped. */
  readonly target: string;
  readonly path: string;
  /** Undefined if none has the path. */
  readonly endpoint: Endpoint | undefined;
  /** The parameters of the path, percent-encoded. */
  readonly parameters: readonly string[];
  /** The data versions at the arrival of the request. */
  readonly versions: Versions;
  #query: Query | undefined;
  #price: number | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, router: Router<Endpoint>, versions: Versions) {
    const url = request.url ?? '/';
    this.request = request;
    this.response = response;
    this.target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
    const at = this.target.indexOf('?');
    this.path = at < 0 ? this.target : this.target.slice(0, at);
    const found = router.find(withoutSlash(this.path));
    this.endpoint = found?.route;
    this.parameters = found?.parameters ?? [];
    this.versions = versions;
  }

  get isReading(): boolean {
    const { method } = this.request;
    return method === 'GET' || method === 'HEAD';
  }

  /** The number of requests that this one counts as. One with a wrong parameter, which is refused, counts as one. */
  get price(): number {
    return (this.#price ??= this.#readPrice());
  }

  #readPrice(): number {
    const price = this.endpoint?.price;
    const query = price && this.validQuery;
    return query === undefined ? 1 : price!.of(query);
  }

  /** The parameters of the query; undefined if the request will be refused for its method, path or query. */
  get validQuery(): Readonly<Record<string, unknown>> | undefined {
    const { endpoint, query, isReading } = this;
    try {
      return endpoint !== undefined && isReading ? query.read(endpoint.query) : undefined;
    } catch {
      return undefined;
    }
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
  /** See `Endpoint.isPaced`. */
  readonly isPaced: boolean;
}
