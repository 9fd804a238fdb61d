import { keyOf } from '#platform/ids.ts';
import { firstCharacters, nameKey } from '#platform/text.ts';
import { readEvent } from './read-event.ts';
import { type Event, type EventOf, MAX_ID_LENGTH, type WireEvent } from './schema.ts';
import { type MatchSummary, summariseMatch } from './match-summary.ts';
import type { Receipt, Sender } from './receipts.ts';
import { newestKeyAt } from '#store/sequence.ts';

/** What can be said of an event without the records: its shape, its moments, whether its sender may say it. */

/** How far a sender's clock may be ahead. */
const CLOCK_SKEW_MS = 300_000;

type FinishedMatch = EventOf<'match.finished'>;

/** An event as the records take it. */
export type PreparedEvent = Exclude<Event, FinishedMatch> | (Omit<FinishedMatch, 'data'> & { data: MatchSummary });

export function prepareEvent(event: Event): PreparedEvent {
  return event.type === 'match.finished' ? { ...event, data: summariseMatch(event.data) } : event;
}

/** An event that passed its check, beside the JSON of its data as it was sent, which is what the ledger keeps. */
export interface Checked {
  event: PreparedEvent;
  raw: string;
}

/**
 * Checks an event as it was sent; what is wrong with it becomes its receipt.
 * @param data the JSON of its data, where it has been written already
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

/** A picture is kept with its map, a link's code not at all. */
function rawOf(type: Event['type'], data: WireEvent['data'], written?: string): string {
  if (SHORTENED.has(type)) return JSON.stringify({ ...data, image: undefined, code: undefined });
  return written ?? JSON.stringify(data);
}

const SHORTENED: ReadonlySet<Event['type']> = new Set(['map.published', 'account.link']);

/** The sender's id, as far as it can be told, so that even a malformed event's receipt can be matched. */
export function idOfInput(input: unknown): string {
  const id = (input as { id?: unknown } | null | undefined)?.id;
  if (typeof id !== 'string') return '';
  if (id.length <= MAX_ID_LENGTH && id.isWellFormed()) return id;
  return firstCharacters(id, MAX_ID_LENGTH);
}

interface Wrong {
  reason: string;
  place: string;
  retry?: true;
}

/** How far a receipt may be ahead: the clock of the network it comes from may have been. */
const RECEIPT_AHEAD_MS = 366 * 86_400_000;

function checkTimes(event: Event, now: number): Wrong | undefined {
  if (event.receipt !== undefined && (keyOf(event.receipt) ?? Infinity) > newestKeyAt(now + RECEIPT_AHEAD_MS))
    return { place: 'receipt', reason: 'lies in the future by more than a year: every id after it would, too' };
  const latest = now + CLOCK_SKEW_MS;
  const reason = 'lies in the future by more than 5 minutes; set the clock of the sender';
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

function checkSender(event: Event, sender: Sender): Wrong | undefined {
  if (sender.kind === 'operator') {
    if (event.server !== undefined || !NEEDS_SERVER.has(event.type)) return undefined;
    return { place: 'server', reason: `is missing: ${event.type} belongs to a server` };
  }
  if (OPERATORS_ONLY.has(event.type)) return { place: 'type', reason: `${event.type} is for operators only` };
  if (event.receipt !== undefined) return { place: 'receipt', reason: 'is for operators only' };
  if (event.server === undefined || nameKey(event.server) === nameKey(sender.serverName)) return undefined;
  return { place: 'server', reason: `must be ${sender.serverName}: a key speaks for its own server only` };
}
