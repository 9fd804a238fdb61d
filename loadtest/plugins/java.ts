import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const PACKAGES = join(import.meta.dirname, '../../packages');
const DRIVER = join(import.meta.dirname, 'driver');
const STRICT = ['-Xlint:all', '-Werror', '--release', '17', '-encoding', 'UTF-8'];

/** The source folders of both plugins, each with those that it needs on its class path. */
const MODULES: readonly { name: string; sources: string[]; needs: string[] }[] = [
  { name: 'bukkit', sources: [join(PACKAGES, 'bukkit-plugin/stubs')], needs: [] },
  { name: 'pgm', sources: [join(PACKAGES, 'pgm-plugin/stubs')], needs: ['bukkit'] },
  { name: 'outbox', sources: [join(PACKAGES, 'outbox-java/src')], needs: [] },
  { name: 'bukkit-plugin', sources: [join(PACKAGES, 'bukkit-plugin/src')], needs: ['bukkit', 'outbox'] },
  { name: 'pgm-plugin', sources: [join(PACKAGES, 'pgm-plugin/src')], needs: ['bukkit', 'pgm', 'outbox'] },
  { name: 'driver', sources: [DRIVER], needs: ['bukkit', 'pgm', 'outbox', 'bukkit-plugin', 'pgm-plugin'] },
];

/** The version of the compiler; undefined where there is none. */
export async function compilerVersion(): Promise<string | undefined> {
  return await run('javac', ['-version']).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
}

/** Compiles the plugins and the driver without warnings into `output`; returns a function that runs the driver. */
export async function compilePlugins(output: string): Promise<(...args: string[]) => Promise<string>> {
  const classPath = (names: readonly string[]): string => names.map((name) => join(output, name)).join(delimiter);
  for (const { name, sources, needs } of MODULES) {
    const files = await Promise.all(sources.map((folder) => readdir(folder, { recursive: true, withFileTypes: true })));
    const java = files
      .flat()
      .filter((file) => file.name.endsWith('.java'))
      .map((file) => join(file.parentPath, file.name));
    await run('javac', [...STRICT, '-cp', classPath(needs), '-d', join(output, name), ...java]);
  }
  const everything = classPath(MODULES.map(({ name }) => name));
  return async (...args) => (await run('java', ['-cp', everything, 'Driver', ...args], { timeout: 60_000 })).stdout;
}
