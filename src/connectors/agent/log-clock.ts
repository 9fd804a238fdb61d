/** Finds the dates of log lines, which have a time alone, in the time zone of this process. */

const DAY_S = 86_400;
/** The modification time of a file may be this much earlier than the time in its last line. */
const TOLERANCE_MS = 5_000;
const ZONE_STEP_S = 900;

/** A local date and the seconds since its midnight. */
export interface LogTime {
  /** `yyyy-mm-dd` */
  date: string;
  seconds: number;
}

export function millisecondsOf({ date, seconds }: LogTime): number {
  const [year, month, day] = date.split('-').map(Number);
  return new Date(year!, month! - 1, day, 0, 0, seconds).getTime();
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

/** The time of a line that follows `previous`: on the next day if its clock is more than half a day behind. */
export function following(previous: LogTime, seconds: number): LogTime {
  return { date: isNextDay(previous.seconds, seconds) ? shifted(previous.date, 1) : previous.date, seconds };
}

/**
 * The times of all lines up to the end of a file that was last written at `written`. They are derived from the last
 * line, so that a changed clock or a day without lines causes no lasting error.
 */
export function endingAt(seconds: readonly number[], written: number): LogTime[] {
  let date = latestDate(seconds.at(-1)!, written);
  return seconds
    .toReversed()
    .map((second, index, all) => {
      if (index > 0 && isNextDay(second, all[index - 1]!)) date = shifted(date, -1);
      return { date, seconds: second };
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
