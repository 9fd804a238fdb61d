/**
 * Days in the network's time zone. A day begins at six in the morning, when few play; its number is that of the date,
 * in days since 1970-01-01.
 */
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const DAY_BEGINS = 6 * HOUR;

/** The start of the day in epoch milliseconds. Days with a clock change are an hour longer or shorter. */
export function dayStart(zone: string, day: number): number {
  const local = day * DAY + DAY_BEGINS;
  return local - offsetAt(zone, local - offsetAt(zone, local));
}

export function dayOf(zone: string, time: number): number {
  return Math.floor((time + offsetAt(zone, time) - DAY_BEGINS) / DAY);
}

/** Friday counts as weekend because of its evening. */
export function isWeekend(day: number): boolean {
  const weekday = (day + 4) % 7;
  return weekday === 0 || weekday >= 5;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const offsets = new Map<string, number>();

/** The zone's offset from UTC in milliseconds, cached for each hour. */
function offsetAt(zone: string, time: number): number {
  const hour = Math.floor(time / HOUR);
  const key = `${zone} ${hour}`;
  let offset = offsets.get(key);
  if (offset === undefined) offsets.set(key, (offset = readOffset(zone, hour * HOUR)));
  return offset;
}

function readOffset(zone: string, time: number): number {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
    formats.set(zone, format);
  }
  const name = format.formatToParts(time).find((part) => part.type === 'timeZoneName')!.value;
  const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  if (sign === undefined) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR + Number(minutes) * MINUTE);
}
