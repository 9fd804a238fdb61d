import { connect, isIP, type Socket } from 'node:net';
import type { Connection, ConnectionOptions, RowDataPacket } from 'mysql2/promise';
import { InputError } from '../finding.ts';
import { type ServerAddress, type SourceDatabase, type SourceRow, SourceUnavailable } from './source-database.ts';

/** Limits against a server that sends no end or no answer: the driver limits neither the sign-in nor the size of a result. */
export interface SourceLimits {
  /** Maximum time to connect, sign in and set up the session. */
  open_ms: number;
  statement_ms: number;
  /** Maximum bytes that the server sends for the sign-in or one statement. */
  bytes: number;
}

const LIMITS: SourceLimits = { open_ms: 10_000, statement_ms: 120_000, bytes: 256 * 1024 * 1024 };
const CHECK_INTERVAL_MS = 50;

/** Connects to a database of another program in MySQL or MariaDB. */
export async function openMysqlSource(address: ServerAddress, limits = LIMITS): Promise<SourceDatabase> {
  const { host, port, user, password, database } = address;
  // Loaded here, because the service itself never needs it.
  const { createConnection } = await import('mysql2');
  const socket = connect({ host, port, noDelay: true, keepAlive: true });
  const connection = await asking(address, () =>
    bounded(socket, limits.open_ms, limits.bytes, async () => {
      const callbacks = createConnection({
        ...connectionTransport(address),
        stream: () => socket,
        port,
        user,
        password,
        database,
        connectTimeout: limits.open_ms,
        flags: ['-LOCAL_FILES'],
        supportBigNumbers: true,
        bigNumberStrings: true,
        dateStrings: true,
        maxPreparedStatements: 50,
      });
      // An error while no statement runs; the next statement reports it.
      callbacks.on('error', () => undefined);
      // The driver continues and writes a line to stderr about each packet, unless it is paused.
      callbacks.on('warn', () => {
        callbacks.pause();
        socket.destroy(withCode('PACKETS_OUT_OF_ORDER'));
      });
      const opened = callbacks.promise();
      await opened.connect();
      await opened.query('set session transaction read only');
      await opened.query(`set time_zone = '+00:00'`);
      return opened;
    }),
  ).catch((error: unknown) => {
    socket.destroy();
    throw error;
  });
  return new MysqlSource(address, connection, (work) => bounded(socket, limits.statement_ms, limits.bytes, work));
}

/**
 * For a host that is an IP address, mysql2 checks the certificate against the name `localhost`. An address with a dot
 * at its end passes as a name, and Node removes the dot before it compares the certificate.
 */
function connectionTransport({ host, tls }: ServerAddress): ConnectionOptions {
  if (!tls) return { host };
  return { host: isIP(host) === 0 ? host : `${host}.`, ssl: { rejectUnauthorized: true, verifyIdentity: true } };
}

const withCode = (code: string): Error => Object.assign(new Error(code), { code });

type Bounded = <T>(work: () => Promise<T>) => Promise<T>;

/** Ends the work and the connection when it takes too long or the server sends too much. The driver may not notice either. */
async function bounded<T>(socket: Socket, ms: number, bytes: number, work: () => Promise<T>): Promise<T> {
  const [end, most] = [performance.now() + ms, socket.bytesRead + bytes];
  const exceeded = Promise.withResolvers<never>();
  const timer = setInterval(() => {
    const code = socket.bytesRead > most ? 'TOO_MANY_BYTES' : performance.now() > end ? 'ETIMEDOUT' : undefined;
    if (code === undefined) return;
    exceeded.reject(withCode(code));
    socket.destroy();
  }, CHECK_INTERVAL_MS);
  try {
    return await Promise.race([work(), exceeded.promise]);
  } finally {
    clearInterval(timer);
  }
}

class MysqlSource implements SourceDatabase {
  readonly dialect = 'mysql';
  readonly label: string;
  readonly #address: ServerAddress;
  readonly #connection: Connection;
  readonly #bounded: Bounded;

  constructor(address: ServerAddress, connection: Connection, bounded: Bounded) {
    this.label = labelOf(address);
    this.#address = address;
    this.#connection = connection;
    this.#bounded = bounded;
  }

  async rows(text: string, values: readonly (string | number)[] = []): Promise<SourceRow[]> {
    return await asking(this.#address, () =>
      this.#bounded(async () => (await this.#connection.execute<RowDataPacket[]>(text, [...values]))[0]),
    );
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
  MYSQL_CLEAR_PASSWORD_NOT_ENABLED: () => 'wants the password unencrypted, which the import never sends',
  TOO_MANY_BYTES: () => 'sends more than an import reads at once',
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
  PACKETS_OUT_OF_ORDER: 'has sent packets out of order',
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
function toRefusal(address: ServerAddress, error: unknown): InputError {
  const { code = '', errno, message = '' } = error as { code?: string; errno?: number; message?: string };
  const label = labelOf(address);
  const refusal = REFUSALS[code];
  if (refusal !== undefined) return new InputError(`${label} ${refusal(address)}.`);
  // The driver reports an ended connection without a code.
  const outage = OUTAGES[code] ?? (/closed state|closed connection/.test(message) ? OUTAGES['EPIPE'] : undefined);
  if (outage !== undefined) return new SourceUnavailable(`${label} ${outage}.`);
  if (code === 'HANDSHAKE_SSL_ERROR') return new InputError(`${label} ${tlsProblem(address, message)}.`);
  if (message.includes('LOCAL INFILE'))
    return new InputError(`${label} asks for a file, which the import never sends.`);
  const name = /^ER_|^E[A-Z]+$|^PROTOCOL_/.test(code) ? code : errno;
  if (name !== undefined) return new InputError(`${label} cannot be read (${name}).`);
  // The driver reports a packet that it cannot parse with any error of JavaScript.
  return new InputError(`${label} does not speak the protocol of MySQL.`);
}
