import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { UsageError } from './errors.ts';
import { isLoopback, plainHttpProblem } from './plain-http.ts';
import {
  choice,
  colour,
  database,
  duration,
  type Listen,
  listen,
  listOf,
  origin,
  type Setting,
  secret,
  setting,
  text,
  whole,
  zone,
} from './setting.ts';

/**
 * Every setting: its default, what it means, how it is read. A setting is an environment variable; `.env` in the
 * working folder is read first, and beside a demo's database its `settings.env`.
 */

export const SETTINGS = {
  NETWORK_NAME: setting('Scorehall', "The network's name, as pages and mails show it", text(64)),
  CONTACT: setting('', 'Where people write to the operator: a mail address or a URL', text(512)),
  LOGO: setting('', 'The path of a PNG, SVG or WebP file with the logo of the network', text(1024)),
  ACCENT_COLOR: setting('#b5361c', 'The colour of links, buttons and marks on all pages, like #b5361c', colour),
  SECOND_COLOR: setting('#1f6f78', 'The colour of charts and whatever stands beside the first', colour),
  PRIVACY: setting(
    '',
    'The path of a text file with the privacy statement, its paragraphs apart by empty lines; FILE.ja beside it is shown to readers of Japanese',
    text(1024),
  ),
  API_URL: setting('http://127.0.0.1:7400', 'Public address of the data API; its paths begin with /v1', origin),
  AUTH_URL: setting('http://127.0.0.1:7401', 'Public address of sign-in: issuer of tokens, account pages', origin),
  SITE_URL: setting('http://127.0.0.1:7402', 'Public address of the site; on another host than API_URL', origin),
  INGEST_URL: setting('http://127.0.0.1:7403', 'Address at which game servers write', origin),
  PLAIN_HTTP: setting(
    'loopback',
    'Where these addresses may be plain http: loopback; private-network, also hosts that no public network has, where whoever shares the network reads along',
    choice(['loopback', 'private-network']),
  ),
  API_LISTEN: setting(
    '',
    'Where the data API listens, HOST:PORT or a socket path; empty: what API_URL says when it is loopback, else 127.0.0.1:7400',
    listen,
  ),
  AUTH_LISTEN: setting(
    '',
    'Where sign-in listens; empty: as AUTH_URL says when it is loopback, else 127.0.0.1:7401',
    listen,
  ),
  SITE_LISTEN: setting(
    '',
    'Where the site listens; empty: as SITE_URL says when it is loopback, else 127.0.0.1:7402',
    listen,
  ),
  INGEST_LISTEN: setting(
    '',
    'Where the ingest listens; empty: as INGEST_URL says when it is loopback, else 127.0.0.1:7403',
    listen,
  ),
  DATABASE_URL: setting('data/scorehall.db', 'A SQLite file, or postgres://user:password@host/database', database),
  TIME_ZONE: setting('UTC', 'The zone whose offset moments carry in the data API', zone),
  TRUSTED_PROXIES: setting(
    '',
    'Addresses, networks (CIDR) or unix (a socket file), comma-separated, whose X-Forwarded-For is believed',
    listOf,
  ),
  USER_LIMIT: setting('900', 'Requests an hour of one user, all applications together', whole(1, 1_000_000_000)),
  APP_LIMIT: setting('900', 'Requests an hour of one application with its own tokens', whole(1, 1_000_000_000)),
  ADDRESS_LIMIT: setting(
    '600',
    'Requests an hour of one address with a Client ID alone, or with failed credentials',
    whole(1, 1_000_000_000),
  ),
  INGEST_LIMIT: setting('0', 'Events a minute of one game server; 0 for as many as it likes', whole(0, 1_000_000_000)),
  SIGN_IN_LIMIT: setting('3000', 'Sign-ins an hour that one address may begin', whole(1, 1_000_000_000)),
  COUNTERS: setting(
    'memory',
    'Where requests are counted: memory, of one process that serves the data API; database, for several',
    choice(['memory', 'database']),
  ),
  ACCESS_APPROVAL: setting(
    'manual',
    'Whether API access is granted by the operator or at once',
    choice(['manual', 'auto']),
  ),
  PRESENCE_TIMEOUT: setting('120', 'Seconds after which a silent server has nobody on it', whole(1, 86_400)),
  REGISTRATION: setting(
    'open',
    'Who may register: open, everybody; linked, everybody, and applications are open to linked game accounts only; closed, nobody',
    choice(['open', 'linked', 'closed']),
  ),
  REFRESH_GRACE: setting(
    '0',
    'How long a used refresh token still works once more, for clients that ask twice',
    duration(0, 60),
  ),
  ACCESS_TOKEN_LIFETIME: setting('1h', 'How long an access token and an ID token live', duration(60, 86_400)),
  REFRESH_TOKEN_LIFETIME: setting(
    '30d',
    'How long a refresh token lives unused; used, it is replaced',
    duration(3600, 31_536_000),
  ),
  SESSION_LIFETIME: setting(
    '14d',
    'How long somebody who does not come back stays signed in',
    duration(300, 31_536_000),
  ),
  AUDIT_LIFETIME: setting('365d', 'How long the audit log is kept', duration(86_400, 315_360_000)),
  INTROSPECTORS: setting(
    '',
    'Client IDs, comma-separated, that may introspect the tokens of other applications; each may always its own',
    listOf,
  ),
  SECRET_KEY: secret(
    '',
    'Seals the keys that sign ID tokens, keys the hashes of short codes; at least 32 characters, the same for all processes; empty: a file beside the database',
    text(1024),
  ),
  SMTP_URL: secret(
    '',
    'The mail server, smtp://user:password@host:587 or smtps://…; empty: mails become files beside the database',
    z
      .string()
      .refine(
        (value) => value === '' || /^smtps?:\/\/./.test(value),
        'must be an address like smtps://user:password@host',
      ),
  ),
  MAIL_FROM: setting(
    '',
    'The sender of mails, like Example <no-reply@example.org>; empty: no-reply at the host of AUTH_URL',
    text(256),
  ),
  DATA_FOLDER: setting(
    '',
    'Where the secret key and mails without a mail server are kept; empty: the folder of the SQLite file, else data',
    text(1024),
  ),
  LOG_LEVEL: setting(
    'info',
    'How much is logged',
    choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
  ),
} as const satisfies Record<string, Setting>;

type Settings = { [K in keyof typeof SETTINGS]: z.output<(typeof SETTINGS)[K]['read']> };

export interface Config extends Omit<Settings, `${ServiceName}_LISTEN`> {
  /** Where each door listens, defaults worked out. */
  listen: Record<ServiceName, Listen>;
}

export type ServiceName = 'API' | 'AUTH' | 'SITE' | 'INGEST';
export type SettingName = keyof typeof SETTINGS;
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings.
 * @throws UsageError that names the setting that is wrong, and what would be right
 */
export function readConfig(environment: Environment): Config {
  const settings = Object.fromEntries(names().map((name) => [name, readSetting(name, environment[name])])) as Settings;
  const config = { ...settings, listen: listensOf(settings) };
  checkHosts(config);
  return config;
}

export function names(): SettingName[] {
  return Object.keys(SETTINGS) as SettingName[];
}

function readSetting(name: SettingName, value: string | undefined): unknown {
  const { read, default: fallback, secret: isSecret } = SETTINGS[name] as Setting;
  const result = read.safeParse(value === undefined || value === '' ? fallback : value);
  if (result.success) return result.data;
  const shown = isSecret || value?.includes('@') ? '' : ` (it is ${JSON.stringify(value)})`;
  throw new UsageError(`${name} ${result.error.issues[0]!.message}${shown}.`);
}

/** The environment of a command: `.env` of the working folder and a demo's own settings stand behind the real one. */
export function environment(actual: Environment = process.env, folder = process.cwd()): Environment {
  const own = { ...readEnvFile(join(folder, '.env')), ...actual };
  const database = own['DATABASE_URL'];
  if (database === undefined || /^postgres/.test(database)) return own;
  const beside = join(dirname(database.replace(/^(sqlite|file):(\/\/)?/, '')), 'settings.env');
  return { ...readEnvFile(beside), ...own };
}

/** The folder of what belongs to a database and does not stand in it. */
export function dataFolder({ DATA_FOLDER, DATABASE_URL }: Pick<Config, 'DATA_FOLDER' | 'DATABASE_URL'>): string {
  if (DATA_FOLDER !== '') return DATA_FOLDER;
  return /^postgres/.test(DATABASE_URL) ? 'data' : dirname(DATABASE_URL.replace(/^(sqlite|file):(\/\/)?/, ''));
}

function readEnvFile(path: string): Environment {
  return existsSync(path) ? parseEnv(readFileSync(path, 'utf8')) : {};
}

function listensOf(settings: Settings): Record<ServiceName, Listen> {
  const fallbacks: Record<ServiceName, number> = { API: 7400, AUTH: 7401, SITE: 7402, INGEST: 7403 };
  const services = Object.keys(fallbacks) as ServiceName[];
  return Object.fromEntries(
    services.map((service) => [
      service,
      settings[`${service}_LISTEN`] ?? listenOf(settings[`${service}_URL`], fallbacks[service]),
    ]),
  ) as Record<ServiceName, Listen>;
}

function listenOf(address: string, fallback: number): Listen {
  const url = new URL(address);
  if (!isLoopback(address) || url.protocol !== 'http:') return { host: '127.0.0.1', port: fallback };
  const host = url.hostname === 'localhost' ? '127.0.0.1' : url.hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, port: Number(url.port || 80) };
}

function checkHosts(config: Config): void {
  const [api, site] = [new URL(config.API_URL), new URL(config.SITE_URL)];
  const same = isLoopback(config.API_URL) ? api.host === site.host : api.hostname === site.hostname;
  if (same) throw new UsageError(`SITE_URL must be on another host than API_URL (both are on ${api.host}).`);
  for (const name of ['AUTH_URL', 'SITE_URL', 'API_URL', 'INGEST_URL'] as const) {
    const problem = plainHttpProblem(config[name], config.PLAIN_HTTP);
    if (problem !== undefined) throw new UsageError(`${name} ${problem}.`);
  }
}
