/** Maximum difference between the clocks of two machines. */
const CLOCK_DIFFERENCE_MS = 60_000;

/** Whether another program's time lies in the future, by more than clocks differ. */
export const isFuture = (time: number, now: number): boolean => time > now + CLOCK_DIFFERENCE_MS;

/** Whether an end is over, or nearly over by the clock of its program. */
export const isOver = (end: number | null, now: number): boolean => end !== null && end <= now + CLOCK_DIFFERENCE_MS;
