import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RateLimitResult } from '#http/rate-limits.ts';
import { type Router, withoutSlash } from '#http/router.ts';
import type { Caller } from './callers.ts';
import type { Versions } from '#db/db.ts';
import type { Endpoint, Shape } from './endpoint.ts';
import { invalidRequest } from '#http/errors.ts';
import type { Headers } from './headers.ts';

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

/** The query string of a request, decoded on demand. */
export class Query {
  readonly #pairs: [string, string][];

  constructor(text: string) {
    this.#pairs = text === '' ? [] : text.split('&').map(parsePair);
  }

  /** Every value of a parameter. A value with invalid percent-encoding is returned undecoded and so matches nothing. */
  values(name: string): string[] {
    return this.#pairs.filter(([parameter]) => parameter === name).map(([, value]) => decoded(value) ?? value);
  }

  get hasToken(): boolean {
    return this.#pairs.some(([name]) => name === 'access_token');
  }

  /** The names of parameters that an endpoint does not have, each once. */
  namesOutside(shape: Shape): string[] {
    if (this.#pairs.length === 0) return [];
    const names = new Set(this.#pairs.map(([name]) => name));
    const isKnown = (name: string): boolean => {
      const schema = shape[listOf(name) ?? ''];
      return Object.hasOwn(shape, name) || (schema !== undefined && isList(schema));
    };
    return [...names].filter((name) => name !== '' && !isKnown(name));
  }

  /**
   * Parses the parameters of an endpoint and ignores all others. An empty one, or an empty value of a list, counts as not given.
   * @throws HttpError 400 with the parameter's name and what it must be
   */
  read(shape: Shape): Readonly<Record<string, unknown>> {
    return this.#pairs.length === 0 ? shapeDefaults(shape) : this.#read(shape);
  }

  #read(shape: Shape): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    for (const name in shape) {
      const schema = shape[name]!;
      result[name] = isList(schema) ? this.#readList(name, schema) : this.#readOne(name, schema);
    }
    return result;
  }

  #readOne(name: string, schema: Shape[string]): unknown {
    const sent = this.#pairs.filter(([parameter]) => parameter === name);
    if (sent.length > 1) throw invalidRequest(`${name} must not be given more than once.`);
    const value = sent[0] === undefined ? '' : requireDecoded(name, sent[0][1]);
    return value === '' ? parameterDefault(schema) : parse(name, schema, value);
  }

  /** Only between values of `NAME` a comma separates: one in `NAME[]` or `NAME[0]` belongs to the value. */
  #readList(name: string, schema: Shape[string]): unknown {
    const values = this.#pairs.flatMap(([parameter, text]): string[] => {
      if (parameter === name) return requireDecoded(name, text).split(',');
      return listOf(parameter) === name ? [requireDecoded(name, text)] : [];
    });
    const given = values.map((value) => value.trim()).filter((value) => value !== '');
    return given.length === 0 ? parameterDefault(schema) : parse(name, schema, given);
  }
}

/** The list to which a parameter adds one value: the notations of PHP and of many libraries. */
const listOf = (parameter: string): string | undefined => /^(.+)\[\d*\]$/.exec(parameter)?.[1];

function requireDecoded(name: string, text: string): string {
  const value = decoded(text);
  if (value === undefined) throw invalidRequest(`${name} must be percent-encoded UTF-8.`);
  return value;
}

function parse(name: string, schema: Shape[string], value: string | string[]): unknown {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw invalidRequest(`${name} ${parsed.error.issues[0]!.message}.`);
  return parsed.data;
}

/** Whether a parameter is a list, whose values clients send with commas or one by one. */
const isList = (schema: Shape[string]): boolean => schema.meta()?.['type'] === 'array';

const parameterDefaults = new WeakMap<Shape[string], unknown>();

/** The default of a parameter, cached by its schema. */
const parameterDefault = (schema: Shape[string]): unknown =>
  parameterDefaults.getOrInsertComputed(schema, () => schema.parse(undefined));

const queryDefaults = new WeakMap<Shape, Readonly<Record<string, unknown>>>();

/** The parsed form of an empty query, cached by the shape. */
function shapeDefaults(shape: Shape): Readonly<Record<string, unknown>> {
  return queryDefaults.getOrInsertComputed(shape, () => {
    const entries = Object.entries(shape).map(([name, schema]) => [name, parameterDefault(schema)]);
    return Object.freeze(Object.fromEntries(entries)) as Record<string, unknown>;
  });
}

function parsePair(part: string): [string, string] {
  const at = part.indexOf('=');
  const name = at < 0 ? part : part.slice(0, at);
  return [decoded(name) ?? name, at < 0 ? '' : part.slice(at + 1)];
}

/** The decoded text; undefined if its percent-encoding is invalid. */
function decoded(text: string): string | undefined {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
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
