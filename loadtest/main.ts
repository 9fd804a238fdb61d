/**
 * Runs load tests that are too heavy for the test suite, prints the measured figures, and exits with 1 when one misses its
 * target.
 *
 *   npm run loadtest -- ingest                           everything, on both databases
 *   npm run loadtest -- ingest --only speed              one part: link, faults, speed, reads
 *   npm run loadtest -- ingest --database sqlite         one database
 *   npm run loadtest -- ingest --matches 1000            fewer matches over the unreliable link
 *
 *   npm run loadtest -- operate                          packages, proxies (needs nginx and Caddy), memory
 *   npm run loadtest -- operate --only proxies           one part: proxies, unit, image, footprint
 */
import { parseArgs } from 'node:util';
import { Report } from './report.ts';

const LOAD_TESTS: Record<
  string,
  () => Promise<{ runLoadTest(options: LoadTestOptions, report: Report): Promise<void> }>
> = {
  ingest: () => import('./ingest/run.ts'),
  operate: () => import('./operate/run.ts'),
};

export interface LoadTestOptions {
  only: string;
  database: string;
  matches: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: '' },
    database: { type: 'string', default: '' },
    matches: { type: 'string', default: '10000' },
  },
});

const loadTest = LOAD_TESTS[positionals[0] ?? ''];
if (loadTest === undefined) {
  console.error(`Name a load test: ${Object.keys(LOAD_TESTS).join(', ')}.`);
  process.exitCode = 2;
} else {
  const report = new Report();
  const loaded = await loadTest();
  await loaded.runLoadTest({ ...values, matches: Number(values.matches) }, report);
  report.end();
}
