import type { LoadTestOptions } from '../options.ts';
import type { Report } from '../report.ts';
import { type Databases, databases, dialectsOf } from '../support/databases.ts';

type Part = (databases: Databases, report: Report) => Promise<void>;

/** Imported when a part runs. */
const LOADERS: Record<string, () => Promise<Part>> = {
  secrets: async () => (await import('./secrets.ts')).testSecrets,
  rotation: async () => (await import('./rotation.ts')).testRotation,
  guesses: async () => (await import('./guesses.ts')).testGuesses,
};

export const PARTS = Object.keys(LOADERS);

/** Tests the sign-in service under load, on each database. */
export async function runLoadTest(options: LoadTestOptions, report: Report): Promise<void> {
  for (const dialect of dialectsOf(options.database)) {
    await using opened = await databases(dialect);
    for (const [name, load] of Object.entries(LOADERS)) if (options.wants(name)) await (await load())(opened, report);
  }
}
