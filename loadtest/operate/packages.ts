import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Report } from '../report.ts';
import { findProgram, ROOT } from './programs.ts';

const UNITS = ['scorehall', 'scorehall-agent'];
/** systemd calls an exposure below 2.5 "OK". */
const MAX_EXPOSURE = 2;

/** Lets systemd check the units and score their hardening. */
export async function testUnit(report: Report): Promise<void> {
  const analyze = findProgram('systemd-analyze');
  if (analyze === undefined) return report.add('systemd-analyze', 'is missing: apt-get install systemd', false);
  for (const name of UNITS) {
    const unit = join(ROOT, `deploy/systemd/${name}.service`);
    const verified = spawnSync(analyze, ['verify', unit], { encoding: 'utf8' });
    report.add(`${name}: systemd-analyze verify`, verified.stderr.trim() || 'no complaint', verified.status === 0);
    const { stdout } = spawnSync(analyze, ['security', '--offline=yes', unit], { encoding: 'utf8' });
    const exposure = /Overall exposure level[^:]*: ([\d.]+)/.exec(stdout)?.[1] ?? 'unknown';
    report.add(`${name}: exposure, 0 to 10`, exposure, Number(exposure) <= MAX_EXPOSURE);
  }
}
