const QUARTER_HOUR_MS = 900_000;
const KEPT_OFFSETS = 50_000;

/** Writes moments as the data API shows them: `2026-01-31T12:34:56.789+09:00`, with the offset of one time zone. */
export type WriteMoment = (epochMs: number) => string;

/** @param zone the operator's time zone; its offset is looked up once for each quarter of an hour, in which none changes */
export function momentsIn(zone: string): WriteMoment {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  const offsets = new Map<number, { ms: number; text: string }>();
  return (epochMs) => {
    const quarter = Math.floor(epochMs / QUARTER_HOUR_MS);
    let offset = offsets.get(quarter);
    if (offset === undefined) {
      offset = offsetAt(format, epochMs);
      if (offsets.size >= KEPT_OFFSETS) offsets.clear();
      offsets.set(quarter, offset);
    }
    return new Date(epochMs + offset.ms).toISOString().slice(0, 23) + offset.text;
  };
}

/** Reads the offset out of `GMT`, `GMT+09:00` or `GMT-00:44:30`; seconds, which no RFC 3339 offset has, are dropped. */
function offsetAt(format: Intl.DateTimeFormat, epochMs: number): { ms: number; text: string } {
  const name = format.formatToParts(epochMs).find(({ type }) => type === 'timeZoneName')!.value;
  const [, sign = '+', hours = '00', minutes = '00'] = /([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  const ms = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return { ms: sign === '-' ? -ms : ms, text: `${sign}${hours}:${minutes}` };
}
