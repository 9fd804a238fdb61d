// Every npm script calls this file: it installs the packages that a program needs and runs the program under Node 26.
// It is plain JavaScript for Node 20 and uses no packages, because a fresh clone has none.
// The npm scripts begin with `exec` so that no shell runs between npm and this process: dash does not forward signals.

import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { Missing, install, project } from './install.mjs';
import { findNode } from './platform.mjs';

/** For each npm script the program with its arguments, the options of Node and the packages that it needs, if any. */
const programs = {
  demo: { run: ['src/main.ts', 'demo'], packages: 'production' },
  start: { run: ['src/main.ts', 'serve'], packages: 'production' },
  dev: {
    run: ['scripts/dev.ts', 'serve'],
    node: ['--watch-path=src', '--watch-path=packages', '--inspect'],
    packages: 'full',
  },
  scorehall: { run: ['src/main.ts'], packages: 'production' },
  test: { run: ['test/run.ts'], packages: 'full' },
  check: { run: ['scripts/check.mjs'], packages: 'full' },
  docs: { run: ['scripts/docs.ts'], packages: 'full' },
  format: {
    run: ['node_modules/prettier/bin/prettier.cjs', '--write', '--cache', '--log-level', 'warn', '.'],
    packages: 'full',
  },
  bench: { run: ['bench/main.ts'], packages: 'full' },
  loadtest: { run: ['loadtest/main.ts'], packages: 'full' },
  generate: { run: ['bench/generate.ts'], packages: 'full' },
  shots: { run: ['test/shots.ts'], packages: 'full' },
  plugins: { run: ['scripts/plugins.ts'] },
  release: { run: ['scripts/release/main.ts'], packages: 'full' },
};

const [name, ...args] = process.argv.slice(2);
try {
  const program = programs[name];
  if (!program)
    throw new Missing(`There is no program "${name ?? ''}". Choose one of: ${Object.keys(programs).join(', ')}.`);
  const node = await provide(program.packages);
  const [file, ...fixed] = program.run;
  // As in src/main.ts, for the programs that are not started by it.
  const env = { NODE_COMPILE_CACHE: join(project, 'node_modules/.cache/compiled'), ...process.env };
  const command = [...(program.node ?? []), join(project, file), ...fixed, ...args];
  follow(spawn(node, command, { cwd: project, env, stdio: 'inherit' }));
} catch (error) {
  if (!(error instanceof Missing)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

/**
 * Installs the packages that are missing. Node 26 is one of them: for a program without packages, any present one will do.
 * @returns the path of Node 26
 */
async function provide(packages) {
  try {
    if (packages === undefined) return findNode();
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
  }
  await install(packages ?? 'production');
  return findNode();
}

/** Forwards signals to the program, exits with its exit code, and ends the program when npm is killed. */
function follow(child) {
  let lastForwarded = 0;
  const forward = (signal) => {
    // Ctrl-C reaches the whole process group, and npm forwards it a second time.
    if (Date.now() - lastForwarded < 1000) return;
    lastForwarded = Date.now();
    child.kill(signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, forward);
  const watch = process.env.npm_lifecycle_event && watchParent(() => child.kill('SIGTERM'));
  child.on('error', (error) => {
    clearInterval(watch);
    console.error(`${child.spawnfile} could not be started: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    clearInterval(watch);
    process.exit(code ?? 128 + constants.signals[signal]);
  });
}

/** npm cannot forward a SIGKILL; without this watch the orphaned program would keep its ports. */
function watchParent(orphaned) {
  const parent = process.ppid;
  return setInterval(() => process.ppid !== parent && orphaned(), 500);
}
