/**
 * Proves promises that are too heavy for the tests, prints the figures, and fails when one falls short.
 *
 *   npm run loadtest -- ingest                           everything, on both databases
 *   npm run loadtest -- ingest --only speed              one part: link, faults, speed, reads
 *   npm run loadtest -- ingest --database sqlite         one database
 *   npm run loadtest -- ingest --matches 1000            a smaller season over the bad link
 */
import { parseArgs } from 'node:util';
import { Report } from './report.ts';

const LOAD_TESTS: Record<
  string,
  () => Promise<{ runLoadTest(options: LoadTestOptions, report: Report): Promise<void> }>
> = {
  ingest: () => import('./ingest/run.ts'),
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

const proof = LOAD_TESTS[positionals[0] ?? ''];
if (proof === undefined) {
  console.error(`Name a proof: ${Object.keys(LOAD_TESTS).join(', ')}.`);
  process.exitCode = 2;
} else {
  const report = new Report();
  const loaded = await proof();
  await loaded.runLoadTest({ ...values, matches: Number(values.matches) }, report);
  report.end();
}
