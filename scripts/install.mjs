// Sees to it that node_modules holds what package-lock.json says: not at all, for production, or everything.

import { spawn } from 'node:child_process';
import { lstatSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { locked } from './turns.mjs';

export const project = dirname(dirname(fileURLToPath(import.meta.url)));

/** Something this machine lacks, said in one line with the remedy. */
export class Missing extends Error {}

/** @param {'production' | 'full'} level */
export async function install(level) {
  if (isInstalled(level)) return;
  if (isLink(join(project, 'node_modules')))
    throw new Missing(
      'node_modules is a link, and what it points to does not match package-lock.json. Remove the link.',
    );
  await locked(
    join(project, '.install.lock'),
    () => bring(level),
    () => console.error('Another command is installing the packages; waiting for it …'),
  );
}

/** @param {'production' | 'full'} level */
async function bring(level) {
  if (isInstalled(level)) return;
  console.error(`Installing packages (${level === 'full' ? 'with those for development' : 'for production'}) …`);
  await npm([...way(level), '--ignore-scripts', '--loglevel=error', '--include=optional', ...levels[level]]);
  if (!isInstalled(level))
    throw new Missing(
      'npm has run, but node_modules does not match package-lock.json. Remove node_modules and try again.',
    );
}

const levels = { production: ['--omit=dev'], full: ['--include=dev'] };

/**
 * `npm ci` empties node_modules first, and a demo that is running in another terminal would lose its modules: where only
 * the development packages lack, they are added to what is there.
 */
function way(level) {
  return level === 'full' && isInstalled('production') ? ['install', '--no-save'] : ['ci'];
}

/** npm writes node_modules/.package-lock.json last: it tells what a finished install has put there. */
function isInstalled(level) {
  const wanted = packagesOf('package-lock.json');
  if (!wanted) throw new Missing('package-lock.json is missing or damaged. Restore it: git checkout package-lock.json');
  const present = packagesOf('node_modules/.package-lock.json');
  if (!present) return false;
  return Object.entries(wanted).every(([path, { version, integrity, ...flags }]) => {
    const there = present[path];
    if (!there) return path === '' || flags.optional || (level === 'production' && (flags.dev || flags.devOptional));
    return there.version === version && (!integrity || there.integrity === integrity);
  });
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(join(project, file), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

function isLink(path) {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

/** Runs the npm that runs us, or the one in PATH. Its words go to stderr: stdout belongs to the program. */
function npm(args) {
  const own = process.env.npm_execpath?.endsWith('npm-cli.js') ? process.env.npm_execpath : undefined;
  const [command, first] = own ? [process.env.npm_node_execpath ?? process.execPath, [own]] : ['npm', []];
  const shell = !own && process.platform === 'win32';
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...first, ...args], { cwd: project, stdio: ['ignore', 2, 2], shell });
    const forward = (signal) => child.kill(signal);
    for (const signal of signals) process.on(signal, forward);
    child.on('error', () => reject(new Missing('npm was not found. Install Node 20 or newer, which brings npm.')));
    child.on('exit', (code, signal) => {
      for (const name of signals) process.off(name, forward);
      if (code === 0) resolve();
      else
        reject(
          new Missing(
            `npm ${args[0]} failed (${signal ?? `code ${code}`}). Mend what it says above and run this again.`,
          ),
        );
    });
  });
}
