import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Verdict } from '#access/allowances.ts';
import type { Caller } from '#access/callers.ts';
import type { Versions } from '#db/db.ts';
import { Query } from './query.ts';
import type { Route } from './routes.ts';

const UNKNOWN: Versions = { anything: undefined, matches: undefined, credentials: undefined, origin: undefined };

/** One request on its way: what is known of it so far. */
export class Passage {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Path and query. A client may send them behind a host (RFC 9112 section 3.2.2), which does not count. */
  readonly target: string;
  readonly path: string;
  /** What the database told when the request came; nothing, where it could not tell. */
  versions = UNKNOWN;
  /** See `Ask.epoch`. */
  epoch: string | undefined;
  /** Where its path leads; undefined where nowhere. */
  route: Route | undefined;
  verdict: Verdict | undefined;
  caller: Caller | undefined;
  #query: Query | undefined;

  constructor(request: IncomingMessage, response: ServerResponse) {
    const url = request.url ?? '/';
    this.request = request;
    this.response = response;
    this.target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
    const at = this.target.indexOf('?');
    this.path = at < 0 ? this.target : this.target.slice(0, at);
  }

  get query(): Query {
    return (this.#query ??= new Query(this.target.slice(this.path.length + 1)));
  }
}
