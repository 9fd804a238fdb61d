import { keyOf } from '#platform/ids.ts';
import { firstCharacters, nameKey } from '#platform/text.ts';
import { readEvent } from './read-event.ts';
import { type Event, type EventOf, MAX_ID_LENGTH, OF_THE_PRESENT, OPERATORS_ONLY, type WireEvent } from './schema.ts';
import { type MatchSummary, summariseMatch } from './match-summary.ts';
import { rejectedFor, type Receipt, type Sender } from './receipts.ts';
import { canonicalJson, contentHash } from './checks/content.ts';
import { warningsAbout } from './checks/plausibility.ts';
import { joined, type Problem } from './checks/problems.ts';
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
  if ('problems' in read) return rejectedFor(idOfInput(input), read.problems);
  const { event, envelope } = read;
  const refusals = refusalsOf(event, sender, now);
  if (refusals !== undefined) return rejectedFor(idOfInput(input), refusals.map(problemIn), refusals.every(mayRetry));
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

interface Refusal extends Problem {
  retry?: true;
}

const problemIn = ({ reason, place }: Refusal): Problem => ({ reason, place });
const mayRetry = ({ retry }: Refusal): boolean => retry === true;

function refusalsOf(event: Event, sender: Sender, now: number): Refusal[] | undefined {
  const refusals = [receiptProblem(event, now), timeProblem(event, now), senderProblem(event, sender)];
  const found = refusals.filter((refusal) => refusal !== undefined);
  return found.length === 0 ? undefined : found;
}

/** How far the time in a receipt may be ahead: an export may come from a network whose clock was. */
const RECEIPT_AHEAD_MS = 366 * 86_400_000;

function receiptProblem(event: Event, now: number): Refusal | undefined {
  if (event.receipt === undefined || (keyOf(event.receipt) ?? Infinity) <= newestKeyAt(now + RECEIPT_AHEAD_MS))
    return undefined;
  return {
    place: 'receipt',
    reason: 'lies more than a year in the future, and all later ids would follow it; leave it out',
  };
}

function timeProblem(event: Event, now: number): Refusal | undefined {
  const latest = now + CLOCK_SKEW_MS;
  const reason = 'lies more than 5 minutes in the future; set the clock of the sender';
  if (event.time > latest) return { place: 'time', reason, retry: true };
  if (event.type === 'match.progress') return startProblem(event);
  if (event.type !== 'match.finished') return undefined;
  if (event.data.finished > latest) return { place: 'data.finished', reason, retry: true };
  for (const part of ['objectives', 'kills'] as const) {
    const place = event.data[part].findIndex(({ time }) => time > latest);
    if (place >= 0) return { place: `data.${part}.${place}.time`, reason, retry: true };
  }
  return undefined;
}

/** The beginning of a match in progress tells it from others of the server. */
function startProblem({ time, data: { started } }: EventOf<'match.progress'>): Refusal | undefined {
  if (started === undefined || started <= time) return undefined;
  return { place: 'data.started', reason: 'must not be later than the time of the event' };
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

function senderProblem(event: Event, sender: Sender): Refusal | undefined {
  if (sender.kind === 'operator') {
    if (event.server !== undefined || !NEEDS_SERVER.has(event.type)) return undefined;
    return { place: 'server', reason: `is missing: ${event.type} must name its server` };
  }
  if (OPERATORS_ONLY.has(event.type)) return { place: 'type', reason: `${event.type} is for operators only` };
  if (event.receipt !== undefined) return { place: 'receipt', reason: 'is for operators only' };
  if (event.server === undefined || nameKey(event.server) === nameKey(sender.serverName)) return undefined;
  return {
    place: 'server',
    reason: `must be ${sender.serverName} or left out: a key may only report events of its own server`,
  };
}
