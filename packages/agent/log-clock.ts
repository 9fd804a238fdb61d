/** Finds the dates of log lines, which have a time alone, in the time zone of this process. */

const DAY_S = 86_400;
/** The modification time of a file may be this much earlier than the time in its last line. */
const TOLERANCE_MS = 5_000;
const ZONE_STEP_S = 900;

/** Lines of concurrent threads are that much out of order. */
const DISORDER_S = 60;

/** A local date and the seconds since its midnight. */
export interface LogTime {
  /** `yyyy-mm-dd` */
  date: string;
  seconds: number;
  /** In the second pass of the hour that the clock repeats when summer time ends. */
  repeated?: true;
}

export function millisecondsOf(time: LogTime): number {
  const first = firstPass(time);
  return time.repeated === true ? (secondPass(first) ?? first) : first;
}

function firstPass({ date, seconds }: LogTime): number {
  const [year, month, day] = date.split('-').map(Number);
  return new Date(year!, month! - 1, day, 0, 0, seconds).getTime();
}

/** When the clock shows the same time again; undefined if it shows it once. */
function secondPass(first: number): number | undefined {
  const minutes = new Date(first + DAY_S * 1000).getTimezoneOffset() - new Date(first).getTimezoneOffset();
  const again = first + minutes * 60_000;
  return minutes > 0 && clockAt(again) === clockAt(first) ? again : undefined;
}

/** The time in the second pass, if the clock shows it twice and `isSecond` is true. */
function inPass({ date, seconds }: LogTime, isSecond: (first: number, again: number) => boolean): LogTime {
  const first = firstPass({ date, seconds });
  const again = secondPass(first);
  return again !== undefined && isSecond(first, again) ? { date, seconds, repeated: true } : { date, seconds };
}

/** `hh:mm:ss` */
export const clockOf = ({ seconds }: LogTime): string => new Date(seconds * 1000).toISOString().slice(11, 19);

export const clockAt = (timestamp: number): string => new Date(timestamp).toTimeString().slice(0, 8);

/**
 * Whether a line that shows `seconds` was written by a clock in another time zone; zones differ by quarters of an hour.
 * Only clocks are compared, because an hour is repeated when summer time ends.
 */
export function isOtherZone(seconds: number, written: number): boolean {
  const date = new Date(written);
  const own = date.getHours() * 3_600 + date.getMinutes() * 60 + date.getSeconds();
  const difference = (own - seconds + DAY_S) % DAY_S;
  const nearest = Math.round(difference / ZONE_STEP_S) * ZONE_STEP_S;
  return nearest % DAY_S !== 0 && Math.abs(difference - nearest) * 1000 <= TOLERANCE_MS;
}

/**
 * The time of a line that follows `previous`: on the next day if its clock is more than half a day behind, and in the second
 * pass of a repeated hour if it is behind within that hour.
 */
export function following(previous: LogTime, seconds: number): LogTime {
  const date = isNextDay(previous.seconds, seconds) ? shifted(previous.date, 1) : previous.date;
  const before = millisecondsOf(previous);
  return inPass({ date, seconds }, (first) => first < before - DISORDER_S * 1000);
}

/**
 * The times of all lines up to the end of a file that was last written at `written`. They are derived from the last
 * line, so that a changed clock or a day without lines causes no lasting error. Of the two passes of a repeated hour, a
 * line is in the later one that is not after the next line.
 */
export function endingAt(seconds: readonly number[], written: number): LogTime[] {
  let next = { date: latestDate(seconds.at(-1)!, written), seconds: seconds.at(-1)! };
  let limit = written + TOLERANCE_MS;
  return seconds
    .toReversed()
    .map((second) => {
      const date = isNextDay(second, next.seconds) ? shifted(next.date, -1) : next.date;
      next = inPass({ date, seconds: second }, (_, again) => again <= limit);
      limit = millisecondsOf(next) + DISORDER_S * 1000;
      return next;
    })
    .toReversed();
}

/** Counts how often the clock passes midnight, to date the first line of a long file by its last one. */
export class DayCounter {
  #days = 0;
  #last: number | undefined;

  add(seconds: number): void {
    if (this.#last !== undefined && isNextDay(this.#last, seconds)) this.#days++;
    this.#last = seconds;
  }

  /** The date of the first line, if the last one was written at `written`. */
  firstDate(written: number): string {
    return this.#last === undefined ? dateOf(written) : shifted(latestDate(this.#last, written), -this.#days);
  }
}

/** Smaller steps back come from concurrent threads and from the end of summer time. */
const isNextDay = (before: number, after: number): boolean => before - after > DAY_S / 2;

/** The latest date on which the clock showed `seconds` no later than `written`, or a little later. */
function latestDate(seconds: number, written: number): string {
  const limit = written + TOLERANCE_MS;
  const date = dateOf(limit);
  return millisecondsOf({ date, seconds }) > limit ? shifted(date, -1) : date;
}

export function dateOf(timestamp: number): string {
  const date = new Date(timestamp);
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'));
  return `${date.getFullYear()}-${month}-${day}`;
}

function shifted(date: string, days: number): string {
  const [year, month, day] = date.split('-').map(Number);
  return dateOf(new Date(year!, month! - 1, day! + days, 12).getTime());
}
