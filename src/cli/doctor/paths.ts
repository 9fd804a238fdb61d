import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { dataFolder } from '#platform/config/config.ts';
import { secretKeyFile } from '#platform/crypto/secret-key.ts';
import { type Listen, sqliteFileOf } from '#platform/config/setting.ts';
import { revocationLog } from '#store/revocations/outbox.ts';
import { type Finding, type Installation, ok, problem, refusalOf, warning } from './finding.ts';
import { checkStart } from './start-rules.ts';

const CHECK = 'paths';

/** A file or folder that the service writes; it creates missing folders. */
interface Written {
  setting: string;
  path: string;
  kind: 'file' | 'folder';
  /** The consequence, as the end of a sentence. */
  otherwise: string;
}

/** Checks the files and folders of the settings: whether this user can read or write them. Creates nothing. */
export function checkPaths(installation: Installation): Finding[] {
  const findings = [
    ...checkStart(installation.config).filter(({ check }) => check === CHECK),
    ...written(installation).flatMap((one) => finding(one, problem)),
    ...compileCache(installation).flatMap((one) => finding(one, warning)),
  ];
  return findings.length > 0 ? findings : [ok(CHECK, 'This user can read and write the files of all settings.')];
}

const file = (setting: string, path: string, otherwise: string): Written => ({
  setting,
  path,
  kind: 'file',
  otherwise,
});
const folder = (setting: string, path: string, otherwise: string): Written => ({
  ...file(setting, path, otherwise),
  kind: 'folder',
});

function written({ config }: Installation): Written[] {
  const log = revocationLog(config);
  const database = sqliteFileOf(config.DATABASE_URL);
  const secretKey = secretKeyFile(config);
  const [mails, backups] = ['mail', 'backups'].map((name) => join(dataFolder(config), name)) as [string, string];
  const found: (Written | false)[] = [
    log !== undefined &&
      file('REVOCATION_LOG', log, 'so a restored backup brings back what was revoked and deleted since'),
    database !== undefined &&
      folder('DATABASE_URL', dirname(database), 'and SQLite writes its log beside the database'),
    config.SECRET_KEY === '' &&
      !existsSync(secretKey) &&
      file('DATA_FOLDER', secretKey, 'so the first start cannot create the secret key'),
    config.SMTP_URL === '' && folder('DATA_FOLDER', mails, 'so mails are lost while there is no mail server'),
    config.MIGRATION_BACKUP === 'on' &&
      folder('DATA_FOLDER', backups, 'so a newer version cannot back the database up and does not start'),
    ...sockets({ INTERNAL: config.INTERNAL_LISTEN, ...config.listen }),
  ];
  return found.filter((one) => one !== false);
}

const sockets = (listeners: Record<string, Listen>): Written[] =>
  Object.entries(listeners).flatMap(([service, { path }]) =>
    path === undefined ? [] : folder(`${service}_LISTEN`, dirname(path), 'so the service cannot create its socket'),
  );

const compileCache = ({ environment: { NODE_COMPILE_CACHE: path } }: Installation): Written[] =>
  path ? [folder('NODE_COMPILE_CACHE', path, 'so each start compiles all files again and takes longer')] : [];

function finding({ setting, path, kind, otherwise }: Written, severity: typeof problem): Finding[] {
  const reason = writeRefusal(path, kind);
  if (reason === undefined) return [];
  const remedy = `Let ${userName()} write there (chown, chmod; in a unit also ReadWritePaths=), or change ${setting}.`;
  return [severity(CHECK, `${setting}: ${resolve(path)} cannot be written (${reason}), ${otherwise}.`, remedy)];
}

/** Why a file or folder cannot be written, or created; undefined if it can. */
function writeRefusal(path: string, kind: Written['kind']): string | undefined {
  const full = resolve(path);
  if (!existsSync(full)) return folderRefusal(existingParent(full));
  if (kind === 'folder') return folderRefusal(full);
  return statSync(full).isDirectory() ? 'it is a folder' : refusal(full, constants.R_OK | constants.W_OK);
}

function folderRefusal(path: string): string | undefined {
  return statSync(path).isDirectory() ? refusal(path, constants.W_OK | constants.X_OK) : `${path} is no folder`;
}

function existingParent(path: string): string {
  const parent = dirname(path);
  return existsSync(parent) ? parent : existingParent(parent);
}

function refusal(path: string, mode: number): string | undefined {
  try {
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    return `${refusalOf(error)}: ${path}`;
  }
}

const userName = (): string => (process.getuid === undefined ? 'the service' : `user ${process.getuid()}`);
