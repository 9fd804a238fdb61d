import { keyOf } from '#platform/ids.ts';
import { firstCharacters, nameKey } from '#platform/text.ts';
import { readEvent } from './read-event.ts';
import {
  type Event,
  type EventOf,
  MAX_ID_LENGTH,
  MAX_TYPE_LENGTH,
  OF_THE_PRESENT,
  OPERATORS_ONLY,
  type WireEvent,
} from './schema.ts';
import { type MatchSummary, summariseMatch } from './schema/match-summary.ts';
import { rejectedFor, type Receipt, type Sender } from './receipts.ts';
import { canonicalJson, contentHash } from './checks/content.ts';
import { warningsAbout } from './checks/plausibility.ts';
import { joined, MAX_PROBLEMS, type Problem, problemOf } from './schema/problems.ts';
import { weightOf } from './checks/weight.ts';
import type { KeyedHash } from '#db/db.ts';
import { newestKeyAt } from '#store/sequence.ts';

/** Checks an event without the database: its schema, its timestamps, and whether its sender may send it. */

/** How far the clock of a sender may be ahead. */
const CLOCK_SKEW_MS = 300_000;

type FinishedMatch = EventOf<'match.finished'>;

/** An event as the handlers receive it: matches are summarised already, outside the transaction. */
export type PreparedEvent = Exclude<Event, FinishedMatch> | (Omit<FinishedMatch, 'data'> & { data: MatchSummary });

export function prepareEvent(event: Event): PreparedEvent {
  return event.type === 'match.finished' ? { ...event, data: summariseMatch(event.data) } : event;
}

/** An event that passed its check. */
export interface Checked {
  event: PreparedEvent;
  /** The JSON of the event's data as sent, for the ledger. */
  raw: string;
  /** See `contentHash`; null where the content cannot be compared with a later event of the same id. */
  hash: string | null;
  /** See `weightOf`. */
  weight: number;
  /** See `ReadEvent`. */
  envelope?: string;
  warnings?: Problem[];
}

export interface CheckOptions {
  /** Left out: the event is stored without a content hash, and any later event of the same id is a duplicate. */
  keyedHash?: KeyedHash;
  /** The JSON of the event's data, where the caller has serialised it already. */
  data?: string | undefined;
}

/**
 * Checks the parsed JSON of an event.
 * @returns the event, or the receipt of its rejection
 */
export function checkEvent(
  input: unknown,
  sender: Sender,
  now: number,
  { keyedHash, data: serialised }: CheckOptions = {},
): Checked | Receipt {
  const read = readEvent(input);
  if ('problems' in read) {
    const refusals = senderRefusals(textsIn(input), sender).map(problemIn);
    return rejectedFor(idOfInput(input), [...read.problems, ...refusals].slice(0, MAX_PROBLEMS));
  }
  const { event, envelope } = read;
  const refusals = [...receiptRefusals(event, now), ...timeRefusals(event, now), ...senderRefusals(event, sender)];
  if (refusals.length > 0) return rejectedFor(idOfInput(input), refusals.map(problemIn), refusals.every(mayRetry));
  const { data } = input as WireEvent;
  const raw = REDACTED.has(event.type) ? redacted(data) : (serialised ?? JSON.stringify(data));
  const hash = keyedHash === undefined ? null : hashOf(event.type, data, raw, keyedHash);
  const warnings = joined(read.unknown, warningsAbout(event));
  return {
    event: prepareEvent(event),
    raw,
    hash,
    weight: weightOf(event),
    ...(envelope === undefined ? {} : { envelope }),
    ...(warnings === undefined ? {} : { warnings }),
  };
}

/** The JSON for the ledger without pictures, which a table of their own stores, and link codes, which are secret. */
const redacted = (data: WireEvent['data']): string => JSON.stringify({ ...data, image: undefined, code: undefined });

/** Reports of the present have no hash because the ledger does not store them. */
function hashOf(type: Event['type'], data: WireEvent['data'], raw: string, keyedHash: KeyedHash): string | null {
  if (OF_THE_PRESENT.has(type)) return null;
  // The ledger does not have all of a redacted event to compare it later: its hash alone must decide.
  return contentHash(keyedHash, type, REDACTED.has(type) ? canonicalJson(data) : raw);
}

/** Types of events of which the ledger stores a part. */
export const REDACTED: ReadonlySet<Event['type']> = new Set(['map.published', 'account.link']);

/** The sender's id, empty where there is none, so that the sender can match the receipt of even a malformed event. */
export function idOfInput(input: unknown): string {
  const id = (input as { id?: unknown } | null | undefined)?.id;
  if (typeof id !== 'string') return '';
  if (id.length <= MAX_ID_LENGTH && id.isWellFormed()) return id;
  return firstCharacters(id, MAX_ID_LENGTH);
}

/** The type that the sender gave, for the list of rejected events; undefined where there is no text. */
export function typeOfInput(input: unknown): string | undefined {
  const type = (input as { type?: unknown } | null | undefined)?.type;
  if (typeof type !== 'string') return undefined;
  return firstCharacters(type.trim(), MAX_TYPE_LENGTH) || undefined;
}

interface Refusal {
  place: string;
  /** See `problemOf`. */
  predicate: string;
  retry?: true;
}

const problemIn = ({ predicate, place }: Refusal): Problem => problemOf(predicate, place);
const mayRetry = ({ retry }: Refusal): boolean => retry === true;

/** How far the time in a receipt may be ahead: an export may come from a network whose clock was. */
const RECEIPT_AHEAD_MS = 366 * 86_400_000;

function receiptRefusals({ receipt }: Event, now: number): Refusal[] {
  if (receipt === undefined || (keyOf(receipt) ?? Infinity) <= newestKeyAt(now + RECEIPT_AHEAD_MS)) return [];
  return [
    {
      place: 'receipt',
      predicate: 'lies more than a year in the future, and all later ids would follow it; leave it out',
    },
  ];
}

function timeRefusals(event: Event, now: number): Refusal[] {
  const latest = now + CLOCK_SKEW_MS;
  const places = event.time > latest ? ['time'] : [];
  if (event.type === 'match.finished') {
    if (event.data.finished > latest) places.push('data.finished');
    for (const part of ['objectives', 'kills'] as const) {
      const index = event.data[part].findIndex(({ time }) => time > latest);
      if (index >= 0) places.push(`data.${part}.${index}.time`);
    }
  }
  const predicate = 'lies more than 5 minutes in the future; set the clock of the sender';
  const ahead: Refusal[] = places.map((place) => ({ place, predicate, retry: true }));
  return event.type === 'match.progress' ? [...ahead, ...startRefusals(event)] : ahead;
}

/** The beginning of a match in progress tells it from others of the server. */
function startRefusals({ time, data: { started } }: EventOf<'match.progress'>): Refusal[] {
  if (started === undefined || started <= time) return [];
  return [{ place: 'data.started', predicate: 'must not be later than the time of the event' }];
}

const NEEDS_SERVER: ReadonlySet<Event['type']> = new Set([
  'server.configured',
  'server.removed',
  'server.presence',
  'match.finished',
  'match.progress',
  'rotation.changed',
  'player.login',
  'player.logout',
]);

/** Members of an event that decide whether its sender may send it. */
type Addressed = Partial<Pick<Event, 'receipt' | 'server'>> & { type: string };

/** Those of an event that the schema refuses. */
function textsIn(input: unknown): Addressed {
  const { type, server, receipt } = (input ?? {}) as Record<string, unknown>;
  return {
    type: typeof type === 'string' ? type : '',
    ...(typeof server === 'string' && { server }),
    ...(typeof receipt === 'string' && { receipt }),
  };
}

function senderRefusals({ type, server, receipt }: Addressed, sender: Sender): Refusal[] {
  if (sender.kind === 'operator') {
    const isNamed = server !== undefined || !isIn(NEEDS_SERVER, type);
    return isNamed ? [] : [{ place: 'server', predicate: `is missing: ${type} must name its server` }];
  }
  const refusals: Refusal[] = [];
  if (isIn(OPERATORS_ONLY, type))
    refusals.push({ place: 'type', predicate: `is ${type}, which only operators may send` });
  if (receipt !== undefined) refusals.push({ place: 'receipt', predicate: 'is for operators only' });
  if (server !== undefined && nameKey(server) !== nameKey(sender.serverName))
    refusals.push({
      place: 'server',
      predicate: `must be ${sender.serverName} or left out: a key may only report events of its own server`,
    });
  return refusals;
}

const isIn = (types: ReadonlySet<Event['type']>, type: string): boolean => types.has(type as Event['type']);
