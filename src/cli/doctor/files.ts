import { amount } from '#text/amount.ts';
import { existsSync, readdirSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { dataFolder, type SettingName, SETTINGS, settingNames } from '#platform/config/config.ts';
import { type Setting, sqliteFileOf } from '#platform/config/setting.ts';
import { type Finding, findingsOf, type Found, type Installation, ok, problem, warning } from './finding.ts';

const GIGABYTE = 1024 ** 3;
const OTHERS_READ = 0o004;
const OTHERS_ENTER = 0o001;
const GROUP_OR_OTHERS = 0o077;

export function checkDisk({ config }: Installation): Found {
  const folder = dataFolder(config);
  if (!existsSync(folder)) return [];
  const { bavail, blocks, bsize, ffree, files } = statfsSync(folder);
  const free = bavail * bsize;
  const shown = `${(free / GIGABYTE).toFixed(1)} GB (${Math.floor((bavail / blocks) * 100)} %) are free in ${folder}`;
  const remedy = 'Free space or enlarge the disk: docs/operations.md, "The disk is full".';
  if (files > 0 && ffree < 1_000)
    return problem(
      'disk',
      `Only ${amount(ffree, 'more file fits', 'more files fit')} on the disk of ${folder}.`,
      remedy,
    );
  if (free < GIGABYTE / 4) return problem('disk', `Only ${shown}.`, remedy);
  const database = sqliteFileOf(config.DATABASE_URL);
  const size = database === undefined || !existsSync(database) ? 0 : statSync(database).size;
  if (free < size || free < GIGABYTE || bavail / blocks < 0.05) {
    const need = `the database has ${(size / GIGABYTE).toFixed(1)} GB, and a backup needs as much`;
    return warning('disk', `${shown}; ${need}.`, remedy);
  }
  return ok('disk', `${shown}.`);
}

/** The folder of the settings that the units of `deploy/systemd` read. */
const UNIT_FOLDER = '/etc/scorehall';

/** Checks who else on this machine can read the database and the secrets, and whether this user can use them. */
export function checkFiles({ config, environment }: Installation, unitFolder = UNIT_FOLDER): Finding[] {
  if (process.platform === 'win32') return [];
  const folder = dataFolder(config);
  const database = sqliteFileOf(config.DATABASE_URL);
  const named = settingNames().filter((name) => (SETTINGS[name] as Setting).inFile);
  const findings = findingsOf([
    checkUser(database ?? folder),
    [join(folder, 'secret.key'), ...named.map((name) => environment[`${name}_FILE`])].map(secretFile),
    envHoldsSecret(named) ? secretFile('.env') : [],
    unitFiles(unitFolder),
    database === undefined ? [] : databaseFile(database, dirname(database)),
  ]);
  return findings.length > 0 ? findings : [ok('files', `Only ${userName()} can read the secrets and the database.`)];
}

const userName = (): string => `user ${process.getuid!()}`;

/** The user of the doctor must be that of the service, otherwise the other checks see other rights. */
function checkUser(path: string): Found {
  if (!existsSync(path)) return [];
  const [owner, user] = [statSync(path).uid, process.getuid!()];
  if (owner === user) return [];
  const remedy = `Run it as the user of the service: sudo -u '#${owner}' scorehall doctor. If the service has another user: chown.`;
  return warning('files', `${path} belongs to user ${owner}, and the doctor runs as user ${user}.`, remedy);
}

function secretFile(path: string | undefined): Found {
  if (path === undefined || !existsSync(path)) return [];
  const { mode } = statSync(path);
  if ((mode & GROUP_OR_OTHERS) === 0 || isFromSecretStore(path)) return [];
  return problem('files', `Others on this machine may use the secret in ${resolve(path)}.`, `chmod 600 ${path}`);
}

/** The settings of units, which root reads: others of a group may read them, but not everybody. */
function unitFiles(folder: string): Found {
  if (!existsSync(folder) || (statSync(folder).mode & OTHERS_ENTER) === 0) return [];
  return namesIn(folder)
    .filter((name) => name.endsWith('.env'))
    .map((name) => join(folder, name))
    .filter((path) => existsSync(path) && (statSync(path).mode & OTHERS_READ) !== 0)
    .map((path) =>
      problem('files', `Everybody on this machine may read the settings in ${path}.`, `sudo chmod 600 ${path}`),
    );
}

/** Without the right to list the folder: the name of the only file that each installation has. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return ['scorehall.env'];
  }
}

/** Containers and systemd set the modes of mounted secrets, in a folder that other users cannot read. */
const isFromSecretStore = (path: string): boolean => /^\/run\/(secrets|credentials)\//.test(resolve(path));

/** The database is private if its own mode or that of its folder says so. */
function databaseFile(path: string, folder: string): Found {
  if (!existsSync(path)) return [];
  const isOpen = (statSync(path).mode & OTHERS_READ) !== 0 && (statSync(folder).mode & 0o005) !== 0;
  if (!isOpen) return [];
  return problem(
    'files',
    `Everybody on this machine may read ${path}, with mail addresses and the audit log.`,
    `chmod 700 ${folder}`,
  );
}

function envHoldsSecret(names: readonly SettingName[]): boolean {
  if (!existsSync('.env')) return false;
  const found = parseEnv(readFileSync('.env', 'utf8'));
  return names.some((name) => (found[name] ?? '') !== '' && (name !== 'DATABASE_URL' || found[name]!.includes('@')));
}
