import { keyOf } from '#platform/ids.ts';
import { canonicalJson, firstCharacters, nameKey } from '#text/text.ts';
import {
  readEvent,
  type Event,
  type EventName,
  isType,
  MAX_ID_LENGTH,
  MAX_TYPE_LENGTH,
  prepareEvent,
  type PreparedEvent,
  typeOf,
  type WireEvent,
} from '../schema/index.ts';
import { type Refusal, tooLate, weightOfBytes } from '../schema/event-type.ts';
import { rejectedFor, type Receipt, type Sender } from '../ledger/receipts.ts';
import { warningsAboutNames } from '../schema/player-names.ts';
import { MAX_PROBLEMS, type Problem, problemOf } from '../schema/problems.ts';
import type { KeyedHash } from '#db/db.ts';
import { newestKeyAt } from '#store/sequence.ts';
import type { InvalidElement, RawEvent } from './json.ts';

/**
 * Prepares events for the event queue, without the database: checks the schema, the timestamps and the permission of the
 * sender.
 */

/** Maximum bytes of one event: of a line of a stream, or of the `data` of an event in an array. */
export const MAX_EVENT_LENGTH = 1024 * 1024;

const CLOCK_SKEW_MS = 300_000;

export interface Checked {
  event: PreparedEvent;
  /** The JSON of the event's data as sent, for the ledger. */
  raw: string;
  /** See `contentHash`; null if the content cannot be compared with a later event of the same id. */
  hash: string | null;
  /** The larger of its rows (`EventType.weight`) and the weight of its bytes. */
  weight: number;
  /** See `ReadEvent`. */
  envelope?: string;
  warnings?: Problem[];
}

/** A checked event, or the receipt of an event that failed its check, with its sender. */
export interface Item {
  sender: Sender;
  checked: Checked | Receipt;
  /** The type of an event that failed its check; left out if it has none. */
  type?: string;
}

/**
 * Prepares one event for the event queue: checks it, and adds its weight, its JSON for the ledger and its content hash, or
 * the receipt of its rejection.
 */
export function prepareItem(event: RawEvent | InvalidElement, sender: Sender, now: number, keyedHash: KeyedHash): Item {
  const checked = check(event, sender, now, keyedHash);
  const type = 'event' in checked ? undefined : typeOfInput(event.input);
  return type === undefined ? { sender, checked } : { sender, checked, type };
}

/** A UTF-16 code unit is at most three bytes of UTF-8, so short data needs no count. */
const isTooLong = (data = ''): boolean =>
  3 * data.length > MAX_EVENT_LENGTH && Buffer.byteLength(data) > MAX_EVENT_LENGTH;

const rejected = (id: string, predicate: string): Receipt => rejectedFor(id, [problemOf(predicate, '')]);

function check(element: RawEvent | InvalidElement, sender: Sender, now: number, keyedHash: KeyedHash): Item['checked'] {
  const { input } = element;
  if ('problem' in element) return rejected(idOfInput(input), element.problem);
  const { data: serialised, isLarge } = element;
  if (isTooLong(serialised)) return rejected(idOfInput(input), `holds more than ${MAX_EVENT_LENGTH} bytes`);
  const read = readEvent(input, { isLarge });
  if ('problems' in read) {
    const refusals = senderRefusals(textsIn(input), sender).map(problemIn);
    return rejectedFor(idOfInput(input), [...read.problems, ...refusals].slice(0, MAX_PROBLEMS));
  }
  const { event, envelope } = read;
  const refusals = [...receiptRefusals(event, now), ...timeRefusals(event, now), ...senderRefusals(event, sender)];
  if (refusals.length > 0)
    return rejectedFor(
      idOfInput(input),
      refusals.map(problemIn),
      refusals.every(({ retry }) => retry === true),
    );
  const type = typeOf(event.type);
  const { data } = input as WireEvent;
  const json = serialised ?? JSON.stringify(data);
  const raw = typeof type.stored === 'object' ? jsonWithout(data, type.stored.without) : json;
  const warnings = [...(read.unknown ?? []), ...warningsAboutNames(data), ...type.checks.implausible(event.data)];
  return {
    event: prepareEvent(event),
    raw,
    hash: hashEvent(event.type, data, raw, keyedHash),
    weight: Math.max(type.weight(event.data), weightOfBytes(Buffer.byteLength(json))),
    ...(envelope === undefined ? {} : { envelope }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

const jsonWithout = (data: object, members: readonly string[]): string =>
  JSON.stringify({ ...data, ...Object.fromEntries(members.map((member) => [member, undefined])) });

function hashEvent(type: EventName, data: WireEvent['data'], raw: string, keyedHash: KeyedHash): string | null {
  const { stored } = typeOf(type);
  if (stored === 'never') return null;
  // The ledger does not store all of the data, so a later event is compared by the hash alone.
  return contentHash(keyedHash, type, stored === 'whole' ? raw : canonicalJson(data));
}

/** 128 bits, in base64url. */
const HASH_LENGTH = 22;

/**
 * The hash of type and data that the ledger stores with an event, without `time`, because some senders set a new time when
 * they repeat an event. It is keyed, because the content of a small event could be guessed. Equal hashes prove equal
 * content. Different hashes may have the same content with members in another order, which `isSameJson` compares: sorting
 * the members of every event would cost four times as much as hashing it.
 * @param json the data as JSON
 */
export const contentHash = (keyedHash: KeyedHash, type: string, json: string): string =>
  keyedHash(`${type} ${json}`).slice(0, HASH_LENGTH);

/** The sender's id, empty if there is none, so that the sender can match the receipt of even a malformed event. */
function idOfInput(input: unknown): string {
  const id = (input as { id?: unknown } | null | undefined)?.id;
  if (typeof id !== 'string') return '';
  if (id.length <= MAX_ID_LENGTH && id.isWellFormed()) return id;
  return firstCharacters(id, MAX_ID_LENGTH);
}

/** The event's type as sent, for the list of rejected events; undefined if it is no text. */
function typeOfInput(input: unknown): string | undefined {
  const type = (input as { type?: unknown } | null | undefined)?.type;
  if (typeof type !== 'string') return undefined;
  return firstCharacters(type.trim(), MAX_TYPE_LENGTH) || undefined;
}

const problemIn = ({ predicate, place }: Refusal): Problem => problemOf(predicate, place);

/** Maximum lead of the time in a receipt: an export may come from a network with a wrong clock. */
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

function timeRefusals({ type, time, data }: Event, now: number): Refusal[] {
  const latest = now + CLOCK_SKEW_MS;
  const misdated = typeOf(type).checks.misdated(data, time, latest);
  return time > latest ? [tooLate('time'), ...misdated] : misdated;
}

/** Members of an event that decide whether its sender may send it. */
type Addressed = Partial<Pick<Event, 'receipt' | 'player_id' | 'server'>> & { type: string };

/** Reads them from an event that the schema refuses. */
function textsIn(input: unknown): Addressed {
  const { type, server, receipt, player_id } = (input ?? {}) as Record<string, unknown>;
  return {
    type: typeof type === 'string' ? type : '',
    ...(typeof server === 'string' && { server }),
    ...(typeof receipt === 'string' && { receipt }),
    ...(typeof player_id === 'string' && { player_id }),
  };
}

function senderRefusals({ type, server, ...ids }: Addressed, sender: Sender): Refusal[] {
  const known = isType(type) ? typeOf(type) : undefined;
  if (sender.kind === 'operator') {
    const isNamed = server !== undefined || !known?.needsServer;
    return isNamed ? [] : [{ place: 'server', predicate: `is missing: ${type} must name its server` }];
  }
  const refusals: Refusal[] = [];
  if (known?.sender === 'operators')
    refusals.push({ place: 'type', predicate: `is ${type}, which only operators may send` });
  for (const place of ['receipt', 'player_id'] as const)
    if (ids[place] !== undefined) refusals.push({ place, predicate: 'is for operators only' });
  if (server !== undefined && nameKey(server) !== nameKey(sender.serverName))
    refusals.push({
      place: 'server',
      predicate: `must be ${sender.serverName} or left out: a key may only report events of its own server`,
    });
  return refusals;
}

/** The weight of items; a rejected one writes one row. */
export const totalWeight = (items: readonly Item[]): number =>
  items.reduce((sum, { checked }) => sum + ('event' in checked ? checked.weight : 1), 0);
