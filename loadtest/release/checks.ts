import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { missingForContainer, provideBase, SUITES } from '../operate/container.ts';
import { findProgram } from '../support/programs.ts';
import type { Setup } from './setup.ts';

/** Compares the checksums, and lets the tools of Debian check the packages. */
export function testChecks({ report, artefacts }: Setup): Promise<void> {
  const run = (name: string, command: string, ...args: string[]): void => {
    const path = findProgram(command);
    if (path === undefined) return report.add(name, `is missing: apt-get install ${command}`, false);
    const { status, stdout, stderr } = spawnSync(path, args, { cwd: dirname(artefacts.sums), encoding: 'utf8' });
    report.add(name, status === 0 ? 'no complaint' : `${stdout}${stderr}`.trim().slice(-800), status === 0);
  };
  run('SHA256SUMS', 'sha256sum', '--check', '--quiet', '--strict', artefacts.sums);
  const packages = [artefacts.service, artefacts.agent];
  run('lintian', 'lintian', '--allow-root', '--fail-on=error,warning', ...packages);
  const missing = missingForContainer();
  if (missing !== undefined) report.add('piuparts', missing, false);
  else
    for (const suite of SUITES)
      run(
        `piuparts, ${suite}`,
        'piuparts',
        // A folder of debconf itself, which an older piuparts does not know.
        ...['--ignore=/var/cache/debconf/tmp.ci/', `--existing-chroot=${provideBase(suite)}`],
        ...[`--distribution=${suite}`, ...packages],
      );
  return Promise.resolve();
}
