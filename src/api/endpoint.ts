import { z } from 'zod';
import type { Caller } from './callers.ts';
import type { Clock } from '#platform/clock.ts';
import { boundOf } from '#platform/ids.ts';
import { isCleanText } from '#text/text.ts';
import { readTime } from '#text/time.ts';
import type { Queryable, Snapshot } from '#db/db.ts';
import type { Cursors } from '#store/game/change-cursors.ts';
import type { BucketsAt } from '#store/game/time-buckets.ts';
import type { MatchWithTeams } from '#store/game/matches.ts';
import type { Deprecation } from './headers.ts';
import type { WriteTimestamp } from '#http/timestamps.ts';
import type { StreamStart } from './open-streams.ts';
import type { Walks } from './walks.ts';

/** A match. If the database has no data version of all matches (PostgreSQL), `tag` contains the revision of this one. */
export type FoundMatch = MatchWithTeams & { tag?: string };

/** The dependencies of the endpoint handlers. */
export interface Deps {
  db: Queryable;
  clock: Clock;
  timestamp: WriteTimestamp;
  /** The buckets of leaderboards. */
  bucketsAt: BucketsAt;
  match(key: number): Promise<FoundMatch | undefined>;
  /** The site's URL, with which permalinks begin. */
  site: string;
  /** How a punished person objects; empty if the operator set nothing. */
  appeal: string;
  /** The URL of the data API. */
  api: string;
  presenceTimeoutMs: number;
  snapshot(): Promise<Snapshot>;
  cursors: Cursors;
  walks: Walks;
}

/** An authenticated request within its rate limit, as a handler receives it. */
export interface EndpointContext<Q = unknown> {
  deps: Deps;
  caller: Caller;
  /** The parameters of the path, decoded. */
  parameters: readonly string[];
  /** The first of them, `:id`; empty if the path has none. */
  id: string;
  query: Q;
  /**
   * Identifies the state of all matches and the settings they are rendered with: the JSON of a match is the same as long
   * as this is. Undefined if the database has no such version.
   */
  dataVersion: string | undefined;
  /** The header `Accept`; empty if there is none. */
  accept: string;
  /** The header `Last-Event-ID` of a stream that was open before; empty if there is none. */
  lastEventId: string;
  /** What `Endpoint.isPaced` said. */
  isPaced: boolean;
  /** Handlers add the UUIDs of the players whose data they answer with, for the owners of their accounts. */
  about: Set<string>;
}

export type Shape = Record<string, z.ZodType>;
type QueryOf<S extends Shape> = { [K in keyof S]: z.output<S[K]> };

/**
 * An endpoint of the data API. This one value defines its route, the validation of its parameters, the types of its
 * handler and its OpenAPI description.
 */
export interface Endpoint<S extends Shape = Shape> {
  /** `/v1/matches/:id` */
  path: string;
  tag: string;
  summary: string;
  /** Describes `:id`; omitted if the path has none. */
  id?: string;
  /** The parameters of the path other than `:id`, by name. */
  parameters?: Shape;
  query: S;
  response: z.ZodType;
  /**
   * The data version for which responses are cached. Only for endpoints whose responses depend on neither the time nor the
   * caller.
   */
  cachedUnder?: 'anything' | 'matches';
  deprecated?: Deprecation;
  /** Whether it reads a feed by a cursor: also as lines of JSON, and 410 for a place that is lost. */
  isFeed?: true;
  /** Whether it sends events (`text/event-stream`) until the connection ends; `response` describes their text. */
  isStream?: true;
  /** Whether the handler limits the request, and the hourly limit does not count it. */
  isPaced?(request: PacedRequest<QueryOf<S>>): boolean | Promise<boolean>;
  /** The number of requests of the hourly limit that a request counts as; one if omitted. */
  price?: { description: string; of(query: QueryOf<S>): number };
  /** Returns rendered JSON, a value to be rendered as JSON, or the beginning of a stream. */
  handle(endpointContext: EndpointContext<QueryOf<S>>): EndpointResult | Promise<EndpointResult>;
}

export type PacedRequest<Q = unknown> = Pick<EndpointContext<Q>, 'deps' | 'caller' | 'query'>;

export const JSON_LINES = 'application/x-ndjson';

/**
 * A rendered JSON body. A long one is an array of pieces, because joining them would hold the text in memory twice: as a
 * string and as bytes.
 */
export class RenderedBody {
  readonly json: string | readonly string[];
  /** An entity tag, unique among all bodies ever sent for the URL; undefined to derive one from the bytes. */
  readonly tag: string | undefined;
  /** Bytes of the JSON in UTF-8. */
  readonly length: number;
  readonly type: 'application/json' | typeof JSON_LINES;

  /**
   * @param length pass it if the lengths of the parts are known: measuring a concatenated string makes V8 flatten it, one
   *   copy more than sending needs
   */
  constructor(
    json: RenderedBody['json'],
    tag?: string,
    length = byteLength(json),
    type: RenderedBody['type'] = 'application/json',
  ) {
    this.json = json;
    this.tag = tag;
    this.length = length;
    this.type = type;
  }
}

function byteLength(json: RenderedBody['json']): number {
  if (typeof json === 'string') return Buffer.byteLength(json);
  return json.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
}

export type EndpointResult = RenderedBody | StreamStart | object;

/** Infers the type of the handler's `query` from the schemas of the parameters. */
export function endpoint<S extends Shape>(definition: Endpoint<S>): Endpoint {
  return definition as unknown as Endpoint;
}

const clean = (max: number) =>
  z
    .string()
    .max(max, `must not be longer than ${max} characters`)
    .refine(isCleanText, 'must not contain control characters');

/**
 * `max_id` and `limit` of a list.
 * @param bound what the list compares its items with, for the text of `max_id`
 * @param newest the bound without `max_id`
 */
export const pagingBy = <T>(bound: (text: string) => T, newest: T) => ({
  max_id: clean(64)
    .transform(bound)
    .default(newest as never)
    .meta({ description: 'Only items with a smaller id, compared as text: pass the last id of the previous page' }),
  limit: z
    .string()
    .regex(/^0*[1-9]\d*$/, 'must be a whole number from 1; above 100 counts as 100')
    .transform((value) => Math.min(100, Number(value)))
    .default(20)
    .meta({ description: 'Number of items, 1 to 100; above 100 counts as 100' }),
});

/** Paging by key, as in most lists. */
export const paging = pagingBy(boundOf, Number.MAX_SAFE_INTEGER);

/** The value of a filter: any text. A value that matches nothing gives an empty list. */
export const filter = (description: string) => clean(256).optional().meta({ description });

/** A list of any texts. */
export const entries = (description: string, maxItems: number) =>
  z
    .array(z.string().refine(isCleanText, 'must not contain control characters'))
    .default([])
    .meta({ description, type: 'array', items: { type: 'string' }, maxItems });

/** `fields`: names of extra fields. */
export function fieldsOf<const N extends readonly [string, ...string[]]>(names: N) {
  const allowed: ReadonlySet<string> = new Set(names);
  return z
    .array(z.string())
    .transform((values) => values.flatMap((value) => value.split(',')).map((name) => name.trim()))
    .refine(
      (requested) => requested.every((name) => name === '' || allowed.has(name)),
      `must be a comma-separated list of ${names.join(', ')}`,
    )
    .transform((requested) => new Set(requested).difference(new Set([''])) as ReadonlySet<N[number]>)
    .default(new Set<N[number]>())
    .meta({ description: 'Extra fields, comma-separated', type: 'array', items: { type: 'string', enum: names } });
}

const bit = () => z.enum(['0', '1'], 'must be 1 or 0').transform((value) => value === '1');

/** A parameter that is `1` or `0`. */
export const flag = (description: string) => bit().default(false).meta({ description });

/** A filter that is `1` or `0`. */
export const bitFilter = (description: string) => bit().optional().meta({ description });

/** A filter by time, in epoch milliseconds. A blank is the `+` of an offset that was sent without percent-encoding. */
export const timeFilter = (description: string) =>
  z
    .string()
    .transform((text) => readTime(text.replace(' ', '+')) ?? NaN)
    .refine(
      Number.isFinite,
      'must be a time with its offset, such as 2026-03-01T20:00:00+09:00 or 2026-03-01T11:00:00Z, on a day that exists',
    )
    .optional()
    .meta({ description, format: 'date-time' });

/** Epoch milliseconds of the oldest heartbeat that counts as present. */
export function presenceSince({ clock, presenceTimeoutMs }: Deps): number {
  return clock.now() - presenceTimeoutMs;
}
