import { html } from 'hono/html';
import { type Field, field } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import { readUntil } from '#platform/text/until.ts';

/** Times that people enter: in the network's time zone, as all times on pages of the console. */

/**
 * A field with the browser's picker of dates and times, and the zone of its time in the field `zone`. `value` is as submitted,
 * or from `localTime`.
 */
export const timeField = (zone: string, entered: Field): Html =>
  html`${field({ ...entered, type: 'datetime-local', value: shown(zone, entered.value ?? '') })}
    <input type="hidden" name="zone" value="${zone}" />`;

/** As the picker has it: `2026-01-31T12:00:00`. */
export const localTime = (zone: string, ms: number): string =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).toPlainDateTime().toString();

/**
 * Reads the value of the picker, or a time with its UTC offset. In the hour that is repeated when summer time ends, the
 * first of both.
 * @returns epoch milliseconds; undefined if the text is no time, or the zone is none
 */
export function readTime(zone: string, text: string | undefined): number | undefined {
  const entered = text?.trim() ?? '';
  const absolute = readUntil(entered, Number.NaN);
  if (absolute !== undefined && absolute !== null) return Number.isNaN(absolute) ? undefined : absolute;
  if (!LOCAL.test(entered)) return undefined;
  try {
    return Temporal.PlainDateTime.from(entered, { overflow: 'reject' }).toZonedDateTime(zone).epochMilliseconds;
  } catch {
    return undefined;
  }
}

const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/;

/** The picker takes no offset. */
function shown(zone: string, value: string): string {
  const ms = LOCAL.test(value) ? undefined : readTime(zone, value);
  return ms === undefined ? value : localTime(zone, ms);
}
