/** One day before the last day with a four-digit year, so that a timestamp can be written with every UTC offset. */
export const LAST_TIMESTAMP = Date.parse('9999-12-31T00:00:00Z');

const TIME =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/**
 * Reads a time with its UTC offset (RFC 3339, the seconds are optional): the one reader of times that people and programs send.
 * @returns epoch milliseconds; undefined for any other text, also for a day that does not exist, which `Date.parse` takes for a
 *   later one
 */
export function readTime(text: string): number | undefined {
  const [, year, month, day] = TIME.exec(text) ?? [];
  if (year === undefined || !hasDay(Number(year), Number(month), Number(day))) return undefined;
  const time = Date.parse(text.toUpperCase());
  return Number.isNaN(time) ? undefined : time;
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function hasDay(year: number, month: number, day: number): boolean {
  const isLeapDay = month === 2 && day === 29 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day >= 1 && (day <= (DAYS[month - 1] ?? 0) || isLeapDay);
}
