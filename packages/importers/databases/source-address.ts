import { readFile } from 'node:fs/promises';
import { InputError } from '../finding.ts';
import { reasonOf } from '../../text/file-problem.ts';
import { openMysqlSource } from './mysql-source.ts';
import { openPostgresSource } from './postgres-source.ts';
import type { ServerAddress, SourceDatabase } from './source-database.ts';
import { openSqliteSource } from './sqlite-source.ts';

/** Parses the address of another program's database. Its password is never part of a command, an error or the state. */

interface ServerKind {
  schemes: readonly string[];
  port: number;
  form: string;
}

const SERVERS = {
  mysql: { schemes: ['mysql:', 'mariadb:'], port: 3306, form: 'mysql://USER@HOST:PORT/DATABASE' },
  postgres: { schemes: ['postgres:', 'postgresql:'], port: 5432, form: 'postgres://USER@HOST:PORT/DATABASE' },
} as const satisfies Record<string, ServerKind>;
type ServerDialect = keyof typeof SERVERS;
const isServer = (dialect: SourceDatabase['dialect']): dialect is ServerDialect => dialect in SERVERS;

export interface SourceOptions {
  /** The operand of the command, an address of a server or a SQLite file, or else `IMPORT_URL`. */
  operand: string | undefined;
  passwordFile: string | undefined;
  tls: boolean;
  /** `IMPORT_URL` and `IMPORT_PASSWORD`. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Whether only this machine and its private network can reach a host, so that the connection may be plain. */
  isPrivate: (host: string) => boolean;
}

export type SourceAddress = { mysql: ServerAddress } | { postgres: ServerAddress } | { sqlite: string };

/** @throws InputError with the problem, without the password */
export async function readSourceAddress(
  options: SourceOptions,
  dialects: readonly SourceDatabase['dialect'][],
): Promise<SourceAddress> {
  const { environment } = options;
  const text = options.operand ?? environment['IMPORT_URL'] ?? '';
  if (text === '') throw new InputError(`Name the database to import: ${acceptedForms(dialects)}, or set IMPORT_URL.`);
  // An address without its scheme must not be quoted as the name of a missing file.
  if (/^[^/]*:[^/]*@/.test(text)) throw new InputError(`The database must be ${acceptedForms(dialects)}.`);
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(text))
    return { sqlite: checkFile(text.replace(/^(sqlite|file):/, ''), dialects) };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'file:' || url?.protocol === 'sqlite:')
    return { sqlite: checkFile(decoded(url.pathname), dialects) };
  const dialect = dialects
    .filter(isServer)
    .find((one) => (SERVERS[one].schemes as readonly string[]).includes(url?.protocol ?? ''));
  if (url === undefined || dialect === undefined)
    throw new InputError(`The database must be ${acceptedForms(dialects)}.`);
  if (url.password !== '' && options.operand !== undefined)
    throw new InputError(
      'Leave the password out of the command, where everybody on this machine can read it: use --password-file or IMPORT_PASSWORD.',
    );
  const address = await parseServerAddress(url, SERVERS[dialect], options, environment['IMPORT_PASSWORD']);
  return dialect === 'mysql' ? { mysql: address } : { postgres: address };
}

function acceptedForms(dialects: readonly SourceDatabase['dialect'][]): string {
  return dialects.map((dialect) => (isServer(dialect) ? SERVERS[dialect].form : 'a SQLite file')).join(' or ');
}

function checkFile(path: string, dialects: readonly SourceDatabase['dialect'][]): string {
  if (dialects.includes('sqlite')) return path;
  throw new InputError(`The database must be ${acceptedForms(dialects)}; a file of this program cannot be read.`);
}

async function parseServerAddress(
  url: URL,
  { form, port }: ServerKind,
  { passwordFile, tls, isPrivate }: SourceOptions,
  password: string | undefined,
): Promise<ServerAddress> {
  const [host, user, database] = [url.hostname, decoded(url.username), decoded(url.pathname.slice(1))];
  if (host === '' || user === '' || database === '' || database.includes('/') || url.search !== '' || url.hash !== '')
    throw new InputError(`The database must be ${form}, with user, host and database.`);
  if (!tls && !isPrivate(host))
    throw new InputError(
      `${host} is outside of this machine and of private networks, so the connection needs --tls: punishments and names would be readable on the way.`,
    );
  return {
    host: host.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? port : Number(url.port),
    user,
    database,
    password: await readPassword(url, passwordFile, password),
    tls,
  };
}

async function readPassword(url: URL, file: string | undefined, password: string | undefined): Promise<string> {
  if (file === undefined) return password ?? decoded(url.password);
  try {
    return (await readFile(file, 'utf8')).replace(/[\r\n]+$/, '');
  } catch (error) {
    throw new InputError(`--password-file ${file} ${reasonOf(error)}.`);
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new InputError('The address of the database has a % that encodes nothing; write it as %25.');
  }
}

export async function openSource(address: SourceAddress): Promise<SourceDatabase> {
  if ('postgres' in address) return await openPostgresSource(address.postgres);
  return 'mysql' in address ? await openMysqlSource(address.mysql) : await openSqliteSource(address.sqlite);
}
