import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Report } from '../report.ts';
import { findProgram, ROOT } from './programs.ts';

const UNIT = join(ROOT, 'deploy/systemd/scorehall.service');
/** systemd calls an exposure below 2.5 "OK". */
const MAX_EXPOSURE = 2;

/** Lets systemd check the unit and score its hardening. */
export async function testUnit(report: Report): Promise<void> {
  const analyze = findProgram('systemd-analyze');
  if (analyze === undefined) return report.add('systemd-analyze', 'is missing: apt-get install systemd', false);
  const verified = spawnSync(analyze, ['verify', UNIT], { encoding: 'utf8' });
  report.add('unit: systemd-analyze verify', verified.stderr.trim() || 'no complaint', verified.status === 0);
  const { stdout } = spawnSync(analyze, ['security', '--offline=yes', UNIT], { encoding: 'utf8' });
  const exposure = /Overall exposure level[^:]*: ([\d.]+)/.exec(stdout)?.[1] ?? 'unknown';
  report.add('unit: exposure, 0 to 10', exposure, Number(exposure) <= MAX_EXPOSURE);
}

/** Builds and runs the image where a container engine runs. */
export async function testImage(report: Report): Promise<void> {
  const engine = ['docker', 'podman'].map(findProgram).find((path) => path !== undefined && runs(path));
  if (engine === undefined) return report.note('image', 'not built: neither docker nor podman runs on this machine');
  const run = (...args: string[]): { status: number | null; text: string } => {
    const { status, stdout, stderr } = spawnSync(engine, args, { cwd: ROOT, encoding: 'utf8' });
    return { status, text: `${stdout}${stderr}`.trim() };
  };
  const built = run('build', '-f', 'deploy/Containerfile', '-t', 'scorehall-loadtest', '.');
  report.add('image: build', built.status === 0 ? 'done' : built.text.slice(-500), built.status === 0);
  if (built.status !== 0) return;
  const hardened = ['--read-only', '--tmpfs=/tmp', '--cap-drop=ALL', '--security-opt=no-new-privileges'];
  const { text: id } = run('run', '--detach', ...hardened, 'scorehall-loadtest');
  try {
    const check =
      "fetch('http://127.0.0.1:7404/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))";
    let ready = false;
    for (let attempt = 0; attempt < 30 && !ready; attempt++) {
      ready = run('exec', id, 'node', '-e', check).status === 0;
      if (!ready) spawnSync('sleep', ['1']);
    }
    report.add(
      'image: ready on a read-only root, without root',
      ready ? 'yes' : run('logs', id).text.slice(-500),
      ready,
    );
  } finally {
    run('rm', '--force', '--volumes', id);
  }
}

const runs = (engine: string): boolean => spawnSync(engine, ['info']).status === 0;
