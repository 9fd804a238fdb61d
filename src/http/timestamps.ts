const DAY_MS = 86_400_000;

/** Formats epoch milliseconds as `2026-01-31T12:34:56.789+09:00`, with the offset of one time zone. */
export type WriteTimestamp = (epochMs: number) => string;

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
 * Creates the formatter of a time zone. A list has forty timestamps, mostly of one day, so it keeps the last date: with
 * `toISOString` for each of them a list takes a fifth more CPU time.
 * @param zone an IANA time zone or an offset like `+09:00`
 */
export function timestampsIn(zone: string): WriteTimestamp {
  const spanAt = offsetSpansIn(zone);
  let { from, to, offset } = spanAt(0);
  let [day, date] = [NaN, ''];
  return (epochMs) => {
    if (epochMs < from || epochMs >= to) ({ from, to, offset } = spanAt(epochMs));
    const local = epochMs + offset.ms;
    const today = Math.floor(local / DAY_MS);
    if (today !== day) [day, date] = [today, new Date(today * DAY_MS).toISOString().slice(0, 11)];
    const seconds = Math.floor((local - today * DAY_MS) / 1000);
    const minutes = Math.floor(seconds / 60);
    const time = `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}:${twoDigits(seconds % 60)}`;
    return `${date}${time}.${String(local - today * DAY_MS - seconds * 1000).padStart(3, '0')}${offset.text}`;
  };
}

const twoDigits = (number: number): string => (number < 10 ? `0${number}` : String(number));

/** Finds the offset span of a timestamp; each is computed once, which takes 10 µs. A zone has at most a few each year. */
function offsetSpansIn(zone: string): (epochMs: number) => OffsetSpan {
  const spans: OffsetSpan[] = [];
  return (epochMs) => {
    let span = spans.find(({ from, to }) => from <= epochMs && epochMs < to);
    if (span === undefined) spans.push((span = offsetSpanAt(zone, epochMs)));
    return span;
  };
}

/** The time around a timestamp during which the offset of the zone stays the same. */
function offsetSpanAt(zone: string, epochMs: number): OffsetSpan {
  const zoned = Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(zone);
  // `previous` does not find a change at the very time.
  const from = zoned.add({ milliseconds: 1 }).getTimeZoneTransition('previous')?.epochMilliseconds ?? -Infinity;
  const to = zoned.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity;
  // An RFC 3339 offset cannot have seconds, as `-00:44:30` of Monrovia had.
  const text = zoned.offset.slice(0, '+09:00'.length);
  const ms = (Number(text.slice(1, 3)) * 60 + Number(text.slice(4))) * 60_000;
  return { from, to, offset: { ms: text.startsWith('-') ? -ms : ms, text } };
}
