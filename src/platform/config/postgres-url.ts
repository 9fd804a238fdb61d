import { readFileSync } from 'node:fs';
import { UsageError } from '../errors.ts';

export interface PostgresHost {
  /** A name, an address, or the folder of a socket. */
  host: string;
  port: number;
}

/** The parts of a `DATABASE_URL` of PostgreSQL, which is a connection URI of libpq and may name several hosts. */
export interface PostgresUrl {
  /** The address with its first host alone, because WHATWG URLs have one. */
  url: URL;
  hosts: PostgresHost[];
}

const PORT = 5432;
const FORM = 'must be postgres://user:password@host/database';
/** The names of `sslmode` whose meaning does not depend on what the server offers. */
const TLS_MODES = ['disable', 'require', 'verify-ca', 'verify-full'];
/** Of several hosts a network needs the one that takes writes. */
const TARGETS = ['any', 'read-write', 'primary'];
const TLS_FILES = ['sslrootcert', 'sslcert', 'sslkey'];
/** The value of `sslrootcert` that names the certificates of well-known authorities. */
const SYSTEM = 'system';

/** @returns undefined if the text is no connection URI */
export function parsePostgresUrl(text: string): PostgresUrl | undefined {
  const [, scheme, user = '', names, rest] = /^(\w+:\/\/)([^/?#]*@)?([^/?#@]*)(.*)$/s.exec(text) ?? [];
  if (names === undefined) return undefined;
  const [first, ...others] = names.split(',').map((name) => URL.parse(`${scheme}${user}${name}${rest}`));
  if (!first || others.includes(null)) return undefined;
  const inAuthority = [first, ...(others as URL[])].map(({ hostname, port }) => ({
    host: withoutBrackets(hostname),
    port,
  }));
  // In the query both are lists, and one port is that of all hosts.
  const listed = first.searchParams.get('host')?.split(',');
  const ports = (first.searchParams.get('port') ?? '').split(',');
  const hosts = (listed ?? inAuthority.map(({ host }) => host)).map((host, index) => ({
    host: host === '' ? 'localhost' : host,
    port: Number(ports[index] || ports[0] || (listed ? first.port : inAuthority[index]!.port) || PORT),
  }));
  return { url: first, hosts };
}

const withoutBrackets = (hostname: string): string => decodeURIComponent(hostname.replace(/^\[(.*)\]$/, '$1'));

/** What is wrong with a `DATABASE_URL` of PostgreSQL, as the end of a sentence; undefined if nothing is. */
export function postgresUrlProblem(text: string): string | undefined {
  const parsed = tryParse(text);
  if (parsed === undefined)
    return `${FORM}, or have several hosts: postgres://user:password@host1:5432,host2:5432/database`;
  const { searchParams } = parsed.url;
  const [mode, target] = [searchParams.get('sslmode'), searchParams.get('target_session_attrs')];
  if (mode !== null && !TLS_MODES.includes(mode)) return `must have one of these as sslmode: ${TLS_MODES.join(', ')}`;
  if (target !== null && !TARGETS.includes(target))
    return `must have one of these as target_session_attrs: ${TARGETS.join(', ')}`;
  const authority = searchParams.get('sslrootcert');
  if (mode === 'verify-ca' && (authority ?? SYSTEM) === SYSTEM)
    return 'must name the file of a certificate authority as sslrootcert for sslmode=verify-ca';
  if (authority === SYSTEM && mode !== 'verify-full') return 'must have sslmode=verify-full for sslrootcert=system';
  return undefined;
}

function tryParse(text: string): PostgresUrl | undefined {
  try {
    const parsed = parsePostgresUrl(text);
    if (parsed !== undefined) [parsed.url.username, parsed.url.password, parsed.url.pathname].map(decodeURIComponent);
    return parsed;
  } catch {
    return undefined; // a % that begins no escape sequence
  }
}

/** Whether a new connection must find the host that takes writes. */
export const looksForPrimary = ({ url, hosts }: PostgresUrl): boolean =>
  hosts.length > 1 || !['any', null].includes(url.searchParams.get('target_session_attrs'));

/**
 * The address with its first host for the driver, which otherwise understands `sslmode=require` as `verify-full`.
 * @throws UsageError if a file for TLS cannot be read
 */
export function driverUrl({ url }: PostgresUrl): string {
  const result = new URL(url);
  const { searchParams } = result;
  if (searchParams.has('sslmode')) searchParams.set('uselibpqcompat', 'true');
  if (searchParams.get('sslrootcert') === SYSTEM) searchParams.delete('sslrootcert');
  for (const name of TLS_FILES) if (searchParams.has(name)) refuseUnreadable(name, searchParams.get(name)!);
  for (const name of ['host', 'port']) {
    const [first] = (searchParams.get(name) ?? '').split(',');
    if (first) searchParams.set(name, first);
  }
  return result.href;
}

function refuseUnreadable(name: string, path: string): void {
  try {
    readFileSync(path);
  } catch (error) {
    throw new UsageError(`The file of ${name} in DATABASE_URL cannot be read: ${(error as Error).message}.`);
  }
}

/** The address of a database for messages. */
export function withoutPassword(text: string): string {
  return text.replace(/^(\w+:\/\/[^/?#]*?):[^/?#]*@/, '$1:***@').replace(/([?&]password=)[^&#]*/, '$1***');
}
