import type { Client } from 'pg';
import { InputError } from '../finding.ts';
import { type ServerAddress, type SourceDatabase, type SourceRow, SourceUnavailable } from './source-database.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const QUERY_TIMEOUT_MS = 120_000;

/** Connects to a database of another program in PostgreSQL. */
export async function openPostgresSource(address: ServerAddress): Promise<SourceDatabase> {
  const { host, port, user, password, database, tls } = address;
  // Loaded here, because the service needs it with PostgreSQL only.
  const pg = (await import('pg')).default;
  const client = new pg.Client({
    host,
    port,
    user,
    password,
    database,
    ssl: tls,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    options: '-c default_transaction_read_only=on -c timezone=UTC',
  });
  // An error while no statement runs; the next statement reports it.
  client.on('error', () => undefined);
  await asking(address, () => client.connect());
  return new PostgresSource(address, client);
}

class PostgresSource implements SourceDatabase {
  readonly dialect = 'postgres';
  readonly label: string;
  readonly #address: ServerAddress;
  readonly #client: Client;

  constructor(address: ServerAddress, client: Client) {
    this.label = labelOf(address);
    this.#address = address;
    this.#client = client;
  }

  async rows(text: string, values: readonly (string | number)[] = []): Promise<SourceRow[]> {
    let number = 0;
    const statement = text.replaceAll('`', '"').replaceAll('?', () => `$${++number}`);
    return await asking(this.#address, async () => (await this.#client.query<SourceRow>(statement, [...values])).rows);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end();
  }
}

const labelOf = ({ host, port, database }: ServerAddress): string =>
  `postgres://${host.includes(':') ? `[${host}]` : host}:${port}/${database}`;

async function asking<T>(address: ServerAddress, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toRefusal(address, error);
  }
}

/** Remedies by SQLSTATE. */
const REFUSALS: Record<string, (address: ServerAddress) => string> = {
  '28P01': ({ user }) => `refuses the user ${user}: the name or the password is wrong`,
  '28000': ({ user, tls }) => `refuses the user ${user}${tls ? '' : ', or the user needs --tls'}`,
  '3D000': ({ database }) => `has no database ${database}`,
  '42501': ({ user }) => `does not let the user ${user} read a table or column that the import needs`,
  '42P01': () => 'has lost a table during the import',
};
/** Connection exceptions, shutdowns, too many connections. */
const OUTAGE = /^(08|57P0|53300)/;
const NETWORK = /^(ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE)/;

/** The driver's own text is not shown: parts of it come from the server. */
function toRefusal(address: ServerAddress, error: unknown): unknown {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  const label = labelOf(address);
  const refusal = REFUSALS[code];
  if (refusal !== undefined) return new InputError(`${label} ${refusal(address)}.`);
  if (OUTAGE.test(code) || NETWORK.test(code) || /timeout|terminated|not queryable/i.test(message))
    return new SourceUnavailable(`${label} cannot be reached.`);
  if (/does not support SSL/.test(message)) return new InputError(`${label} does not offer TLS.`);
  if (address.tls && /certificate|altnames|CERT/.test(`${code} ${message}`))
    return new InputError(`${label} has no certificate that this machine trusts for ${address.host}.`);
  return /^[0-9A-Z]{5}$/.test(code) ? new InputError(`${label} cannot be read (${code}).`) : error;
}
