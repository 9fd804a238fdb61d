import type { OutgoingReason, OutgoingResponse } from '#http/outgoing.ts';
import type { AttemptResult } from '#store/applications/webhooks/deliveries.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Characters of a response in the log. */
const MAX_LOGGED_TEXT = 1_000;
const MAX_RETRY_AFTER_MS = DAY_MS;

/** The delays before the second and each further attempt of a message, as Standard Webhooks recommends. */
const RETRY_MS = [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS];
export const MAX_ATTEMPTS = RETRY_MS.length + 1;
/** The delays between the probes of a webhook that waits; the last one repeats. */
const PROBE_MS = [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS];
/** The pauses of a receiver that is too busy and names no time; the last one repeats. */
const SLOW_MS = [5 * SECOND_MS, 15 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS];

/** So many changes in a row that fail at the first attempt make a webhook wait. */
export const MAX_FAILED = 10;
/** A webhook whose attempts have all failed for so long is switched off. */
export const OFF_AFTER = { ms: 5 * DAY_MS, attempts: 10 };

/**
 * What came of an attempt. `busy`: the receiver wants fewer requests, and the message was no part of the cause;
 * `refused`: an address of Discord says that another attempt would fail too.
 */
export interface Outcome {
  kind: 'delivered' | 'failed' | 'refused' | 'busy' | 'gone';
  result: AttemptResult;
  /** How long the receiver wants no requests, or should have none; undefined if it did not say so. */
  pauseMs: number | undefined;
}

/** Up to a fifth is added, so that receivers that failed together are not tried again together. */
const jitter = (ms: number): number => Math.round(ms * (1 + Math.random() / 5));

/** @param attempts those made so far; undefined after the last one */
export function retryAt(now: number, attempts: number): number | undefined {
  const ms = RETRY_MS[attempts - 1];
  return ms === undefined ? undefined : now + jitter(ms);
}

const repeating = (delays: readonly number[], count: number): number => delays[Math.min(count, delays.length - 1)]!;
export const probeAt = (now: number, pauses: number): number => now + jitter(repeating(PROBE_MS, pauses));
export const busyUntil = (now: number, pauses: number, pauseMs: number | undefined): number =>
  now + (pauseMs ?? jitter(repeating(SLOW_MS, pauses)));

/** Of form `standard`: what a response means, by Standard Webhooks. A redirect is a failure. */
export function outcomeOf(response: OutgoingResponse, ms: number, now: number): Outcome {
  const { status } = response;
  const result = resultOf(response, ms);
  const pauseMs = retryAfterMs(response, now);
  if (status >= 200 && status < 300) return { kind: 'delivered', result, pauseMs: undefined };
  if (status === 410) return { kind: 'gone', result, pauseMs: undefined };
  if (status === 429 || (status === 503 && pauseMs !== undefined)) return { kind: 'busy', result, pauseMs };
  // A gateway says this of a receiver that is overloaded, but also of one that this message crashes.
  if (status === 502 || status === 504) return { kind: 'failed', result, pauseMs: pauseMs ?? jitter(SLOW_MS[0]!) };
  return { kind: 'failed', result, pauseMs };
}

export const noResponse = (reason: OutgoingReason, ms: number): Outcome => ({
  kind: 'failed',
  result: { status: null, reason, ms, response: '' },
  pauseMs: undefined,
});

export const resultOf = ({ status, body }: OutgoingResponse, ms: number): AttemptResult => ({
  ...{ status, reason: '', ms },
  response: shownText(body),
});

/** Receivers may answer with anything: no control characters, of which PostgreSQL refuses NUL, and no half characters. */
const shownText = (body: Buffer): string =>
  body
    .subarray(0, MAX_LOGGED_TEXT)
    .toString('utf8')
    .replace(/[\p{C}--[\n\t]]/gv, ' ')
    .trim();

/** `Retry-After` in seconds or as a date, at most a day. */
export function retryAfterMs({ headers }: Pick<OutgoingResponse, 'headers'>, now: number): number | undefined {
  const text = headers['retry-after']?.trim() ?? '';
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - now;
  return Number.isNaN(ms) ? undefined : Math.min(MAX_RETRY_AFTER_MS, Math.max(0, Math.ceil(ms)));
}
