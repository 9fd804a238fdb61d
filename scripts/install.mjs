// Installs the packages of package-lock.json into node_modules: those for production, or all of them.

import { spawn } from 'node:child_process';
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Missing, nodePackage, project, remedy } from './platform.mjs';
import { locked } from './process-lock.mjs';

export { Missing, project };

/**
 * Installs the packages unless they are installed. Only one process installs at a time.
 * @param {'production' | 'full'} needed
 */
export async function install(needed) {
  if (isInstalled(needed)) return;
  // npm would remove the development packages of a checkout.
  const level = hasDevelopmentPackages() ? 'full' : needed;
  if (isLink(join(project, 'node_modules')))
    throw new Missing(
      'node_modules is a link to a folder that does not match package-lock.json. Remove the link and try again.',
    );
  await locked(
    join(project, '.install.lock'),
    () => runNpm(level),
    () => console.error('Another command is installing the packages; waiting for it to finish …'),
  ).catch((error) => {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
    throw new Missing(
      `The packages must be installed, but this user may not write in ${project} (${error.code}). Run this as the user that owns the folder, or in a copy of it.`,
    );
  });
}

/** @param {'production' | 'full'} level */
async function runNpm(level) {
  if (isInstalled(level)) return;
  console.error(`Installing packages (${level === 'full' ? 'including development packages' : 'for production'}) …`);
  const install = [...npmCommand(level), '--ignore-scripts', '--include=optional', ...levels[level]];
  const unreachable = await registryError();
  if (unreachable) await installFromCache(install, unreachable);
  else await installFromRegistry(install);
  if (!isInstalled(level, null))
    throw new Missing(
      'npm finished, but node_modules does not match package-lock.json. Remove node_modules and try again.',
    );
  if (!isInstalled(level)) throw new Missing(await whyLeftOut(nodePackage()));
}

/** npm leaves an optional package out, without an error, if the registry does not have it or its download fails. */
async function whyLeftOut(name) {
  const { version } = readPackages('package-lock.json')[`node_modules/${name}`];
  const { code, output } = await npm(['view', `${name}@${version}`, 'version', '--loglevel=error'], 'captured');
  const left = `npm left out the package ${name} ${version}`;
  if (/code E404/.test(output)) return `${left}, because its registry does not have it. ${remedy}`;
  if (code === 0) return `${left}, although its registry has it: the download was interrupted. Run this again.`;
  return `${left}: the download was interrupted, and npm cannot ask its registry now. Run this again with a network.`;
}

async function installFromRegistry(install) {
  const { code } = await npm([...install, '--loglevel=error'], 'shown');
  if (code !== 0)
    throw new Missing(`npm ${install[0]} failed (code ${code}). Fix the problem shown above and run this again.`);
}

async function installFromCache(install, unreachable) {
  const { code } = await npm([...install, '--offline'], 'captured');
  if (code !== 0)
    throw new Missing(
      `npm cannot reach its registry (${unreachable}), and its cache does not have all packages. Connect this machine to the network, or set the proxy (npm config set https-proxy URL), and run this again.`,
    );
}

/**
 * The code of the error that keeps npm from its registry, or undefined. npm itself tries each package three times, which
 * takes more than a minute without a network. Any answer counts as reachable: some registries have no /-/ping.
 */
async function registryError() {
  const { output } = await npm(['ping', '--fetch-retries=0', '--fetch-timeout=5000', '--loglevel=error'], 'captured');
  const [, code] = /^npm (?:error|ERR!) code (\S+)/m.exec(output) ?? [];
  return networkErrors.has(code) ? code : undefined;
}

const networkErrors = new Set([
  ...['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'ETIMEDOUT'],
  ...['ERR_SOCKET_TIMEOUT', 'FETCH_ERROR'],
]);

const levels = { production: ['--omit=dev'], full: ['--include=dev'] };

/**
 * `npm ci` empties node_modules first, and a demo running in another terminal would lose its modules. If only the
 * development packages are missing, `npm install` adds them.
 */
function npmCommand(level) {
  return level === 'full' && isInstalled('production') ? ['install', '--no-save'] : ['ci'];
}

/** npm writes node_modules/.package-lock.json at the end of an install, so it lists the packages of a finished install.
 * An optional package may be missing, but for the one with Node. */
function isInstalled(level, node = nodePackage()) {
  const wanted = readPackages('package-lock.json');
  if (!wanted) throw new Missing('package-lock.json is missing or damaged. Restore it: git checkout package-lock.json');
  const present = readPackages('node_modules/.package-lock.json');
  if (!present) return false;
  return Object.entries(wanted).every(([path, { version, integrity, ...flags }]) => {
    const installed = present[path];
    if (!installed && path === `node_modules/${node}`) return false;
    if (!installed)
      return path === '' || flags.optional || (level === 'production' && (flags.dev || flags.devOptional));
    return installed.version === version && (!integrity || installed.integrity === integrity);
  });
}

function hasDevelopmentPackages() {
  return Object.values(readPackages('node_modules/.package-lock.json') ?? {}).some(({ dev }) => dev);
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(join(project, file), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

function isLink(path) {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

/**
 * Runs the npm that started this process, or the one in PATH, with its output on stderr (stdout belongs to the program)
 * or captured.
 * @param {string[]} args
 * @param {'shown' | 'captured'} show
 */
function npm(args, show) {
  const own = process.env.npm_execpath?.endsWith('npm-cli.js') ? process.env.npm_execpath : undefined;
  const [command, first] = own ? [process.env.npm_node_execpath ?? process.execPath, [own]] : ['npm', []];
  const shell = !own && process.platform === 'win32';
  const stdio = show === 'shown' ? ['ignore', 2, 2] : ['ignore', 'ignore', 'pipe'];
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...first, ...args], { cwd: project, stdio, shell });
    let interrupted;
    const forward = (signal) => child.kill((interrupted = signal));
    for (const signal of signals) process.on(signal, forward);
    let output = '';
    child.stderr?.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', () => reject(new Missing('npm was not found. Install Node 20 or newer, which includes npm.')));
    child.on('close', (code, signal) => {
      for (const name of signals) process.off(name, forward);
      // npm itself ends with an exit code.
      if (interrupted)
        reject(new Missing(`The installation was interrupted (${interrupted}). Run this again to repeat it.`));
      else if (signal) reject(new Missing(`npm ${args[0]} was ended by ${signal}. Run this again.`));
      else resolve({ code, output });
    });
  });
}
