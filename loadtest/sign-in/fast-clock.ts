/**
 * Makes `Date` of this process faster, if FAST_CLOCK says so: `REAL,START,FACTOR`, where REAL is the actual time at which the
 * clock shows START. All processes with the same value show the same time. Timers stay as they are, and so are late.
 */
export const [real, start, factor] = (process.env['FAST_CLOCK'] ?? '').split(',').map(Number);
if (factor !== undefined) {
  const ActualDate = Date;
  const now = (): number => Math.floor(start! + (ActualDate.now() - real!) * factor);
  globalThis.Date = class extends ActualDate {
    constructor(...args: []) {
      super(...((args.length === 0 ? [now()] : args) as []));
    }

    static override now(): number {
      return now();
    }
  } as DateConstructor;
}
