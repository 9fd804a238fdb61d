/**
 * Time buckets of the leaderboards: days, weeks from Monday, months, and all time, in the calendar of one time zone. A
 * bucket is a number: the index of its period, then the date of its first day, like 2_2026_03_01 for March 2026.
 */
export const PERIODS = ['day', 'week', 'month', 'all'] as const;
export type Period = (typeof PERIODS)[number];

const PLACE = 100_000_000;
const QUARTER_HOUR_MS = 900_000;
const RETAINED_QUARTERS = 50_000;

/** Number of retained buckets of each period, including the present one. */
export const RETAINED_BUCKETS: Readonly<Record<Exclude<Period, 'all'>, number>> = { day: 31, week: 13, month: 24 };

/** Finds the bucket of each period that contains a timestamp. */
export type BucketsAt = (epochMs: number) => Readonly<Record<Period, number>>;

/** Caches the buckets of each quarter of an hour: every time zone changes its date on such a boundary. */
export function bucketsIn(zone: string): BucketsAt {
  const cache = new Map<number, Record<Period, number>>();
  return (epochMs) => {
    const quarter = Math.floor(epochMs / QUARTER_HOUR_MS);
    let buckets = cache.get(quarter);
    if (buckets === undefined) {
      buckets = bucketsOn(Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(zone).toPlainDate());
      if (cache.size >= RETAINED_QUARTERS) cache.clear();
      cache.set(quarter, buckets);
    }
    return buckets;
  };
}

function bucketsOn(day: Temporal.PlainDate): Record<Period, number> {
  const [monday, first] = [day.subtract({ days: day.dayOfWeek - 1 }), day.with({ day: 1 })];
  return { day: bucket('day', day), week: bucket('week', monday), month: bucket('month', first), all: bucket('all') };
}

function bucket(period: Period, day?: Temporal.PlainDate): number {
  const date = day === undefined ? 0 : Number(day.toString().replaceAll('-', ''));
  return PERIODS.indexOf(period) * PLACE + date;
}

/** The bucket `count` periods earlier: `back(march, 1)` is February. All time has one bucket, which has no date. */
export function back(bucketNumber: number, count: number): number {
  const period = bucketPeriod(bucketNumber);
  if (period === 'all') return bucketNumber;
  const first = Temporal.PlainDate.from(String(bucketNumber % PLACE));
  return bucket(period, first.subtract({ [`${period}s`]: count }));
}

export function bucketPeriod(bucketNumber: number): Period {
  return PERIODS[Math.floor(bucketNumber / PLACE)]!;
}

/** The first day of a bucket, as midnight UTC of its date. */
export function bucketStart(bucketNumber: number): number {
  const date = String(bucketNumber % PLACE).padStart(8, '0');
  return Date.UTC(Number(date.slice(0, 4)), Number(date.slice(4, 6)) - 1, Number(date.slice(6)));
}

/** The oldest retained bucket of each period. */
export function oldestRetained(at: BucketsAt, now: number): Record<keyof typeof RETAINED_BUCKETS, number> {
  const present = at(now);
  const oldest = (period: keyof typeof RETAINED_BUCKETS): number => back(present[period], RETAINED_BUCKETS[period] - 1);
  return { day: oldest('day'), week: oldest('week'), month: oldest('month') };
}

/** Every bucket that may have rows, including the next one of each period, for processes whose clock is slightly ahead. */
export function retainedBuckets(at: BucketsAt, now: number): number[] {
  const present = at(now);
  const ofPeriod = (period: keyof typeof RETAINED_BUCKETS): number[] =>
    Array.from({ length: RETAINED_BUCKETS[period] + 1 }, (_, count) => back(present[period], count - 1));
  return [present.all, ...ofPeriod('day'), ...ofPeriod('week'), ...ofPeriod('month')];
}

/** A lower bound for the bucket numbers of a period. */
export function periodStart(period: Period): number {
  return PERIODS.indexOf(period) * PLACE;
}
