const FORMAT = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) (?:([+-])(\d{2}):?(\d{2})|Z)$/;

/** Parses a date in Minecraft's format, `yyyy-MM-dd HH:mm:ss Z` with a numeric zone, to epoch milliseconds. */
export function readDate(text: string): number | undefined {
  const [, year, month, day, hour, minute, second, sign, zoneHours = '0', zoneMinutes = '0'] =
    FORMAT.exec(text.trim()) ?? [];
  if (year === undefined || Number(zoneHours) > 18 || Number(zoneMinutes) > 59) return undefined;
  const timestamp = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`);
  // Refuse dates that `Date.parse` rolls over, such as 30 February or 24:00.
  if (Number.isNaN(timestamp) || !new Date(timestamp).toISOString().startsWith(`${year}-${month}-${day}T${hour}`))
    return undefined;
  const offset = (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60_000;
  return sign === '-' ? timestamp + offset : timestamp - offset;
}

/** The timestamp one month earlier, as in Java's calendar: from the 31st to the last day of a shorter month. */
export function monthBefore(timestamp: number): number {
  const date = new Date(timestamp);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 0)).getUTCDate();
  date.setUTCMonth(date.getUTCMonth() - 1, Math.min(date.getUTCDate(), last));
  return date.getTime();
}
