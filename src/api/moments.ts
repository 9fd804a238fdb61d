const DAY_MS = 86_400_000;
const QUARTER_HOUR_MS = 900_000;
const KEPT = 50_000;

/** Writes moments as the data API shows them: `2026-01-31T12:34:56.789+09:00`, with the offset of one time zone. */
export type WriteMoment = (epochMs: number) => string;

const TWO = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
const THREE = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'));

interface Offset {
  ms: number;
  text: string;
}

/**
 * A list writes forty moments, so this is put together from tables instead of `toISOString`.
 * @param zone the operator's time zone
 */
export function momentsIn(zone: string): WriteMoment {
  const offset = offsetsOf(zone);
  const dates = new Map<number, string>();
  return (epochMs) => {
    const { ms: shift, text } = offset(epochMs);
    const local = epochMs + shift;
    const day = Math.floor(local / DAY_MS);
    const date = kept(dates, day, () => new Date(day * DAY_MS).toISOString().slice(0, 11));
    const ms = local - day * DAY_MS;
    const minutes = Math.floor(ms / 60_000);
    const seconds = Math.floor(ms / 1000) % 60;
    return `${date}${TWO[Math.floor(minutes / 60)]}:${TWO[minutes % 60]}:${TWO[seconds]}.${THREE[ms % 1000]}${text}`;
  };
}

/** Looks a zone's offset up twice for each day; on the few days that end with another, once for each quarter of an hour. */
function offsetsOf(zone: string): (epochMs: number) => Offset {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  const days = new Map<number, Offset | 'changes'>();
  const quarters = new Map<number, Offset>();
  const offsetOfDay = (day: number): Offset | 'changes' => {
    const first = offsetAt(format, day * DAY_MS);
    return first.text === offsetAt(format, (day + 1) * DAY_MS - 1).text ? first : 'changes';
  };
  return (epochMs) => {
    const day = Math.floor(epochMs / DAY_MS);
    const offset = kept(days, day, () => offsetOfDay(day));
    if (offset !== 'changes') return offset;
    return kept(quarters, Math.floor(epochMs / QUARTER_HOUR_MS), () => offsetAt(format, epochMs));
  };
}

function kept<T>(map: Map<number, T>, key: number, make: () => T): T {
  let value = map.get(key);
  if (value === undefined) {
    if (map.size >= KEPT) map.clear();
    map.set(key, (value = make()));
  }
  return value;
}

/** Reads the offset out of `GMT`, `GMT+09:00` or `GMT-00:44:30`; seconds, which no RFC 3339 offset has, are dropped. */
function offsetAt(format: Intl.DateTimeFormat, epochMs: number): Offset {
  const name = format.formatToParts(epochMs).find(({ type }) => type === 'timeZoneName')!.value;
  const [, sign = '+', hours = '00', minutes = '00'] = /([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  const ms = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return { ms: sign === '-' ? -ms : ms, text: `${sign}${hours}:${minutes}` };
}
