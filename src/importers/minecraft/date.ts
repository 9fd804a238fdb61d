const FORMAT = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) (?:([+-])(\d{2}):?(\d{2})|Z)$/;

/** A moment as Minecraft writes it, `yyyy-MM-dd HH:mm:ss Z` with a numeric zone, in epoch milliseconds. */
export function readDate(text: string): number | undefined {
  const [, year, month, day, hour, minute, second, sign, zoneHours = '0', zoneMinutes = '0'] =
    FORMAT.exec(text.trim()) ?? [];
  if (year === undefined || Number(zoneHours) > 18 || Number(zoneMinutes) > 59) return undefined;
  const timestamp = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`);
  // What rolls over (30 February, 24:00) is no date that a server writes.
  if (Number.isNaN(timestamp) || !new Date(timestamp).toISOString().startsWith(`${year}-${month}-${day}T${hour}`))
    return undefined;
  const offset = (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60_000;
  return sign === '-' ? timestamp + offset : timestamp - offset;
}

/** The moment a month before, as Java's calendar counts: from the 31st to the last day of a shorter month. */
export function monthBefore(timestamp: number): number {
  const date = new Date(timestamp);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 0)).getUTCDate();
  date.setUTCMonth(date.getUTCMonth() - 1, Math.min(date.getUTCDate(), last));
  return date.getTime();
}
