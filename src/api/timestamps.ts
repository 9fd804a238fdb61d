const DAY_MS = 86_400_000;
const QUARTER_HOUR_MS = 900_000;
const SPAN_MS = 64 * DAY_MS;
const CACHED_DATES = 50_000;

/** Writes moments as the data API shows them: `2026-01-31T12:34:56.789+09:00`, with the offset of one time zone. */
export type WriteTimestamp = (epochMs: number) => string;

const TWO = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
const THREE = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'));

interface Offset {
  ms: number;
  text: string;
}

/** Moments that have one offset. */
interface OffsetSpan {
  from: number;
  to: number;
  offset: Offset;
}

/**
 * A list writes forty moments, so this is put together from tables instead of `toISOString`. What is kept of a day is one
 * text: where matches of years are asked for, each further piece would have to be fetched from afar.
 * @param zone the operator's time zone
 */
export function timestampsIn(zone: string): WriteTimestamp {
  const stretchAt = offsetSpansIn(zone);
  const dates = new Map<number, string>();
  let { from, to, offset } = stretchAt(0);
  // A match mostly begins and ends on one day.
  let [last, lastDate] = [NaN, ''];
  return (epochMs) => {
    if (epochMs < from || epochMs >= to) ({ from, to, offset } = stretchAt(epochMs));
    const local = epochMs + offset.ms;
    const day = Math.floor(local / DAY_MS);
    const ms = local - day * DAY_MS;
    const minutes = Math.floor(ms / 60_000);
    const time = TWO[Math.floor(minutes / 60)]! + ':' + TWO[minutes % 60]! + ':' + TWO[Math.floor(ms / 1000) % 60]!;
    if (day !== last) [last, lastDate] = [day, dates.get(day) ?? addDate(dates, day)];
    return lastDate + time + '.' + THREE[ms % 1000]! + offset.text;
  };
}

/** `2026-01-31T` */
function addDate(dates: Map<number, string>, day: number): string {
  if (dates.size >= CACHED_DATES) dates.clear();
  const date = new Date(day * DAY_MS).toISOString().slice(0, 11);
  dates.set(day, date);
  return date;
}

/** Finds the offsets of a zone when a span of time is first spoken of. */
function offsetSpansIn(zone: string): (epochMs: number) => OffsetSpan {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  const spans = new Map<number, readonly OffsetSpan[]>();
  return (epochMs) => {
    const span = Math.floor(epochMs / SPAN_MS);
    let stretches = spans.get(span);
    if (stretches === undefined) spans.set(span, (stretches = offsetSpansOf(format, span * SPAN_MS)));
    return stretches.find(({ to }) => epochMs < to)!;
  };
}

/** Looks an offset up twice for each day of a span; on the few days that end with another, once for each quarter of an hour. */
function offsetSpansOf(format: Intl.DateTimeFormat, start: number): OffsetSpan[] {
  const stretches: OffsetSpan[] = [];
  const add = (from: number, length: number, offset: Offset): void => {
    const last = stretches.at(-1);
    if (last?.offset.text === offset.text) last.to = from + length;
    else stretches.push({ from, to: from + length, offset });
  };
  for (let day = start; day < start + SPAN_MS; day += DAY_MS) {
    const offset = offsetAt(format, day);
    if (offsetAt(format, day + DAY_MS - 1).text === offset.text) add(day, DAY_MS, offset);
    else
      for (let from = day; from < day + DAY_MS; from += QUARTER_HOUR_MS)
        add(from, QUARTER_HOUR_MS, offsetAt(format, from));
  }
  return stretches;
}

/** Reads the offset out of `GMT`, `GMT+09:00` or `GMT-00:44:30`; seconds, which no RFC 3339 offset has, are dropped. */
function offsetAt(format: Intl.DateTimeFormat, epochMs: number): Offset {
  const name = format.formatToParts(epochMs).find(({ type }) => type === 'timeZoneName')!.value;
  const [, sign = '+', hours = '00', minutes = '00'] = /([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  const ms = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return { ms: sign === '-' ? -ms : ms, text: `${sign}${hours}:${minutes}` };
}
