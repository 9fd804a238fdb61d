import { html } from 'hono/html';
import { type Choice, type Field, field, select } from '#http/fields.ts';
import type { Form } from '#http/form.ts';
import type { Html } from '#http/page.ts';
import { readUntil } from '#platform/text/until.ts';
import type { ConsoleRequest } from './routes.ts';

/** The value of the option "other". Somebody who enters this text as another value does so in the other field. */
const OTHER = '…';

/**
 * A choice among usual values; the stylesheet shows the field of another value while the option "other" is chosen.
 * @param chosen the value, as `chosenIn` reads it
 * @param other makes the field of another value from its name and value
 */
export function choiceField(
  { texts }: ConsoleRequest,
  { name, label, options, chosen }: { name: string; label: string; options: readonly Choice[]; chosen: string },
  other: (field: Pick<Field, 'name' | 'value' | 'optional'>) => Html,
): Html {
  const isUsual = options.some(({ value }) => value === chosen);
  const all = [...options, { value: OTHER, label: texts.other }];
  return html`<div class="choice-or-other">
    ${select(name, label, all, isUsual ? chosen : OTHER)}
    ${other({ name: otherName(name), value: isUsual ? '' : chosen, optional: true })}
  </div>`;
}

/** The value of a choice. */
export const chosenIn = (form: Form, name: string): string =>
  (form[name] === OTHER ? form[otherName(name)] : form[name]) ?? '';

const otherName = (name: string): string => `${name}_other`;

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

/** The start of a day as a date field has it (`2026-01-31`), or of a day after it; undefined for any other text. */
export function readDay(zone: string, text: string, after = 0): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  try {
    const day = Temporal.PlainDate.from(text, { overflow: 'reject' }).add({ days: after });
    return day.toZonedDateTime(zone).epochMilliseconds;
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
