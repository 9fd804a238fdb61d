import { readTime } from '#text/time.ts';

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const;

/** The formats that `readUntil` accepts, for messages. */
export const UNTIL_FORMS = 'never, a duration like 30m, 12h, 7d or 4w, or a time like 2026-01-31T12:00:00Z';

/**
 * Parses an end time: `never`, a duration from now, or a time with its UTC offset.
 * @returns epoch milliseconds, null for never, undefined if the text is none of these
 */
export function readUntil(text: string, now: number): number | null | undefined {
  const entered = text.trim();
  if (entered === 'never') return null;
  const [, count, unit] = /^([1-9]\d{0,4})([mhdw])$/.exec(entered) ?? [];
  if (unit !== undefined) return now + Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  return readTime(entered);
}
