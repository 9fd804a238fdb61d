import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from '../report.ts';
import { findProgram, ROOT } from '../support/programs.ts';
import { testInstalledUnit } from './unit.ts';

const UNITS = ['scorehall.service', 'scorehall-agent.service', 'scorehall-backup.service', 'scorehall-backup.timer'];
/** Of these, the permanent ones. */
const SERVICES = UNITS.slice(0, 2);
/** systemd calls an exposure below 2.5 "OK". */
const MAX_EXPOSURE = 2;

/** Lets systemd check the units, score the hardening of the services, and run the service. */
export async function testUnit(report: Report): Promise<void> {
  const analyze = findProgram('systemd-analyze');
  if (analyze === undefined) return report.add('systemd-analyze', 'is missing: apt-get install systemd', false);
  const folder = mkdtempSync(join(tmpdir(), 'scorehall-units-'));
  const copies = UNITS.map((name) => verifiable(name, folder));
  copies.push(instanceOf(copies[0]!, folder));
  const verified = spawnSync(analyze, ['verify', ...copies], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  report.add('units: systemd-analyze verify', verified.stderr.trim() || 'no complaint', verified.status === 0);
  for (const name of SERVICES) {
    const { stdout } = spawnSync(analyze, ['security', '--offline=yes', unitPath(name)], { encoding: 'utf8' });
    const exposure = /Overall exposure level[^:]*: ([\d.]+)/.exec(stdout)?.[1] ?? 'unknown';
    report.add(`${name}: exposure, 0 to 10`, exposure, Number(exposure) <= MAX_EXPOSURE);
  }
  await testInstalledUnit(report);
}

/** A copy of a unit that names this Node: systemd demands that the program exists. */
function verifiable(name: string, folder: string): string {
  const unit = readFileSync(unitPath(name), 'utf8');
  const copy = join(folder, name);
  writeFileSync(copy, unit.replaceAll(/\/opt\/scorehall\/\S+\/node_modules\/\.bin\/node/g, process.execPath));
  return copy;
}

/** The service as docs/scaling.md installs it for further processes of one machine. */
function instanceOf(unit: string, folder: string): string {
  copyFileSync(unit, join(folder, 'scorehall@.service'));
  return join(folder, 'scorehall@2.service');
}

const unitPath = (name: string): string => join(ROOT, 'deploy/systemd', name);
