import { keyOf } from '#platform/ids.ts';
import { firstCharacters, nameKey } from '#platform/text.ts';
import { readEvent } from './read-event.ts';
import { type Event, type EventOf, MAX_ID_LENGTH, type WireEvent } from './schema.ts';
import { type MatchSummary, summariseMatch } from './match-summary.ts';
import type { Receipt, Sender } from './receipts.ts';
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
}

/**
 * Checks the parsed JSON of an event.
 * @param data the JSON of its data, where the caller has serialised it already
 * @returns the event, or the receipt of its rejection
 */
export function checkEvent(input: unknown, sender: Sender, now: number, data?: string): Checked | Receipt {
  const id = idOfInput(input);
  const read = readEvent(input);
  if ('refusal' in read) return { id, status: 'rejected', ...read.refusal };
  const { event } = read;
  const refusal = checkTimes(event, now) ?? checkSender(event, sender);
  return refusal
    ? { id, status: 'rejected', ...refusal }
    : { event: prepareEvent(event), raw: rawOf(event.type, (input as WireEvent).data, data) };
}

/** The JSON for the ledger. It leaves out pictures, which a table of their own stores, and link codes, which are secret. */
function rawOf(type: Event['type'], data: WireEvent['data'], serialised?: string): string {
  if (REDACTED.has(type)) return JSON.stringify({ ...data, image: undefined, code: undefined });
  return serialised ?? JSON.stringify(data);
}

const REDACTED: ReadonlySet<Event['type']> = new Set(['map.published', 'account.link']);

/** The sender's id, empty where there is none, so that the sender can match the receipt of even a malformed event. */
export function idOfInput(input: unknown): string {
  const id = (input as { id?: unknown } | null | undefined)?.id;
  if (typeof id !== 'string') return '';
  if (id.length <= MAX_ID_LENGTH && id.isWellFormed()) return id;
  return firstCharacters(id, MAX_ID_LENGTH);
}

interface Refusal {
  reason: string;
  place: string;
  retry?: true;
}

/** How far the time in a receipt may be ahead: an export may come from a network whose clock was. */
const RECEIPT_AHEAD_MS = 366 * 86_400_000;

function checkTimes(event: Event, now: number): Refusal | undefined {
  if (event.receipt !== undefined && (keyOf(event.receipt) ?? Infinity) > newestKeyAt(now + RECEIPT_AHEAD_MS))
    return {
      place: 'receipt',
      reason: 'lies more than a year in the future, and all later ids would follow it; leave it out',
    };
  const latest = now + CLOCK_SKEW_MS;
  const reason = 'lies more than 5 minutes in the future; set the clock of the sender';
  if (event.time > latest) return { place: 'time', reason, retry: true };
  if (event.type !== 'match.finished') return undefined;
  if (event.data.finished > latest) return { place: 'data.finished', reason, retry: true };
  for (const part of ['objectives', 'kills'] as const) {
    const place = event.data[part].findIndex(({ time }) => time > latest);
    if (place >= 0) return { place: `data.${part}.${place}.time`, reason, retry: true };
  }
  return undefined;
}

const NEEDS_SERVER: ReadonlySet<Event['type']> = new Set([
  'server.configured',
  'server.removed',
  'server.presence',
  'match.finished',
  'rotation.changed',
  'player.login',
  'player.logout',
]);

const OPERATORS_ONLY: ReadonlySet<Event['type']> = new Set([
  'server.configured',
  'server.removed',
  'player.known',
  'player.merged',
]);

function checkSender(event: Event, sender: Sender): Refusal | undefined {
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
