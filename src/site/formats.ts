import { type Language, LOCALES } from '#http/languages.ts';

/** Formats of numbers and times in one language; times are in the network's time zone unless stated otherwise. */
export interface Formats {
  readonly number: (value: number) => string;
  /** With two decimal places. */
  readonly ratio: (value: number) => string;
  readonly percent: (fraction: number) => string;
  /** `1 Mar 2026, 12:00 UTC` */
  readonly timestamp: (epochMs: number) => string;
  /** Like `timestamp`, with seconds. */
  readonly exact: (epochMs: number) => string;
  /** The date of a midnight UTC: `1 Mar`. */
  readonly day: (midnight: number) => string;
  /** The month of a midnight UTC: `Mar 2026`. */
  readonly month: (midnight: number) => string;
  /** The month of a midnight UTC without its year: `March`. */
  readonly monthName: (midnight: number) => string;
  /** The date of a midnight UTC with its year: `1 Mar 2026`. */
  readonly longDay: (midnight: number) => string;
  /** Seconds as hours and minutes (`3 hrs 5 mins`), shorter times as minutes or seconds. */
  readonly duration: (seconds: number) => string;
}

/** Intl formats are slow to construct, and there are only two languages and one time zone. */
const formatCache = new Map<string, Formats>();

export const formatsIn = (language: Language, zone: string): Formats =>
  formatCache.getOrInsertComputed(`${language} ${zone}`, () => build(LOCALES[language], zone));

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
    percent: (fraction) => percent.format(fraction),
    timestamp: timestamps({ ...inZone, ...DATE, hour: '2-digit', minute: '2-digit' }),
    exact: timestamps({ ...inZone, ...DATE, hour: '2-digit', minute: '2-digit', second: '2-digit' }),
    day: timestamps({ timeZone: 'UTC', day: 'numeric', month: 'short' }),
    month: timestamps({ timeZone: 'UTC', month: 'short', year: 'numeric' }),
    monthName: timestamps({ timeZone: 'UTC', month: 'long' }),
    longDay: timestamps({ timeZone: 'UTC', ...DATE }),
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
