import { z } from 'zod';
import type { Caller } from './auth/callers.ts';
import type { Clock } from '#platform/clock.ts';
import { boundOf } from '#platform/ids.ts';
import type { MaybePromise } from '#platform/maybe-promise.ts';
import { isCleanText } from '#platform/text.ts';
import type { Queryable } from '#db/db.ts';
import type { MatchHead, MatchWithTeams } from '#store/game/matches.ts';
import type { Deprecation } from './deprecation.ts';
import type { WriteTimestamp } from './timestamps.ts';

/** A match, and what names its text among all that it ever has, where the state of all matches has no name. */
export type FoundMatch = MatchWithTeams & { tag?: string };

/** What the answers of the data API are made with. */
export interface Deps {
  db: Queryable;
  clock: Clock;
  timestamp: WriteTimestamp;
  /** Finds a match. */
  match(key: number): MaybePromise<FoundMatch | undefined>;
  /** Match heads with keys below `before`, the newest first. */
  list(before: number, limit: number): MaybePromise<MatchHead[]>;
  /** The site's address: permalinks begin with it. */
  site: string;
  presenceTimeoutMs: number;
}

/** One request, let in: what its row's handler is given. */
export interface EndpointContext<Q = unknown> {
  deps: Deps;
  caller: Caller;
  /** The `:id` of the path, decoded; empty where the path has none. */
  id: string;
  query: Q;
  /**
   * Names the state of all matches that were ever readable, and the settings they are shown under: while it stays, a
   * match stays as it is. Undefined where the database cannot tell.
   */
  dataVersion: string | undefined;
}

export type Shape = Record<string, z.ZodType>;
type QueryOf<S extends Shape> = { [K in keyof S]: z.output<S[K]> };

/**
 * One row of the data API: it routes, checks, types and documents. A handler answers with what becomes JSON, or with
 * JSON that is ready-made.
 */
export interface Endpoint<S extends Shape = Shape> {
  /** `/v1/matches/:id` */
  path: string;
  tag: string;
  summary: string;
  /** What `:id` is. */
  id?: string;
  query: S;
  answer: z.ZodType;
  /** The data version under which an answer is cached: for answers that depend on neither the time nor the caller. */
  cachedUnder?: 'anything' | 'matches';
  /** That the row is going away, which every answer then says. */
  deprecated?: Deprecation;
  handle(endpointContext: EndpointContext<QueryOf<S>>): MaybePromise<EndpointResult>;
}

/**
 * JSON that is ready to be sent, where it is long in the pieces it is put together of: in one it would be there twice, as
 * a string and as bytes.
 */
export class RenderedBody {
  readonly json: string | readonly string[];
  /** Tells this JSON from every other one of its address; left out where only the text itself does. */
  readonly tag: string | undefined;
  /** Bytes of the JSON in UTF-8. */
  readonly length: number;

  /**
   * @param length to be told where the parts of the JSON are at hand: asking the whole for it would have it copied together
   *   once more than it is when it is sent
   */
  constructor(json: RenderedBody['json'], tag?: string, length = byteLengthOf(json)) {
    this.json = json;
    this.tag = tag;
    this.length = length;
  }
}

function byteLengthOf(json: RenderedBody['json']): number {
  if (typeof json === 'string') return Buffer.byteLength(json);
  return json.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
}

export type EndpointResult = RenderedBody | object;

/** Types a row's handler by its query. */
export function endpoint<S extends Shape>(row: Endpoint<S>): Endpoint {
  return row as unknown as Endpoint;
}

const clean = (max: number) =>
  z
    .string()
    .max(max, `must not be longer than ${max} characters`)
    .refine(isCleanText, 'must not contain control characters');

/** `max_id` and `limit` of every list. `max_id` is read as the key that every listed key is smaller than. */
export const paging = {
  max_id: clean(64)
    .transform(boundOf)
    .default(Number.MAX_SAFE_INTEGER)
    .meta({ description: 'Only items whose id is smaller, compared as text: the last id of the page before' }),
  limit: z
    .string()
    .regex(/^0*[1-9]\d*$/, 'must be a whole number from 1; above 100 counts as 100')
    .transform((value) => Math.min(100, Number(value)))
    .default(20)
    .meta({ description: 'Number of items, 1 to 100; above 100 counts as 100' }),
};

/** A filter's value: any text; one that names nothing gives an empty list. */
export const filter = (description: string) => clean(256).optional().meta({ description });

/** `fields`: comma-separated names of extra fields. */
export function fieldsOf<const N extends readonly [string, ...string[]]>(names: N) {
  const allowed: ReadonlySet<string> = new Set(names);
  return z
    .string()
    .transform((value) =>
      value
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
    ) // prettier-ignore
    .refine(
      (asked) => asked.every((name) => allowed.has(name)),
      `must be a comma-separated list of ${names.join(', ')}`,
    )
    .transform((asked) => new Set(asked) as ReadonlySet<N[number]>)
    .default(new Set<N[number]>())
    .meta({ description: `Extra fields, comma-separated: ${names.join(', ')}` });
}

export const flag = (description: string) =>
  z
    .enum(['0', '1'], 'must be 1 or 0')
    .transform((value) => value === '1')
    .default(false)
    .meta({ description });

/** The moment before which a heartbeat no longer counts. */
export function presenceSince({ clock, presenceTimeoutMs }: Deps): number {
  return clock.now() - presenceTimeoutMs;
}
