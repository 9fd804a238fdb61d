import { connect, isIP } from 'node:net';
import type { Connection, ConnectionOptions, RowDataPacket } from 'mysql2/promise';
import { UsageError } from '#platform/errors.ts';
import { type ServerAddress, type SourceDatabase, type SourceRow, SourceUnavailable } from './source-database.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const QUERY_TIMEOUT_MS = 120_000;

/** Connects to a database of another program in MySQL or MariaDB. */
export async function openMysqlSource(address: ServerAddress): Promise<SourceDatabase> {
  const { port, user, password, database } = address;
  // Loaded here, because the service itself never needs it.
  const { createConnection } = await import('mysql2/promise');
  const connection = await asking(address, () =>
    createConnection({
      ...connectionTransport(address),
      port,
      user,
      password,
      database,
      connectTimeout: CONNECT_TIMEOUT_MS,
      supportBigNumbers: true,
      bigNumberStrings: true,
      dateStrings: true,
      maxPreparedStatements: 50,
    }),
  );
  // An error while no statement runs; the next statement reports it.
  connection.on('error', () => undefined);
  const source = new MysqlSource(address, connection);
  await asking(address, async () => {
    await connection.query('set session transaction read only');
    await connection.query(`set time_zone = '+00:00'`);
  });
  return source;
}

/**
 * For a host that is an IP address, mysql2 checks the certificate against the name `localhost`. An address with a dot
 * at its end passes as a name, and Node removes the dot before it compares the certificate.
 */
function connectionTransport({ host, port, tls }: ServerAddress): ConnectionOptions {
  if (!tls) return { host };
  const ssl = { rejectUnauthorized: true, verifyIdentity: true };
  if (isIP(host) === 0) return { host, ssl };
  return { host: `${host}.`, stream: () => connect({ host, port, noDelay: true, keepAlive: true }), ssl };
}

class MysqlSource implements SourceDatabase {
  readonly dialect = 'mysql';
  readonly label: string;
  readonly #address: ServerAddress;
  readonly #connection: Connection;

  constructor(address: ServerAddress, connection: Connection) {
    this.label = labelOf(address);
    this.#address = address;
    this.#connection = connection;
  }

  async rows(text: string, values: readonly (string | number)[] = []): Promise<SourceRow[]> {
    return await asking(this.#address, async () => {
      const [rows] = await this.#connection.execute<RowDataPacket[]>({
        sql: text,
        values: [...values],
        timeout: QUERY_TIMEOUT_MS,
      });
      return rows;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection.destroy();
  }
}

export const labelOf = ({ host, port, database }: Pick<ServerAddress, 'host' | 'port' | 'database'>): string =>
  `mysql://${host.includes(':') ? `[${host}]` : host}:${port}/${database}`;

async function asking<T>(address: ServerAddress, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toRefusal(address, error);
  }
}

type Reason = (address: ServerAddress) => string;

/** Remedies for the operator. */
const REFUSALS: Record<string, Reason> = {
  ER_ACCESS_DENIED_ERROR: ({ user, tls }) =>
    `refuses the user ${user}: the name or the password is wrong${tls ? '' : ', or the user needs --tls'}`,
  ER_ACCESS_DENIED_NO_PASSWORD_ERROR: ({ user }) => `refuses the user ${user}: it wants a password`,
  ER_DBACCESS_DENIED_ERROR: ({ user, database }) => `does not let the user ${user} read the database ${database}`,
  ER_BAD_DB_ERROR: ({ database }) => `has no database ${database}`,
  ER_TABLEACCESS_DENIED_ERROR: ({ user }) => `does not let the user ${user} read a table that the import needs`,
  ER_COLUMNACCESS_DENIED_ERROR: ({ user }) => `does not let the user ${user} read a column that the import needs`,
  ER_NO_SUCH_TABLE: () => 'has lost a table during the import',
  ER_SECURE_TRANSPORT_REQUIRED: () => 'needs --tls',
  HANDSHAKE_NO_SSL_SUPPORT: () => 'does not offer TLS',
  AUTH_SWITCH_PLUGIN_ERROR: () => 'wants a way of signing in that the import does not know',
};

const OUTAGES: Record<string, string> = {
  ECONNREFUSED: 'cannot be reached: nothing listens there',
  ENOTFOUND: 'cannot be reached: the host is not known',
  EAI_AGAIN: 'cannot be reached: the host is not known at present',
  ETIMEDOUT: 'does not answer',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  PROTOCOL_SEQUENCE_TIMEOUT: 'does not answer',
  PROTOCOL_CONNECTION_LOST: 'has ended the connection',
  ECONNRESET: 'has ended the connection',
  EPIPE: 'has ended the connection',
  ER_SERVER_SHUTDOWN: 'is being stopped',
  ER_CON_COUNT_ERROR: 'has too many connections',
  ER_LOCK_WAIT_TIMEOUT: 'is locked by the program that writes it',
};

/** Problems of a certificate by the texts of OpenSSL and Node, because the driver replaces their codes. */
const CERTIFICATE_PROBLEMS: [RegExp, Reason][] = [
  [/altnames|does not match/, ({ host }) => `has a certificate of another host than ${host}`],
  [/has expired/, () => 'has a certificate that has expired'],
  [/not yet valid/, () => 'has a certificate that is not valid yet'],
  [
    /self.signed|issuer certificate|verify the first/,
    () =>
      'has a certificate of an authority that this machine does not trust; NODE_EXTRA_CA_CERTS names the file of your own',
  ],
];

function tlsProblem(address: ServerAddress, message: string): string {
  const [, reason] = CERTIFICATE_PROBLEMS.find(([pattern]) => pattern.test(message)) ?? [];
  return reason?.(address) ?? 'cannot agree on an encrypted connection with a valid certificate';
}

/** The driver's own text is not shown: parts of it come from the server. */
function toRefusal(address: ServerAddress, error: unknown): unknown {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  const label = labelOf(address);
  const refusal = REFUSALS[code];
  if (refusal !== undefined) return new UsageError(`${label} ${refusal(address)}.`);
  // The driver reports an ended connection without a code.
  const outage = OUTAGES[code] ?? (/closed state|closed connection/.test(message) ? OUTAGES['EPIPE'] : undefined);
  if (outage !== undefined) return new SourceUnavailable(`${label} ${outage}.`);
  if (code === 'HANDSHAKE_SSL_ERROR') return new UsageError(`${label} ${tlsProblem(address, message)}.`);
  return /^ER_|^E[A-Z]+$|^PROTOCOL_/.test(code) ? new UsageError(`${label} cannot be read (${code}).`) : error;
}
