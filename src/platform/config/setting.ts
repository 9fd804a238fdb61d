import { z } from 'zod';
import { isLoopback } from './plain-http.ts';
import { postgresUrlProblem } from './postgres-url.ts';

/** The types of settings: how each parses its text, and the error message for a wrong value. */

const origin = z.string().transform((value, ctx) => {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return fail(ctx, 'must be an address like https://api.example.org');
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '') {
    return fail(ctx, 'must be an address without a path, query or user, like https://api.example.org');
  }
  return url.origin;
});

/** A domain without a scheme, port or path, of which services have names like `api.example.org`; empty for none. */
export const domain = z.string().transform((value, ctx) => {
  const url = URL.parse(`https://api.${value}`);
  const isName = url !== null && url.href === `https://${url.hostname}/` && /^[^.:\s]+(\.[^.:\s]+)+$/.test(value);
  if (value === '' || isName) return value.toLowerCase();
  return fail(ctx, 'must be a domain like example.org');
});

/** The address of a picture for each player, with the placeholder `{uuid}`; empty for none. */
export const pictureAddress = z.string().transform((value, ctx) => {
  if (value === '') return value;
  const url = URL.parse(value.replaceAll('{uuid}', 'x'));
  const isHttp = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && !url.host.includes('{');
  if (isHttp && value.slice(url.origin.length).includes('{uuid}')) return value;
  return fail(ctx, 'must be an http address with {uuid} in its path or query, like https://heads.example/{uuid}');
});

/** A page of another site; empty for none. */
export const webPage = z.string().transform((value, ctx) => {
  const url = URL.parse(value);
  if (value === '' || (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && value.length <= 512))
    return value;
  return fail(
    ctx,
    'must be an http address without a user name, at most 512 characters, like https://example.org/appeals',
  );
});

export const listen = z.string().transform((value, ctx): Listen | undefined => {
  if (value === '') return undefined;
  if (value.startsWith('/')) return { path: value };
  const [, host, port] = /^(?:(.*):)?(\d{1,5})$/.exec(value) ?? [];
  if (port === undefined || Number(port) > 65_535) return fail(ctx, 'must be HOST:PORT, PORT, or the path of a socket');
  return { host: host?.replace(/^\[(.*)\]$/, '$1') ?? '127.0.0.1', port: Number(port) };
});

/** Like `listen`, but never empty. */
export const internalListen = listen.transform((value) => value ?? { host: '127.0.0.1', port: 0 });

export const whole = (min: number, max: number) =>
  z.string().transform((value, ctx) => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < min || number > max)
      return fail(ctx, `must be a whole number from ${min} to ${max}`);
    return number;
  });

export const zone = z
  .string()
  .refine((value) => isZone(value), 'must be a time zone like Europe/Berlin, Asia/Tokyo or UTC');

export const colour = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour like #b5361c')
  .transform((value) => value.toLowerCase());

export const text = (max: number) => z.string().max(max, `must not be longer than ${max} characters`);

/** The path of a SQLite file (`C:\\…` too), or the URL of a PostgreSQL database. */
export const database = z
  .string()
  .refine(
    (value) => !/^(:|[a-z][a-z0-9+.-]+:)/i.test(value) || /^(postgres|postgresql|sqlite|file):/.test(value),
    'must be the path of a SQLite file, or postgres://user:password@host/database',
  )
  .superRefine((value, ctx) => {
    const problem = isPostgresUrl(value) ? postgresUrlProblem(value) : undefined;
    if (problem !== undefined) fail(ctx, problem);
  });

export const isPostgresUrl = (url: string): boolean => /^postgres(ql)?:/.test(url);

/** The path of the file that `DATABASE_URL` names; undefined for PostgreSQL. */
export const sqliteFileOf = (url: string): string | undefined =>
  isPostgresUrl(url) ? undefined : url.replace(/^(sqlite|file):(\/\/)?/, '');

export const listOf = z.string().transform((value) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

/** Client IDs, as the service makes them. */
export const clientIds = listOf.refine(
  (ids) => ids.every((id) => /^[0-9a-f]{24}$/.test(id)),
  'must list Client IDs (24 characters 0-9 and a-f), separated by commas',
);

/** The sender of mails: an address, perhaps with a name before it (RFC 5322, section 3.4); empty for the default. */
export const sender = z
  .string()
  .trim()
  .max(256, 'must not be longer than 256 characters')
  .refine(
    (value) => /^(?:(?:"(?:[^"\\]|\\.)*"|[^"<>@,;:])*<[^\s<>@,;]+@[^\s<>@,;]+>|[^\s<>@,;]+@[^\s<>@,;]+)?$/.test(value),
    'must be an address like no-reply@example.org, or a name and an address like Example <no-reply@example.org>',
  );

/** A time as seconds, like its bounds: `90` or `90s`, `15m`, `1h`, `30d`. */
export const duration = (min: number, max: number) =>
  z.string().transform((value, ctx) => {
    const [, count, unit] = /^(\d{1,9})([smhd]?)$/.exec(value) ?? [];
    const seconds = Number(count) * { '': 1, s: 1, m: 60, h: 3600, d: 86_400 }[unit as 's' | '']!;
    if (count === undefined || seconds < min || seconds > max)
      return fail(ctx, `must be a time like 90s, 15m, 1h or 30d, from ${min} to ${max} seconds`);
    return seconds;
  });

export const keyLifetime = duration(0, 315_360_000).refine(
  (seconds) => seconds === 0 || seconds >= 86_400,
  'must be a time from 1d, or 0',
);

export const choice = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, `must be one of ${values.join(', ')}`);

export const onOff = choice(['on', 'off']);

const PROTOCOL_NAMES = ['dewdrop'] as const;
export type ProtocolName = (typeof PROTOCOL_NAMES)[number];

/** Protocols of other programs that the ingest can serve, separated by commas; empty for none. */
export const protocols = listOf.pipe(
  z.array(
    z.enum(PROTOCOL_NAMES, {
      error: ({ input }) => `must have ${PROTOCOL_NAMES.join(', ')} alone, or be empty (${String(input)} is unknown)`,
    }),
  ),
);

export type ServiceName = 'API' | 'AUTH' | 'SITE' | 'INGEST';

type Addresses = Record<`${ServiceName}_LISTEN`, Listen | undefined> & Record<`${ServiceName}_URL`, string>;

/** Where each service listens: as its setting says, else at its public address. */
export function listenAddresses(settings: Addresses): Record<ServiceName, Listen> {
  const fallbacks: Record<ServiceName, number> = { API: 7400, AUTH: 7401, SITE: 7402, INGEST: 7403 };
  const services = Object.keys(fallbacks) as ServiceName[];
  return Object.fromEntries(
    services.map((service) => [
      service,
      settings[`${service}_LISTEN`] ?? listenOf(settings[`${service}_URL`], fallbacks[service]),
    ]),
  ) as Record<ServiceName, Listen>;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Listen {
  host?: string;
  port?: number;
  path?: string;
}

export interface Setting<T extends z.ZodType = z.ZodType> {
  default: string;
  meaning: string;
  read: T;
  secret?: boolean;
  /** The name below DOMAIN whose address is the default once DOMAIN is set. */
  subdomain?: string;
  /** Whether `NAME_FILE` may name a file with the value: for secrets, and for addresses that may contain a password. */
  inFile?: boolean;
}

export const setting = <T extends z.ZodType>(fallback: string, meaning: string, read: T): Setting<T> => ({
  default: fallback,
  meaning,
  read,
});

/** The public address of a service: below DOMAIN if that is set, else on this machine. */
export const address = (subdomain: string, port: number, meaning: string) => ({
  ...setting(`http://127.0.0.1:${port}`, meaning, origin),
  subdomain,
});

/** Adds the addresses below DOMAIN that are not set. */
export function addressesBelow(settings: Readonly<Record<string, Setting>>, environment: Environment): Environment {
  const { data: below = '' } = domain.safeParse(environment['DOMAIN'] ?? '');
  if (below === '') return environment;
  const derived = Object.entries(settings).flatMap(([name, { subdomain }]) =>
    subdomain === undefined || environment[name] ? [] : [[name, `https://${subdomain}.${below}`]],
  );
  return { ...environment, ...Object.fromEntries(derived) };
}

export const secret = <T extends z.ZodType>(fallback: string, meaning: string, read: T): Setting<T> => ({
  ...setting(fallback, meaning, read),
  secret: true,
  inFile: true,
});

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

/** Where a service listens by default: at its public address if that is on this machine. */
export function listenOf(address: string, fallback: number): Listen {
  const url = new URL(address);
  if (!isLoopback(address) || url.protocol !== 'http:') return { host: '127.0.0.1', port: fallback };
  const host = url.hostname === 'localhost' ? '127.0.0.1' : url.hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, port: Number(url.port || 80) };
}
