import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Report } from '../report.ts';
import { findProgram, ROOT } from './programs.ts';
import { testInstalledUnit } from './unit.ts';

const UNITS = ['scorehall.service', 'scorehall-backup.service', 'scorehall-backup.timer'].map((name) =>
  join(ROOT, 'deploy/systemd', name),
);
/** systemd calls an exposure below 2.5 "OK". */
const MAX_EXPOSURE = 2;

/** Lets systemd check the unit, score its hardening and run it. */
export async function testUnit(report: Report): Promise<void> {
  const analyze = findProgram('systemd-analyze');
  if (analyze === undefined) return report.add('systemd-analyze', 'is missing: apt-get install systemd', false);
  const verified = spawnSync(analyze, ['verify', ...UNITS], { encoding: 'utf8' });
  report.add('unit: systemd-analyze verify', verified.stderr.trim() || 'no complaint', verified.status === 0);
  const { stdout } = spawnSync(analyze, ['security', '--offline=yes', UNITS[0]!], { encoding: 'utf8' });
  const exposure = /Overall exposure level[^:]*: ([\d.]+)/.exec(stdout)?.[1] ?? 'unknown';
  report.add('unit: exposure, 0 to 10', exposure, Number(exposure) <= MAX_EXPOSURE);
  await testInstalledUnit(report);
}
