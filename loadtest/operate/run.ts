import type { LoadTestOptions } from '../main.ts';
import type { Report } from '../report.ts';

type Part = (report: Report) => Promise<void>;

/** Imported when they run, so that one part does not need the programs of another. */
const PARTS: Record<string, () => Promise<Part>> = {
  proxies: async () => (await import('./proxies.ts')).testProxies,
  unit: async () => (await import('./packages.ts')).testUnit,
  image: async () => (await import('./packages.ts')).testImage,
  footprint: async () => (await import('./footprint.ts')).testFootprint,
};

/** Tests what an operator does over the years: packages, proxies, memory. */
export async function runLoadTest({ only }: LoadTestOptions, report: Report): Promise<void> {
  for (const [name, load] of Object.entries(PARTS)) if (only === '' || only === name) await (await load())(report);
}
