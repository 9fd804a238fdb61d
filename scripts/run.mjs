// Runs one of this project's programs under Node 26 after seeing to it that its packages are installed: what every npm
// script calls. Plain JavaScript that Node 20 understands, without packages, because on a fresh clone there is nothing.
// The npm scripts begin with `exec` so that no shell stands between npm and this process: dash keeps signals to itself.

import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { Missing, install, project } from './install.mjs';
import { findNode } from './platform.mjs';

/** What each npm script runs, with which options of Node, and whether it needs the packages for development too. */
const programs = {
  demo: { run: ['src/main.ts', 'demo'], packages: 'production' },
  start: { run: ['src/main.ts', 'serve'], packages: 'production' },
  dev: { run: ['scripts/dev.ts', 'serve'], node: ['--watch-path=src', '--inspect'], packages: 'full' },
  scorehall: { run: ['src/main.ts'], packages: 'production' },
  test: { run: ['test/run.ts'], packages: 'full' },
  check: { run: ['scripts/check.mjs'], packages: 'full' },
  docs: { run: ['scripts/docs.ts'], packages: 'full' },
  format: { run: ['node_modules/prettier/bin/prettier.cjs', '--write', '--log-level', 'warn', '.'], packages: 'full' },
  bench: { run: ['bench/main.ts'], packages: 'full' },
  loadtest: { run: ['loadtest/main.ts'], packages: 'full' },
  generate: { run: ['bench/generate.ts'], packages: 'full' },
  shots: { run: ['test/shots.ts'], packages: 'full' },
};

const [name, ...args] = process.argv.slice(2);
try {
  const program = programs[name];
  if (!program)
    throw new Missing(`There is no program "${name ?? ''}". There are: ${Object.keys(programs).join(', ')}.`);
  await install(program.packages);
  const [file, ...fixed] = program.run;
  // What is stripped and compiled once is kept: the next start is quicker, and the process 35 MB smaller.
  const env = { NODE_COMPILE_CACHE: join(project, 'node_modules/.cache/compiled'), ...process.env };
  const command = [...(program.node ?? []), join(project, file), ...fixed, ...args];
  follow(spawn(findNode(), command, { cwd: project, env, stdio: 'inherit' }));
} catch (error) {
  if (!(error instanceof Missing)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

/** Passes signals on to the program, ends as it ends, and takes it along when npm is killed. */
function follow(child) {
  let told = 0;
  const forward = (signal) => {
    // Ctrl-C reaches the whole group of processes, and npm says it once more.
    if (Date.now() - told < 1000) return;
    told = Date.now();
    child.kill(signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, forward);
  const watch = process.env.npm_lifecycle_event && watchParent(() => child.kill('SIGTERM'));
  child.on('error', (error) => {
    clearInterval(watch);
    console.error(`${child.spawnfile} does not start: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    clearInterval(watch);
    process.exit(code ?? 128 + constants.signals[signal]);
  });
}

/** npm cannot forward the signal that kills it; an orphan would keep its ports. */
function watchParent(orphaned) {
  const parent = process.ppid;
  return setInterval(() => process.ppid !== parent && orphaned(), 500);
}
