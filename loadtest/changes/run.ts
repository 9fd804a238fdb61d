import type { LoadTestOptions } from '../options.ts';
import type { Report } from '../report.ts';
import { testSubscribers } from './evening.ts';
import { testIdle } from './idle.ts';
import { testLive } from './live.ts';
import { testMirrors } from './mirrors.ts';
import { testPython } from './python.ts';

const TESTS: Record<string, (report: Report, options: LoadTestOptions) => Promise<void>> = {
  mirrors: testMirrors,
  subscribers: testSubscribers,
  idle: testIdle,
  live: testLive,
  python: testPython,
};

export const PARTS = Object.keys(TESTS);

/** Tries to break the promises of the feed of changes (docs/adr/0006-feed-of-changes.md). */
export async function runLoadTest(options: LoadTestOptions, report: Report): Promise<void> {
  for (const [name, part] of Object.entries(TESTS)) {
    if (options.wants(name)) await part(report, options);
  }
}
