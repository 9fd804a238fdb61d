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

/** Moments that have one local date and one offset. */
interface Stretch {
  from: number;
  to: number;
  /** When the local day begins. */
  midnight: number;
  /** `2026-01-31T` */
  date: string;
  offset: string;
}

const NOTHING: Stretch = { from: 0, to: 0, midnight: 0, date: '', offset: '' };

/**
 * A list writes forty moments, so this is put together from tables instead of `toISOString`, and what is near the moment
 * before is not looked up again.
 * @param zone the operator's time zone
 */
export function momentsIn(zone: string): WriteMoment {
  const stretchesAt = stretchesIn(zone);
  let last = NOTHING;
  return (epochMs) => {
    if (epochMs < last.from || epochMs >= last.to) last = stretchesAt(epochMs).find(({ to }) => epochMs < to)!;
    const ms = epochMs - last.midnight;
    const minutes = Math.floor(ms / 60_000);
    const time = TWO[Math.floor(minutes / 60)]! + ':' + TWO[minutes % 60]! + ':' + TWO[Math.floor(ms / 1000) % 60]!;
    return last.date + time + '.' + THREE[ms % 1000]! + last.offset;
  };
}

/** Looks a zone's offset up twice for each day; on the few days that end with another, once for each quarter of an hour. */
function stretchesIn(zone: string): (epochMs: number) => readonly Stretch[] {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  const days = new Map<number, readonly Stretch[]>();
  const quarters = new Map<number, readonly Stretch[]>();
  const ofDay = (day: number): readonly Stretch[] => {
    const first = offsetAt(format, day * DAY_MS);
    const isOne = first.text === offsetAt(format, (day + 1) * DAY_MS - 1).text;
    return isOne ? stretchesOf(day * DAY_MS, DAY_MS, first) : [];
  };
  const ofQuarter = (quarter: number): readonly Stretch[] => {
    const from = quarter * QUARTER_HOUR_MS;
    return stretchesOf(from, QUARTER_HOUR_MS, offsetAt(format, from));
  };
  return (epochMs) => {
    const stretches = kept(days, Math.floor(epochMs / DAY_MS), ofDay);
    return stretches.length > 0 ? stretches : kept(quarters, Math.floor(epochMs / QUARTER_HOUR_MS), ofQuarter);
  };
}

/** Cuts time with one offset at the midnights in it. */
function stretchesOf(from: number, length: number, { ms, text }: Offset): Stretch[] {
  const stretches: Stretch[] = [];
  for (let start = from; start < from + length; start = stretches.at(-1)!.to) {
    const day = Math.floor((start + ms) / DAY_MS);
    const midnight = day * DAY_MS - ms;
    const to = Math.min(midnight + DAY_MS, from + length);
    stretches.push({
      from: start,
      to,
      midnight,
      date: new Date(day * DAY_MS).toISOString().slice(0, 11),
      offset: text,
    });
  }
  return stretches;
}

function kept<T>(map: Map<number, T>, key: number, make: (key: number) => T): T {
  let value = map.get(key);
  if (value === undefined) {
    if (map.size >= KEPT) map.clear();
    map.set(key, (value = make(key)));
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
