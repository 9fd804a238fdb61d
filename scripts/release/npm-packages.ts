import { join } from 'node:path';
import type { Source } from './source.ts';
import { run } from './tools.ts';

/** Libraries for other programs. Each compiles itself (`prepack`) with the TypeScript of this checkout. */
const LIBRARIES = ['client', 'sender'] as const;

/** What checks a tarball as those who install it see it, in exact versions. ES modules are all that the libraries have. */
const CHECKS: readonly (readonly [string, ...string[]])[] = [
  ['publint@0.3.25', 'publint', '--strict'],
  ['@arethetypeswrong/cli@0.18.5', 'attw', '--profile', 'esm-only'],
];

/** Makes the tarballs of npm, with a fixed time and mode of each file as npm does. */
export async function makeNpmPackages(source: Source, output: string): Promise<void> {
  for (const name of LIBRARIES) {
    const cwd = join(source.folder, 'packages', name);
    await run('npm', ['pack', '--silent', '--pack-destination', output], { cwd });
    const tarball = join(output, `scorehall-${name}-${source.version}.tgz`);
    for (const [from, ...command] of CHECKS)
      await run('npm', ['exec', '--yes', `--package=${from}`, '--', ...command, tarball], { cwd: output });
  }
}
