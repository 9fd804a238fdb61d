import { amount } from '#text/amount.ts';
import { z } from 'zod';
import { LINK_EVENTS } from './account-links.ts';
import { COUNTER_EVENTS } from './counters.ts';
import { LIVE_MATCH_EVENTS } from './live-matches.ts';
import { MAP_RATING_EVENTS } from './map-ratings.ts';
import { MAP_EVENTS } from './maps.ts';
import { MATCH_EVENTS } from './matches.ts';
import { MERGE_EVENTS } from './player-merges.ts';
import { REMOVED_NAME_EVENTS } from './removed-names.ts';
import { PRIVACY_EVENTS } from './player-privacy.ts';
import { SESSION_EVENTS } from './player-sessions.ts';
import { STATISTICS_EVENTS } from './player-statistics.ts';
import { PUNISHMENT_EVENTS } from './punishments.ts';
import { ROTATION_EVENTS, SERVER_EVENTS } from './servers.ts';
import type { EventType } from './event-type.ts';
import { RECEIPT_ID, text, timestamp } from './members.ts';
import { FIRST_ONLY, type Problem, problemOf, problemsIn } from './problems.ts';

/**
 * The schema of every event: one shape a type, each with a version and the sender's own id. The HTTP ingest,
 * `scorehall import events` and all other importers use it.
 */

/** The types of events, in the order of the documents. Their effects are in `handlers/index.ts`. */
export const EVENT_TYPES = {
  ...SERVER_EVENTS,
  ...MATCH_EVENTS,
  ...LIVE_MATCH_EVENTS,
  ...MAP_EVENTS,
  ...ROTATION_EVENTS,
  ...MAP_RATING_EVENTS,
  ...PUNISHMENT_EVENTS,
  ...SESSION_EVENTS,
  ...STATISTICS_EVENTS,
  ...LINK_EVENTS,
  ...COUNTER_EVENTS,
  ...MERGE_EVENTS,
  ...REMOVED_NAME_EVENTS,
  ...PRIVACY_EVENTS,
} satisfies Record<string, EventType>;

type Types = typeof EVENT_TYPES;
export type EventName = keyof Types;

/** A type; the types of its data are erased. */
export const typeOf = (name: EventName): EventType => EVENT_TYPES[name];

export const TYPES = Object.keys(EVENT_TYPES) as readonly EventName[];

const typesWith = (has: (type: EventType) => boolean): readonly EventName[] =>
  TYPES.filter((name) => has(typeOf(name)));

export const TYPES_OF_SERVERS = typesWith(({ sender }) => sender === 'servers');

/** Types of events that the ledger does not store: only the newest of each server counts. */
export const OF_THE_PRESENT: ReadonlySet<string> = new Set(typesWith(({ stored }) => stored === 'never'));

/** The version of the events that this schema describes. */
export const VERSION = 1;

/** Characters of a sender's own id of an event. */
export const MAX_ID_LENGTH = 128;
/** Characters of the type of a rejected event, which may be any text. */
export const MAX_TYPE_LENGTH = 64;

/** The members other than `type` and `data`. */
const envelope = z.strictObject({
  version: z.literal(VERSION).meta({
    description:
      'An event that says a newer version may have members that are not described here: they are stored with it, and the receipt has a warning for each',
  }),
  id: text(MAX_ID_LENGTH, 1).meta({
    description: "The sender's own id of the event: the same id is the same event, however often it is sent",
  }),
  time: timestamp,
  server: text(128, 1).optional().meta({ description: "The server's name; over HTTP the key says it" }),
  receipt: z
    .string()
    .regex(RECEIPT_ID)
    .optional()
    .meta({ description: 'Written by `export events`: keeps ids when a network is moved' }),
  player_id: z.string().regex(RECEIPT_ID).optional().meta({
    description: 'Written by `export events`: the id of the player that the event adds, if it is newer than the event',
  }),
});

/** A parsed event: timestamps in epoch milliseconds, UUIDs lower case with dashes, defaults filled in. */
export type Event = { [T in EventName]: EventOf<T> }[EventName];
export type WireEvent = {
  [T in EventName]: z.input<typeof envelope> & { type: T; data: z.input<Types[T]['data']> };
}[EventName];

export const EventSchema = z.discriminatedUnion(
  'type',
  TYPES.map(eventSchema) as [ReturnType<typeof eventSchema>, ...ReturnType<typeof eventSchema>[]],
) as z.ZodType as z.ZodType<Event, WireEvent>;

function eventSchema(name: EventName) {
  const { version, id, ...others } = envelope.shape;
  const { data, description } = typeOf(name);
  return z.strictObject({ version, id, type: z.literal(name), ...others, data }).meta({ title: name, description });
}

export type EventOf<T extends EventName> = z.output<typeof envelope> & { type: T; data: z.output<Types[T]['data']> };
export type DataOf<T extends EventName> = EventOf<T>['data'];
/** The data of a type as its handler gets it. */
export type PreparedData<T extends EventName> = ReturnType<Types[T]['prepared']['from']>;

/** An event as handlers get it: see `EventType.prepared`. */
export type PreparedEvent<T extends EventName = EventName> = {
  [N in T]: Pick<Event, 'version' | 'id' | 'time' | 'server' | 'receipt' | 'player_id'> & {
    type: N;
    data: PreparedData<N>;
  };
}[T];

export const prepareEvent = (event: Event): PreparedEvent =>
  ({ ...event, data: typeOf(event.type).prepared.from(event.data) }) as PreparedEvent;

export const isType = (type: unknown): type is EventName =>
  typeof type === 'string' && Object.hasOwn(EVENT_TYPES, type);

export interface ReadEvent {
  event: Event;
  /** Of an event of a newer version: JSON of `version` and of the unknown members outside of `data`. */
  envelope?: string;
  /** The unknown members of an event of a newer version; undefined if there are none. */
  unknown?: Problem[];
}

interface ReadOptions {
  /** Whether naming all problems of the event could take long, so that the first one is enough. */
  isLarge?: boolean | undefined;
}

/**
 * Checks one event. An event of a newer version than the schema's may have unknown members, which are left out of the parsed
 * event.
 */
export function readEvent(input: unknown, options: ReadOptions = {}): ReadEvent | { problems: Problem[] } {
  return isNewer(input) ? readNewer(input, options) : parseBySchema(input, options);
}

/** Checks one event by the schema. Times become epoch milliseconds, UUIDs lower case with dashes. */
function parseBySchema(input: unknown, { isLarge }: ReadOptions): { event: Event } | { problems: Problem[] } {
  const result = EventSchema.safeParse(input, isLarge ? FIRST_ONLY : undefined);
  if (result.success) return { event: result.data };
  const { issues } = result.error;
  if (isLarge) return { problems: problemsIn(issues, input, TYPES_OF_SERVERS) };
  const { type, data } = (input ?? {}) as Record<'type' | 'data', unknown>;
  const others = isType(type) ? typeOf(type).checks.furtherIssues(data, issues) : [];
  return { problems: problemsIn([...issues, ...others], input, TYPES_OF_SERVERS) };
}

/** The largest version: a greater one is a mistake of the sender. */
const MAX_VERSION = 1_000_000;
/** Maximum unknown members that a receipt names. */
const MAX_NAMED = 5;
const MAX_UNKNOWN = 10_000;
/** Maximum objects of an event whose unknown members are looked for: a valid one of the maximum size has fewer. */
const MAX_OBJECTS = 20_000;

type Members = Record<string, unknown>;
type Path = readonly PropertyKey[];

function isNewer(input: unknown): input is Members & { version: number } {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return false;
  const { version } = input as Members;
  return Number.isInteger(version) && (version as number) > VERSION && (version as number) <= MAX_VERSION;
}

function readNewer(input: Members & { version: number }, options: ReadOptions): ReadEvent | { problems: Problem[] } {
  const asKnown = { ...input, version: VERSION };
  const unknown = options.isLarge && hasMoreObjects(input, MAX_OBJECTS) ? [] : findUnknownMembers(asKnown);
  const read = parseBySchema(unknown.length === 0 ? asKnown : without(asKnown, unknown), options);
  if ('problems' in read) return read;
  const beside = unknown.flatMap((path) => (path.length === 1 ? [[path[0], input[path[0] as string]]] : []));
  const envelope = JSON.stringify({ version: input.version, ...(Object.fromEntries(beside) as Members) });
  return { ...read, envelope, ...(unknown.length === 0 ? {} : { unknown: warningsAbout(unknown) }) };
}

/** Whether a value has more objects and lists than `most`. Iterative, because it may be nested deeper than the stack. */
function hasMoreObjects(value: unknown, most: number): boolean {
  const open = [value];
  for (let found = 0; open.length > 0; found++) {
    if (found > most) return true;
    for (const part of Object.values(open.pop() as object))
      if (typeof part === 'object' && part !== null) open.push(part);
  }
  return false;
}

function findUnknownMembers(input: Members): Path[] {
  const issues = EventSchema.safeParse(input).error?.issues ?? [];
  return issues
    .flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : []))
    .slice(0, MAX_UNKNOWN);
}

function without(input: Members, members: readonly Path[]): Members {
  const copy = structuredClone(input);
  for (const path of members) {
    const parent = path
      .slice(0, -1)
      .reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown>)[key], copy);
    Reflect.deleteProperty(parent as object, path.at(-1)!);
  }
  return copy;
}

function warningsAbout(unknown: readonly Path[]): Problem[] {
  const reason = 'is not a member that this version of Scorehall knows; it is stored with the event and not used';
  const warnings = unknown.slice(0, MAX_NAMED).map((path) => problemOf(reason, path.join('.')));
  const more = unknown.length - warnings.length;
  return more === 0 ? warnings : [...warnings, problemOf(`has ${amount(more, 'more unknown member')}`, '')];
}
