const DAY_MS = 86_400_000;
const QUARTER_HOUR_MS = 900_000;
const CHUNK_MS = 64 * DAY_MS;
const CACHED_DATES = 50_000;

/** Formats epoch milliseconds as `2026-01-31T12:34:56.789+09:00`, with the offset of one time zone. */
export type WriteTimestamp = (epochMs: number) => string;

const TWO = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
const THREE = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'));

interface Offset {
  ms: number;
  text: string;
}

/** A time span with one offset, in epoch milliseconds; `to` is exclusive. */
interface OffsetSpan {
  from: number;
  to: number;
  offset: Offset;
}

/**
 * Creates the formatter of a time zone. A list has forty timestamps, so it works with tables, which are faster than
 * `toISOString`. The cache holds one string a day and no objects: lists over years of matches touch many entries, and
 * every further object is a CPU cache miss.
 * @param zone an IANA time zone or an offset like `+09:00`
 */
export function timestampsIn(zone: string): WriteTimestamp {
  const spanAt = offsetSpansIn(zone);
  const dates = new Map<number, string>();
  let { from, to, offset } = spanAt(0);
  // Most matches start and end on the same day.
  let [last, lastDate] = [NaN, ''];
  return (epochMs) => {
    if (epochMs < from || epochMs >= to) ({ from, to, offset } = spanAt(epochMs));
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

/** Finds the offset span of a timestamp. Computes the spans of a chunk of 64 days on first use. */
function offsetSpansIn(zone: string): (epochMs: number) => OffsetSpan {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  const chunks = new Map<number, readonly OffsetSpan[]>();
  return (epochMs) => {
    const chunk = Math.floor(epochMs / CHUNK_MS);
    let spans = chunks.get(chunk);
    if (spans === undefined) chunks.set(chunk, (spans = offsetSpansOf(format, chunk * CHUNK_MS)));
    return spans.find(({ to }) => epochMs < to)!;
  };
}

/**
 * The offset spans of a chunk. Compares the offsets at the start and at the end of each day, and looks at every quarter of
 * an hour of a day on which they differ.
 */
function offsetSpansOf(format: Intl.DateTimeFormat, start: number): OffsetSpan[] {
  const spans: OffsetSpan[] = [];
  const add = (from: number, length: number, offset: Offset): void => {
    const last = spans.at(-1);
    if (last?.offset.text === offset.text) last.to = from + length;
    else spans.push({ from, to: from + length, offset });
  };
  for (let day = start; day < start + CHUNK_MS; day += DAY_MS) {
    const offset = offsetAt(format, day);
    if (offsetAt(format, day + DAY_MS - 1).text === offset.text) add(day, DAY_MS, offset);
    else
      for (let from = day; from < day + DAY_MS; from += QUARTER_HOUR_MS)
        add(from, QUARTER_HOUR_MS, offsetAt(format, from));
  }
  return spans;
}

/** Parses `GMT`, `GMT+09:00` or `GMT-00:44:30`. Drops the seconds, which an RFC 3339 offset cannot have. */
function offsetAt(format: Intl.DateTimeFormat, epochMs: number): Offset {
  const name = format.formatToParts(epochMs).find(({ type }) => type === 'timeZoneName')!.value;
  const [, sign = '+', hours = '00', minutes = '00'] = /([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  const ms = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return { ms: sign === '-' ? -ms : ms, text: `${sign}${hours}:${minutes}` };
}
