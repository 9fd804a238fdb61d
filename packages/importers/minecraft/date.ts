import { readTime } from '../../text/time.ts';

const FORMAT = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}) (?:([+-])(\d{2}):?(\d{2})|Z)$/;

/** Parses a date in Minecraft's format, `yyyy-MM-dd HH:mm:ss Z` with a numeric zone, to epoch milliseconds. */
export function readDate(text: string): number | undefined {
  const [, day, time, sign = '+', zoneHours = '00', zoneMinutes = '00'] = FORMAT.exec(text.trim()) ?? [];
  return readTime(`${day}T${time}${sign}${zoneHours}:${zoneMinutes}`);
}

/** The timestamp one month earlier, as in Java's calendar: from the 31st to the last day of a shorter month. */
export function monthBefore(timestamp: number): number {
  const date = new Date(timestamp);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 0)).getUTCDate();
  date.setUTCMonth(date.getUTCMonth() - 1, Math.min(date.getUTCDate(), last));
  return date.getTime();
}
