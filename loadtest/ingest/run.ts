import type { LoadTestOptions } from '../options.ts';
import type { Report } from '../report.ts';
import { databases, type Databases, dialectsOf } from '../support/databases.ts';
import { testFaults } from './faults.ts';
import { testLink } from './unreliable-link.ts';
import { testReads } from './reads.ts';
import { testFeedCost } from './feed-cost.ts';
import { testSpeed } from './speed.ts';

type Part = (databases: Databases, options: LoadTestOptions, report: Report) => Promise<void>;

const TESTS: Record<string, Part> = {
  link: (databases, { matches = 10_000 }, report) => testLink(databases, matches, report),
  faults: (databases, _, report) => testFaults(databases, report),
  speed: (databases, _, report) => testSpeed(databases, report),
  feed: (databases, _, report) => testFeedCost(databases, report),
  reads: (databases, _, report) => testReads(databases, report),
};

export const PARTS = Object.keys(TESTS);

/** Tests that the ingest loses no event, stores none twice, responds clearly to every fault, and is fast. */
export async function runLoadTest(options: LoadTestOptions, report: Report): Promise<void> {
  for (const dialect of dialectsOf(options.database)) {
    await using opened = await databases(dialect);
    for (const [name, part] of Object.entries(TESTS)) {
      if (options.wants(name)) await part(opened, options, report);
    }
  }
}
