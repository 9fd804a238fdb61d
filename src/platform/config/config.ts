import { dirname } from 'node:path';
import { z } from 'zod';
import { allowedNetworks } from './allowed-networks.ts';
import { UsageError } from '../errors.ts';
import { checkAddresses } from './plain-http.ts';
import {
  address,
  addressesBelow,
  choice,
  clientIds,
  onOff,
  colour,
  database,
  domain,
  protocols,
  duration,
  type Environment,
  internalListen,
  keyLifetime,
  type Listen,
  listen,
  listenAddresses,
  listOf,
  pictureAddress,
  type Setting,
  secret,
  sender,
  type ServiceName,
  setting,
  sqliteFileOf,
  text,
  webPage,
  whole,
  zone,
} from './setting.ts';

const listensAt = (url: string, port: number, what: string): Setting<typeof listen> => {
  const meaning = `Where ${what}; empty: the host and port of ${url} if that is on loopback, else 127.0.0.1:${port}`;
  return setting('', meaning, listen);
};

/** Requests, sign-ins or tokens. */
const anHour = whole(1, 1_000_000_000);

/**
 * Every setting with its default, its description (docs/settings.md) and its type. A setting is an environment
 * variable. Variables that are not set come from `.env` in the working directory, then from `settings.env` in the
 * folder of a demo's SQLite file.
 */
export const SETTINGS = {
  NETWORK_NAME: setting('Scorehall', 'Name of the network, shown on pages and in mails', text(64)),
  CONTACT: setting('', 'How people reach the operator: a mail address or a URL', text(512)),
  APPEAL_URL: setting(
    '',
    'Where punished people object, like https://example.org/appeals; empty: CONTACT. Shown with punishments, in mails about them and to banned players at a join',
    webPage,
  ),
  LOGO: setting('', 'Path of a PNG, SVG or WebP file with the logo of the network', text(1024)),
  ACCENT_COLOR: setting('#b5361c', 'Colour of links, buttons and highlights on all pages, like #b5361c', colour),
  SECOND_COLOR: setting('#1f6f78', 'Colour of charts and of details next to the accent colour', colour),
  PRIVACY: setting(
    '',
    'Path of a text file with the privacy statement, paragraphs separated by empty lines; readers of Japanese see FILE.ja beside it',
    text(1024),
  ),
  DOMAIN: setting('', 'Domain: the addresses are api., auth., www. and ingest. of it, each unless it is set', domain),
  API_URL: address('api', 7400, 'Public address of the data API; its paths begin with /v1'),
  AUTH_URL: address('auth', 7401, 'Public address of sign-in: token issuer and account pages'),
  SITE_URL: address('www', 7402, 'Public address of the site, on another host than API_URL'),
  INGEST_URL: address('ingest', 7403, 'Address to which game servers send events'),
  PLAIN_HTTP: setting(
    'loopback',
    'Where these addresses may use plain http: loopback: on this machine only; private-network: also on hosts of a private network, where everybody on that network can read the traffic',
    choice(['loopback', 'private-network']),
  ),
  API_LISTEN: listensAt('API_URL', 7400, 'the data API listens: HOST:PORT or the path of a socket'),
  AUTH_LISTEN: listensAt('AUTH_URL', 7401, 'sign-in listens'),
  SITE_LISTEN: listensAt('SITE_URL', 7402, 'the site listens'),
  INGEST_LISTEN: listensAt('INGEST_URL', 7403, 'the ingest listens'),
  INTERNAL_LISTEN: setting(
    '127.0.0.1:7404',
    'Where /livez, /readyz and /metrics are served, without credentials: never let the internet reach it',
    internalListen,
  ),
  DATABASE_URL: {
    ...setting('data/scorehall.db', 'Path of a SQLite file, or postgres://… (docs/operations.md#postgresql)', database),
    inFile: true,
  },
  DATABASE_PREPARED: setting('on', 'off behind a pooler of PostgreSQL in transaction mode (docs/operations.md)', onOff),
  DATABASE_TIMEOUT: setting(
    '6s',
    'How long PostgreSQL may take to answer a statement of a request or an event before it gets 503; commands and background jobs have no limit',
    duration(1, 3600),
  ),
  TIME_ZONE: setting(
    'UTC',
    'Time zone of timestamps in the data API and on pages, and of the days of the leaderboards',
    zone,
  ),
  TRUSTED_PROXIES: setting(
    '',
    'Proxies whose X-Forwarded-For header is trusted: addresses, networks (CIDR) or unix (a socket file), comma-separated',
    listOf,
  ),
  USER_LIMIT: setting('900', 'Requests an hour for one user, over all applications', anHour),
  APP_LIMIT: setting('900', 'Requests an hour for one application with its own tokens', anHour),
  SERVER_LIMIT: setting('7200', 'Requests an hour to the data API from one game server with its key', anHour),
  ADDRESS_LIMIT: setting(
    '600',
    'Requests an hour from one address (IPv6: one /64; a /56 has twice as many, a /48 eight times as many) with only a Client ID, or with failed credentials',
    anHour,
  ),
  STREAM_LIMIT: setting(
    '100',
    'Open streams of changes of one application with its own tokens, in each process',
    whole(1, 1_000_000),
  ),
  INGEST_LIMIT: setting('0', 'Events a minute from one game server; 0: no limit', whole(0, 1_000_000_000)),
  INGEST_DIALECTS: setting('', 'Protocols of other programs on the ingest: dewdrop; empty: none', protocols),
  INGEST_WEIGHT_LIMIT: setting(
    '200000',
    'Weight of the events a minute from one game server: about how many rows they write (a match: two for each player, one for each kill, objective and value of an own counter), or their bytes divided by 256 if that is more; 0: no limit',
    whole(0, 1_000_000_000),
  ),
  NEW_PLAYERS_LIMIT: setting('10000', 'New players an hour from one game server; 0: no limit', whole(0, 1_000_000_000)),
  SITE_LIMIT: setting(
    '600',
    'Pages of the site a minute for one address (IPv6: one /64; a /56 has twice as many, a /48 eight times as many); a picture counts as a tenth of a page; 0: no limit',
    whole(0, 1_000_000),
  ),
  SIGN_IN_LIMIT: setting(
    '3000',
    'Sign-ins an hour that one address may start (IPv6: one /64; a /56 has twice as many, a /48 eight times as many)',
    anHour,
  ),
  TOKEN_LIMIT: setting(
    '1000',
    'Tokens an hour that an application may get for itself, and by each other grant for one account',
    anHour,
  ),
  LIVE_TOKEN_LIMIT: setting(
    '200',
    'Valid access tokens that an application may have for itself, and valid access tokens, refresh tokens and sign-ins each for one account; also browsers in which an account may be signed in; one more ends the one that expires first',
    whole(1, 100_000),
  ),
  COUNTERS: setting(
    'memory',
    'Where rate limits are counted: memory: for a single process that serves data API and sign-in (on a SQLite file a second one does not start); database: shared by several processes',
    choice(['memory', 'database']),
  ),
  ACCESS_APPROVAL: setting(
    'manual',
    'How API access is granted: manual: by the operator; auto: the first request of an application at once, to accounts with a confirmed address, for at most three applications of an owner',
    choice(['manual', 'auto']),
  ),
  PRIVATE_IN_MATCHES: setting(
    'name',
    'How matches show players with a private profile: name: under the present name; hidden: without name, UUID and face, also while they run',
    choice(['name', 'hidden']),
  ),
  HEADS_URL: setting(
    '',
    'Address of pictures of players’ heads, with {uuid} in it, like https://heads.example/{uuid}?size=128; the site fetches and caches them, so that visitors never contact that host; empty: patterns instead of heads',
    pictureAddress,
  ),
  WEBHOOK_NETWORKS: setting(
    '',
    'Networks with ports that webhooks and HEADS_URL may reach besides public addresses by https at port 443, comma-separated: 10.0.0.0/8:8080, 127.0.0.1:* (every port), [fd00::/8]:443; other ports than 443 may be plain http',
    allowedNetworks,
  ),
  PRESENCE_TIMEOUT: setting(
    '120',
    'Seconds without a heartbeat after which a server counts as empty',
    whole(1, 86_400),
  ),
  WATCH_SERVERS: setting('serve', 'The command that polls and follows game servers', choice(['serve', 'watch'])),
  REGISTRATION: setting(
    'open',
    'Who may register: open: everybody; linked: everybody, but only accounts with a linked game account may use applications; closed: registration is off',
    choice(['open', 'linked', 'closed']),
  ),
  REFRESH_GRACE: setting(
    '0',
    'How long a used refresh token works once more, for clients that send a request twice',
    duration(0, 60),
  ),
  ACCESS_TOKEN_LIFETIME: setting('1h', 'Lifetime of access tokens and ID tokens', duration(60, 86_400)),
  REFRESH_TOKEN_LIFETIME: setting(
    '30d',
    'How long a refresh token works after its last use; docs/signin.md says which a use replaces',
    duration(3600, 31_536_000),
  ),
  SESSION_LIFETIME: setting(
    '14d',
    'How long a person stays signed in without visiting; every session ends 30 days after the sign-in, so at most 30d',
    duration(300, 2_592_000),
  ),
  OPERATOR_SECOND_FACTOR: setting(
    '',
    'Whether operators and moderators need a second factor for the console: required: yes; optional: no; empty: required unless API_URL, AUTH_URL, SITE_URL and INGEST_URL are all on loopback',
    z.enum(['', 'required', 'optional'], 'must be required, optional or empty'),
  ),
  AUDIT_LIFETIME: setting('365d', 'How long entries of the audit log are kept', duration(86_400, 315_360_000)),
  CHANGES_LIFETIME: setting(
    '90d',
    'How long the feed of changes names removed resources; a follower that pauses for longer has to begin again',
    duration(86_400, 315_360_000),
  ),
  SIGNING_KEY_LIFETIME: setting(
    '90d',
    'Age at which a new key for ID tokens replaces the newest one; at least 1d, or 0: only `scorehall signing-key rotate` does',
    keyLifetime,
  ),
  INTROSPECTORS: setting(
    '',
    'Client IDs, comma-separated, that may introspect the tokens of other applications; every application may introspect its own',
    clientIds,
  ),
  SECRET_KEY: secret(
    '',
    'Secret that seals the keys that sign ID tokens and keys the hashes of short codes; at least 32 characters, the same for all processes; empty: a file beside the database',
    text(1024),
  ),
  SMTP_URL: secret(
    '',
    'Mail server, smtp://user:password@host:587 or smtps://…; empty: mails are written to files beside the database',
    z
      .string()
      .refine(
        (value) => value === '' || /^smtps?:\/\/./.test(value),
        'must be an address like smtps://user:password@host',
      ),
  ),
  MAIL_FROM: setting(
    '',
    'Sender of mails, like Example <no-reply@example.org>; empty: no-reply at the host of AUTH_URL',
    sender,
  ),
  DATA_FOLDER: setting(
    '',
    'Folder for the secret key and for mails without a mail server; empty: the folder of the SQLite file, else data',
    text(1024),
  ),
  MIGRATION_BACKUP: setting(
    'on',
    'Whether a newer version backs the database up to the folder backups in DATA_FOLDER before it migrates it',
    onOff,
  ),
  REVOCATION_LOG: setting(
    '',
    'File to which deletions and revocations are appended, for `restore --since-log`; better on another disk than the database; empty: revocations.log in DATA_FOLDER; off: none',
    text(1024),
  ),
  LOG_LEVEL: setting(
    'info',
    'Lowest level that is logged',
    choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
  ),
  LOG_FORMAT: setting('json', 'Form of log entries: json: for programs; text: for people', choice(['json', 'text'])),
  ACCESS_LOG: setting(
    'off',
    'Which requests are logged, with their client addresses: off: none; errors: those answered with a status from 400; all',
    choice(['off', 'errors', 'all']),
  ),
} as const satisfies Record<string, Setting>;

type Settings = { [K in keyof typeof SETTINGS]: z.output<(typeof SETTINGS)[K]['read']> };

export interface Config extends Omit<Settings, `${ServiceName}_LISTEN`> {
  /** Where each service listens, with defaults resolved. */
  listen: Record<ServiceName, Listen>;
}

export type SettingName = keyof typeof SETTINGS;
export type { Environment, ServiceName };

/**
 * Reads the settings.
 * @throws UsageError that names the wrong setting and says what would be right
 */
export function readConfig(environment: Environment): Config {
  const values = withDomain(environment);
  const settings = Object.fromEntries(
    settingNames().map((name) => [name, readSetting(name, values[name])]),
  ) as Settings;
  const config = { ...settings, listen: listenAddresses(settings) };
  checkAddresses(config);
  return config;
}

export const withDomain = (environment: Environment): Environment => addressesBelow(SETTINGS, environment);

export const settingNames = (): SettingName[] => Object.keys(SETTINGS) as SettingName[];

function readSetting(name: SettingName, value: string | undefined): unknown {
  const { read, default: fallback, secret: isSecret } = SETTINGS[name] as Setting;
  const result = read.safeParse(value === undefined || value === '' ? fallback : value);
  if (result.success) return result.data;
  const shown = isSecret || value?.includes('@') ? '' : ` (it is ${JSON.stringify(value)})`;
  throw new UsageError(`${name} ${result.error.issues[0]!.message}${shown}.`);
}

/** The folder of files that belong to a database but are outside of it, such as the secret key. */
export function dataFolder({ DATA_FOLDER, DATABASE_URL }: Pick<Config, 'DATA_FOLDER' | 'DATABASE_URL'>): string {
  if (DATA_FOLDER !== '') return DATA_FOLDER;
  const file = sqliteFileOf(DATABASE_URL);
  return file === undefined ? 'data' : dirname(file);
}
