import type { OutgoingReason, OutgoingResponse } from '#http/outgoing.ts';
import type { AttemptResult } from '#store/applications/webhooks/deliveries.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Bytes of a response in the log. */
const MAX_LOGGED_BYTES = 1_000;
export const MAX_RETRY_AFTER_MS = DAY_MS;

/** The delays after the first failed attempt of a message and each further one, as Standard Webhooks recommends. */
const RETRY_MS = [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS];

/** After so many failed attempts of a message the next one is tried, which tells a refused message from a receiver that is down. */
export const TRIES = 3;
/** A webhook whose attempts have all failed for so long is switched off. */
export const OFF_AFTER = { ms: 5 * DAY_MS, failures: 10 };
/** The pause of a receiver that answers 429 and names no time. */
export const BUSY_MS = MINUTE_MS;

/**
 * What came of an attempt. `busy`: the receiver wants fewer requests, and the message was no part of the cause;
 * `refused`: an address of Discord says that another attempt would fail too.
 */
export interface Outcome {
  kind: 'delivered' | 'failed' | 'refused' | 'busy' | 'gone';
  result: AttemptResult;
  /** How long the receiver wants no requests; undefined if it did not say so. */
  pauseMs?: number | undefined;
}

/** Up to a fifth is added, so that receivers that failed together are not tried again together. */
const jitter = (ms: number): number => Math.round(ms * (1 + Math.random() / 5));

/** When a message is tried again; null after the last of its five attempts. */
export function retryAt(now: number, attempts: number): number | null {
  const ms = RETRY_MS[attempts - 1];
  return ms === undefined ? null : now + jitter(ms);
}

/** When the message after the place is tried again; the longest pause repeats. */
export const pauseUntil = (now: number, failures: number): number => retryAt(now, Math.min(failures, RETRY_MS.length))!;

export const noResponse = (reason: OutgoingReason | 'no_message', ms: number | null): AttemptResult => ({
  ...{ status: null, reason, ms },
  response: '',
});

export const resultOf = ({ status, body }: OutgoingResponse, ms: number): AttemptResult => ({
  ...{ status, reason: '', ms },
  response: shownText(body),
});

/** Receivers may answer with anything: no control characters, of which PostgreSQL refuses NUL, and no half characters. */
const shownText = (body: Buffer): string =>
  body
    .subarray(0, MAX_LOGGED_BYTES)
    .toString('utf8')
    .replace(/[\p{C}--[\n\t]]/gv, ' ')
    .trim();

/** `Retry-After` in seconds or as a date, at most a day. */
export function retryAfterMs({ headers }: Pick<OutgoingResponse, 'headers'>, now: number): number | undefined {
  const text = headers['retry-after']?.trim() ?? '';
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - now;
  return Number.isNaN(ms) ? undefined : Math.min(MAX_RETRY_AFTER_MS, Math.max(0, Math.ceil(ms)));
}
