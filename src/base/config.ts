import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { UsageError } from './errors.ts';

/**
 * Every setting: its default, what it means, how it is read. A setting is an environment variable; `.env` in the
 * working folder is read first, and beside a demo's database its `settings.env`.
 */

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

const origin = z.string().transform((value, ctx) => {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return fail(ctx, 'must be an address like https://api.example.org');
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '') {
    return fail(ctx, 'must be an address without path, query or user, like https://api.example.org');
  }
  return url.origin;
});

const listen = z.string().transform((value, ctx): Listen | undefined => {
  if (value === '') return undefined;
  if (value.startsWith('/')) return { path: value };
  const [, host, port] = /^(?:(.*):)?(\d{1,5})$/.exec(value) ?? [];
  if (port === undefined || Number(port) > 65_535) return fail(ctx, 'must be HOST:PORT, PORT, or the path of a socket');
  return { host: host?.replace(/^\[(.*)\]$/, '$1') ?? '127.0.0.1', port: Number(port) };
});

const whole = (min: number, max: number) =>
  z.string().transform((value, ctx) => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < min || number > max)
      return fail(ctx, `must be a whole number from ${min} to ${max}`);
    return number;
  });

const zone = z.string().refine((value) => isZone(value), 'must be a time zone like Europe/Berlin, Asia/Tokyo or UTC');

const listOf = z.string().transform((value) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

const choice = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, `must be one of ${values.join(', ')}`);

export interface Listen {
  host?: string;
  port?: number;
  path?: string;
}

interface Setting<T extends z.ZodType = z.ZodType> {
  default: string;
  meaning: string;
  read: T;
  secret?: boolean;
}

const setting = <T extends z.ZodType>(fallback: string, meaning: string, read: T): Setting<T> => ({
  default: fallback,
  meaning,
  read,
});

export const SETTINGS = {
  NETWORK_NAME: setting('Scorehall', "The network's name, as pages and mails show it", z.string().min(1).max(64)),
  CONTACT: setting('', 'Where people write to the operator: a mail address or a URL', z.string().max(512)),
  LOGO: setting('', 'The path of a PNG, SVG or WebP file with the logo of the network', z.string().max(1024)),
  API_URL: setting('http://127.0.0.1:7400', 'Public address of the data API; its paths begin with /v1', origin),
  AUTH_URL: setting('http://127.0.0.1:7401', 'Public address of sign-in: issuer of tokens, account pages', origin),
  SITE_URL: setting('http://127.0.0.1:7402', 'Public address of the site; on another host than API_URL', origin),
  INGEST_URL: setting('http://127.0.0.1:7403', 'Address at which game servers write', origin),
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
  DATABASE_URL: setting(
    'data/scorehall.db',
    'A SQLite file, or postgres://user:password@host/database',
    z.string().min(1),
  ),
  TIME_ZONE: setting('UTC', 'The zone whose offset moments carry in the data API', zone),
  TRUSTED_PROXIES: setting(
    '',
    'Addresses or networks (CIDR), comma-separated, whose X-Forwarded-For is believed',
    listOf,
  ),
  USER_LIMIT: setting('900', 'Requests an hour of one user, all applications together', whole(1, 1_000_000_000)),
  APP_LIMIT: setting('900', 'Requests an hour of one application with its own tokens', whole(1, 1_000_000_000)),
  ADDRESS_LIMIT: setting(
    '600',
    'Requests an hour of one address with a Client ID alone, or with failed credentials',
    whole(1, 1_000_000_000),
  ),
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
  LOG_LEVEL: setting(
    'info',
    'How much is logged',
    choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
  ),
} as const satisfies Record<string, Setting>;

type Settings = { [K in keyof typeof SETTINGS]: z.output<(typeof SETTINGS)[K]['read']> };

export interface Config extends Omit<Settings, `${Door}_LISTEN`> {
  /** Where each door listens, defaults worked out. */
  listen: Record<Door, Listen>;
}

export type Door = 'API' | 'AUTH' | 'SITE' | 'INGEST';
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
  const { read, default: fallback } = SETTINGS[name] as Setting;
  const result = read.safeParse(value === undefined || value === '' ? fallback : value);
  if (!result.success)
    throw new UsageError(`${name} ${result.error.issues[0]!.message} (it is ${JSON.stringify(value)}).`);
  return result.data;
}

/** The environment of a command: `.env` of the working folder and a demo's own settings stand behind the real one. */
export function environment(actual: Environment = process.env, folder = process.cwd()): Environment {
  const own = { ...readEnvFile(join(folder, '.env')), ...actual };
  const database = own['DATABASE_URL'];
  if (database === undefined || /^postgres/.test(database)) return own;
  const beside = join(dirname(database.replace(/^(sqlite|file):(\/\/)?/, '')), 'settings.env');
  return { ...readEnvFile(beside), ...own };
}

function readEnvFile(path: string): Environment {
  return existsSync(path) ? parseEnv(readFileSync(path, 'utf8')) : {};
}

function listensOf(settings: Settings): Record<Door, Listen> {
  const fallbacks: Record<Door, number> = { API: 7400, AUTH: 7401, SITE: 7402, INGEST: 7403 };
  const doors = Object.keys(fallbacks) as Door[];
  return Object.fromEntries(
    doors.map((door) => [door, settings[`${door}_LISTEN`] ?? listenOf(settings[`${door}_URL`], fallbacks[door])]),
  ) as Record<Door, Listen>;
}

function listenOf(address: string, fallback: number): Listen {
  const url = new URL(address);
  if (!LOOPBACK.includes(url.hostname) || url.protocol !== 'http:') return { host: '127.0.0.1', port: fallback };
  const host = url.hostname === 'localhost' ? '127.0.0.1' : url.hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, port: Number(url.port || 80) };
}

/** Whether an address is one that only this machine reaches. */
export function isLoopback(address: string): boolean {
  return LOOPBACK.includes(new URL(address).hostname);
}

function checkHosts(config: Config): void {
  const [api, site, auth] = [config.API_URL, config.SITE_URL, config.AUTH_URL].map((address) => new URL(address)) as [
    URL,
    URL,
    URL,
  ];
  const same = isLoopback(config.API_URL) ? api.host === site.host : api.hostname === site.hostname;
  if (same) throw new UsageError(`SITE_URL must be on another host than API_URL (both are on ${api.host}).`);
  if (auth.protocol === 'http:' && !isLoopback(config.AUTH_URL)) {
    throw new UsageError(`AUTH_URL must be https off loopback (it is ${config.AUTH_URL}).`);
  }
}

function isZone(value: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: value });
    return true;
  } catch {
    return false;
  }
}

function fail(ctx: z.RefinementCtx, message: string): never {
  ctx.addIssue({ code: 'custom', message });
  return z.NEVER;
}
