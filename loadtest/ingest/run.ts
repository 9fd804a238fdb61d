import type { ProofOptions } from '../main.ts';
import type { Report } from '../report.ts';
import { databases, type Databases, type Dialect } from './databases.ts';
import { proveFaults } from './faults.ts';
import { proveLink } from './unreliable-link.ts';
import { proveReads } from './reads.ts';
import { proveSpeed } from './speed.ts';

type Part = (databases: Databases, options: ProofOptions, report: Report) => Promise<void>;

const PARTS: Record<string, Part> = {
  link: (databases, { matches }, report) => proveLink(databases, matches, report),
  faults: (databases, _, report) => proveFaults(databases, report),
  speed: (databases, _, report) => proveSpeed(databases, report),
  reads: (databases, _, report) => proveReads(databases, report),
};

/** What the ingest promises: nothing lost, nothing twice, a clear answer to whatever goes wrong, and fast. */
export async function prove(options: ProofOptions, report: Report): Promise<void> {
  const dialects = (['sqlite', 'postgres'] as const).filter(
    (one) => options.database === '' || one === options.database,
  );
  for (const dialect of dialects satisfies Dialect[]) {
    await using opened = await databases(dialect);
    for (const [name, part] of Object.entries(PARTS)) {
      if (options.only === '' || options.only === name) await part(opened, options, report);
    }
  }
}
