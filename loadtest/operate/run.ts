import type { LoadTestOptions } from '../options.ts';
import type { Report } from '../report.ts';

type Part = (report: Report, options: LoadTestOptions) => Promise<void>;

/** Imported when a part runs, so that it does not need the programs of another part. */
const LOADERS: Record<string, () => Promise<Part>> = {
  proxies: async () => (await import('./proxies.ts')).testProxies,
  unit: async () => (await import('./packages.ts')).testUnit,
  image: async () => {
    const { testImage } = await import('./image.ts');
    return (report) => testImage(report);
  },
  processes: async () => (await import('./processes.ts')).testProcesses,
  restore: async () => (await import('./restore-drill.ts')).testRestore,
  upgrade: async () => (await import('./upgrade-drill.ts')).testUpgrade,
  move: async () => (await import('./move-drill.ts')).testMove,
  faults: async () => (await import('./faults/run.ts')).testFaults,
  metrics: async () => (await import('./metrics.ts')).testMetrics,
  footprint: async () => (await import('./footprint.ts')).testFootprint,
  heaps: async () => (await import('./heaps.ts')).testHeaps,
};

export const PARTS = Object.keys(LOADERS);

/** Tests the tasks of an operator: packages, proxies, several processes, restore, upgrade, move, metrics, memory. */
export async function runLoadTest(options: LoadTestOptions, report: Report): Promise<void> {
  for (const [name, load] of Object.entries(LOADERS)) if (options.wants(name)) await (await load())(report, options);
}
