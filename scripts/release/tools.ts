import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { UsageError } from '#platform/errors.ts';

/** The package of Debian for each program that a release runs. */
const PACKAGES = {
  git: 'git',
  npm: 'npm',
  tar: 'tar',
  xz: 'xz-utils',
  chmod: 'coreutils',
  'dpkg-deb': 'dpkg',
} as const;

export type Tool = keyof typeof PACKAGES;

/** @throws UsageError with one sentence that names every program that this machine lacks, and how to install it */
export function checkTools(tools: Iterable<Tool>): void {
  const missing = [...new Set(tools)].filter(
    (tool) => spawnSync('sh', ['-c', 'command -v "$1"', 'sh', tool]).status !== 0,
  );
  if (missing.length === 0) return;
  const packages = missing.map((tool) => PACKAGES[tool]).join(' ');
  throw new UsageError(
    `This machine lacks ${missing.join(', ')} (apt-get install ${packages}), or leave out what needs it (--only).`,
  );
}

/**
 * Runs a program to its end.
 * @returns what it wrote to its standard output
 * @throws Error with the end of what it wrote, if its exit code is not 0
 */
export async function run(
  command: Tool | 'node',
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  const program = command === 'node' ? process.execPath : command;
  // The order of names and the language of messages do not depend on the machine, nor the reason of a failure on `npm run -s`.
  const env = { ...process.env, npm_config_loglevel: 'error', LC_ALL: 'C', TZ: 'UTC', ...options.env };
  const child = spawn(program, args, { ...options, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [[code], out, err] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  if (code !== 0) throw new Error(`${command} ${args[0]} failed (${code}): ${`${out}\n${err}`.trim().slice(-2000)}`);
  return out;
}
