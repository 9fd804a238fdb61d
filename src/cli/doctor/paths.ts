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

function written({ config }: Installation): Written[] {
  const log = revocationLog(config);
  const data = dataFolder(config);
  const database = sqliteFileOf(config.DATABASE_URL);
  const found: (Written | false)[] = [
    log !== undefined && {
      setting: 'REVOCATION_LOG',
      path: log,
      kind: 'file',
      otherwise: 'so a restored backup brings back what was revoked and deleted since',
    },
    database !== undefined && {
      setting: 'DATABASE_URL',
      path: dirname(database),
      kind: 'folder',
      otherwise: 'and SQLite writes its log beside the database',
    },
    config.SECRET_KEY === '' &&
      !existsSync(secretKeyFile(config)) && {
        setting: 'DATA_FOLDER',
        path: secretKeyFile(config),
        kind: 'file',
        otherwise: 'so the first start cannot create the secret key',
      },
    config.SMTP_URL === '' && {
      setting: 'DATA_FOLDER',
      path: join(data, 'mail'),
      kind: 'folder',
      otherwise: 'so mails are lost while there is no mail server',
    },
    config.MIGRATION_BACKUP === 'on' && {
      setting: 'DATA_FOLDER',
      path: join(data, 'backups'),
      kind: 'folder',
      otherwise: 'so a newer version cannot back the database up and does not start',
    },
    ...sockets({ INTERNAL: config.INTERNAL_LISTEN, ...config.listen }),
  ];
  return found.filter((one) => one !== false);
}

function sockets(listeners: Record<string, Listen>): Written[] {
  return Object.entries(listeners).flatMap(([service, { path }]): Written[] => {
    if (path === undefined) return [];
    const otherwise = 'so the service cannot create its socket';
    return [{ setting: `${service}_LISTEN`, path: dirname(path), kind: 'folder', otherwise }];
  });
}

function compileCache({ environment }: Installation): Written[] {
  const path = environment['NODE_COMPILE_CACHE'];
  if (path === undefined || path === '') return [];
  const otherwise = 'so each start compiles all files again and takes longer';
  return [{ setting: 'NODE_COMPILE_CACHE', path, kind: 'folder', otherwise }];
}

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
