import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoadTestOptions } from '../options.ts';
import type { Report } from '../report.ts';
import { missingForContainer, SUITES } from '../operate/container.ts';
import { provideArtefacts } from './artefacts.ts';
import type { DebianSetup, Setup } from './setup.ts';

type Part = (setup: Setup) => Promise<void>;

/** Imported when a part runs, so that it does not need the programs of another part. */
const LOADERS: Record<string, () => Promise<Part>> = {
  checks: async () => (await import('./checks.ts')).testChecks,
  archive: async () => onEachDebian((await import('./archive.ts')).testArchive),
  package: async () => onEachDebian((await import('./package.ts')).testPackage),
  upgrade: async () => onEachDebian((await import('./upgrade.ts')).testUpgrade),
  libraries: async () => (await import('./libraries.ts')).testLibraries,
  image: async () => (await import('./image.ts')).testContext,
  rolling: async () => (await import('./rolling.ts')).testRolling,
};

export const PARTS = Object.keys(LOADERS);

/** Uses the artefacts of a release on bare machines without a network, as their users do. */
export async function runLoadTest({ wants, dist }: LoadTestOptions, report: Report): Promise<void> {
  const artefacts = provideArtefacts(dist);
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-release-'));
  try {
    for (const [name, load] of Object.entries(LOADERS))
      if (wants(name)) await (await load())({ report, artefacts, folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const onEachDebian =
  (test: (setup: DebianSetup) => Promise<void>): Part =>
  async (setup) => {
    const missing = missingForContainer();
    if (missing !== undefined) return setup.report.add('a bare Debian', missing, false);
    for (const suite of SUITES) await test({ ...setup, suite });
  };
