import type { Language } from '#http/languages.ts';

const LOCALES: Record<Language, string> = { en: 'en-GB', ja: 'ja-JP' };

/** How numbers and moments are written in one language, moments by the calendar of the network. */
export interface Formats {
  readonly number: (value: number) => string;
  /** Two digits behind the point. */
  readonly ratio: (value: number) => string;
  readonly percent: (quota: number) => string;
  /** `1 March 2026, 12:00 UTC` */
  readonly timestamp: (epochMs: number) => string;
  /** The same to the second. */
  readonly exact: (epochMs: number) => string;
  /** A date whose midnight UTC is given: `1 Mar`. */
  readonly day: (midnight: number) => string;
  readonly month: (midnight: number) => string;
  readonly longDay: (midnight: number) => string;
  /** Hours and minutes in the zone of the network. */
  readonly clock: (epochMs: number) => string;
  /** Seconds as hours and minutes: `3 h 05 min`. */
  readonly duration: (seconds: number) => string;
}

const formatCache = new Map<string, Formats>();

export function formatsIn(language: Language, zone: string): Formats {
  const name = `${language} ${zone}`;
  const known = formatCache.get(name);
  if (known !== undefined) return known;
  const formats = build(LOCALES[language], zone);
  formatCache.set(name, formats);
  return formats;
}

function build(locale: string, zone: string): Formats {
  const number = new Intl.NumberFormat(locale);
  const ratio = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
  const timestamps = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, options);
    return (epochMs: number): string => format.format(epochMs);
  };
  const inZone = { timeZone: zone, hourCycle: 'h23', timeZoneName: 'short' } as const;
  return {
    number: (value) => number.format(value),
    ratio: (value) => ratio.format(value),
    percent: (quota) => percent.format(quota),
    timestamp: timestamps({ ...inZone, dateStyle: undefined, ...DATE, hour: '2-digit', minute: '2-digit' }),
    exact: timestamps({ ...inZone, ...DATE, hour: '2-digit', minute: '2-digit', second: '2-digit' }),
    day: timestamps({ timeZone: 'UTC', day: 'numeric', month: 'short' }),
    month: timestamps({ timeZone: 'UTC', month: 'short', year: 'numeric' }),
    longDay: timestamps({ timeZone: 'UTC', ...DATE }),
    clock: timestamps({ timeZone: zone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
    duration: durations(locale),
  };
}

const DATE = { day: 'numeric', month: 'short', year: 'numeric' } as const;

function durations(locale: string): (seconds: number) => string {
  const unit = (name: string) => {
    const format = new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay: 'short' });
    return (value: number): string => format.format(value);
  };
  const [hours, minutes, seconds] = [unit('hour'), unit('minute'), unit('second')];
  return (value) => {
    const whole = Math.max(0, Math.round(value));
    if (whole < 60) return seconds(whole);
    if (whole < 3_600) return minutes(Math.floor(whole / 60));
    const rest = Math.floor((whole % 3_600) / 60);
    return rest === 0 || whole >= 360_000
      ? hours(Math.floor(whole / 3_600))
      : `${hours(Math.floor(whole / 3_600))} ${minutes(rest)}`;
  };
}
