import { Socket } from 'node:net';
import pg from 'pg';
import { Unavailable } from '#platform/errors.ts';
import type { PostgresHost } from '#platform/config/postgres-url.ts';
import { Outages } from '../db.ts';
import { Hosts } from './hosts.ts';
import { refusalOf } from './refusals.ts';

/** The maximum duration of all steps of a new connection together. */
const CONNECT_TIMEOUT_MS = 15_000;
/** TCP then probes the host every second, and gives up after ten probes (libuv). */
const KEEP_ALIVE_AFTER_MS = 10_000;
/** The time between two probes of a host that may be silent. */
const PROBE_MS = 1_000;
/** Minimum of `#maxQuietTicks`. */
const MIN_QUIET_TICKS = 2;
/** Maximum probes at the same time: each may occupy a thread of Node that looks up the name of the host. */
const MAX_PROBES = 2;
/** The time in which each of several hosts has to answer whether it takes writes. */
const SEARCH_MS = 2_000;
/** How long closing connections wait for the server. */
const CLOSE_MS = 1_000;

/**
 * Session parameters that end the session of a client that has vanished, and with it its locks: within half a minute by
 * TCP, and within a minute if a proxy between the two keeps the connection. Each replaces the default of PostgreSQL, or of
 * the system if PostgreSQL shows that; values that the operator has set stay. A socket file has no keepalives.
 */
const SESSION_PARAMETERS = {
  tcp_keepalives_idle: { default: '7200', value: '10s' },
  tcp_keepalives_interval: { default: '75', value: '5s' },
  tcp_keepalives_count: { default: '9', value: '3' },
  tcp_user_timeout: { default: '0', value: '30s' },
  client_connection_check_interval: { default: '0', value: '10s' },
  idle_in_transaction_session_timeout: { default: '0', value: '60s' },
};

/** Without pg_settings, which computes all parameters and takes more than a millisecond of each new connection. */
const SESSION_SETUP = `
  select count(case when current_setting(name, true) = usual then set_config(name, value, false) end)
  from (values ${Object.entries(SESSION_PARAMETERS)
    .map(([name, { default: usual, value }]) => `('${name}', '${usual}', '${value}')`)
    .join(', ')}) as wanted (name, usual, value)`;

type PostgresError = { code?: string; message?: string };

/** Time-outs of pg, and errors of the system if no packet came back. */
const showsSilence = ({ code, message }: PostgresError): boolean =>
  code === undefined ? /timeout/i.test(message ?? '') : /^(ETIMEDOUT|EHOST|ENET|EAI_|ENOTFOUND)/.test(code);

const isOutage = ({ code, message }: PostgresError): boolean =>
  code === undefined
    ? /connection|timeout|terminat/i.test(message ?? '')
    : /^(ECONN|ENOTFOUND|EPIPE|ETIMEDOUT|EHOST|ENET|ENOENT|EAI_|08|25006|25P03|57P|53|28|3D)/.test(code);

/** disk_full */
const DISK_FULL = '53100';

const ignore = (): void => undefined;

interface ConnectionOptions {
  config: pg.ClientConfig;
  /** The hosts, if new connections must find the one that takes writes; otherwise the host of `config` is enough. */
  hosts: readonly PostgresHost[] | undefined;
  /** The time after which a statement without a time-out notices that the host is silent. */
  timeoutMs: number;
  /** Whether a session belongs to its connection, so that it can keep parameters. */
  keepsSession: boolean;
}

/**
 * The connections of a thread to a server. A host without power, or a network that drops packets, closes no connection, and
 * TCP waits for it for a quarter of an hour. After a time-out a new connection every second therefore asks whether the host
 * answers. If it does not, and nothing arrives on the other connections, all of them end, and new ones fail at once until
 * a probe is answered.
 */
export class Connections {
  /** The class of the connections, for a pool. */
  readonly Client: new () => Client;
  readonly outages = new Outages();
  readonly #config: pg.ClientConfig;
  readonly #hosts: Hosts | undefined;
  readonly #setup: string | undefined;
  /** The time without an answer to a statement after which the first probe is sent. */
  readonly #patienceMs: number;
  readonly #intervalMs: number;
  /** The host is silent after this many intervals without an answer to a probe or data on another connection. */
  readonly #maxQuietTicks: number;
  /** The bytes that each open socket had received at the last check. */
  readonly #received = new Map<Socket, number>();
  /** While the host may be silent. */
  #probing: NodeJS.Timeout | undefined;
  #quietTicks = 0;
  #probes = 0;
  /** The error of new connections while the host is silent. */
  #silence: Error | undefined;

  constructor({ config, hosts, timeoutMs, keepsSession }: ConnectionOptions) {
    this.#patienceMs = timeoutMs / 2;
    this.#intervalMs = Math.min(PROBE_MS, timeoutMs / MIN_QUIET_TICKS);
    this.#maxQuietTicks = Math.max(MIN_QUIET_TICKS, Math.floor(this.#patienceMs / this.#intervalMs));
    this.#config = {
      ...config,
      connectionTimeoutMillis: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
      pipeline: true,
    };
    this.#hosts = hosts && new Hosts(hosts, (host) => this.#takesWrites(host));
    this.#setup = keepsSession ? SESSION_SETUP : undefined;
    const setUp = (): ClientSetup => this.#setUp(() => this.#silence);
    this.Client = class extends Client {
      constructor() {
        super(setUp());
      }
    };
  }

  /** A client in pipeline mode. */
  open(): Client {
    return new this.Client();
  }

  /** Rethrows the error of a server that is unreachable or shutting down as `Unavailable`; errors of statements pass. */
  async translateOutage<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      // pg creates the error when it reads the server's message; the useful stack is that of the caller.
      if (error instanceof Error) Error.captureStackTrace(error);
      if (showsSilence(error as PostgresError)) this.#startProbing();
      if (!isOutage(error as PostgresError)) throw refusalOf(error) ?? error;
      this.#hosts?.forget();
      this.outages.failed({ isFull: (error as PostgresError).code === DISK_FULL });
      throw new Unavailable(error);
    }
  }

  /** Probes the host from time to time, for a statement without a limit on its time. */
  async whileAnswering<T>(statement: Promise<T>): Promise<T> {
    const timer = setInterval(() => this.#startProbing(), this.#patienceMs).unref();
    try {
      return await statement;
    } finally {
      clearInterval(timer);
    }
  }

  /** Waits for connections that the caller closes; for a silent host at most a second. */
  async close(): Promise<void> {
    clearInterval(this.#probing);
    const timer = setTimeout(() => this.#destroyAll(), CLOSE_MS);
    await Promise.all([...this.#received.keys()].map(untilClosed));
    clearTimeout(timer);
  }

  #setUp(refusal: ClientSetup['refusal']): ClientSetup {
    const socket = new Socket();
    this.#received.set(socket, 0);
    socket.once('close', () => this.#received.delete(socket));
    return { config: this.#config, socket, refusal, hosts: this.#hosts, setup: this.#setup };
  }

  #startProbing(): void {
    if (this.#probing !== undefined) return;
    this.#quietTicks = 0;
    this.#hasReceived();
    this.#probing = setInterval(() => this.#tick(), this.#intervalMs).unref();
    void this.#probe();
  }

  /** Ticks instead of a duration: between two of them a blocked event loop reads what has arrived. */
  #tick(): void {
    if (this.#hasReceived()) this.#quietTicks = 0;
    else if (++this.#quietTicks === this.#maxQuietTicks) {
      this.#silence = Object.assign(new Error('The host of PostgreSQL does not answer'), { code: 'ETIMEDOUT' });
      this.#destroyAll(this.#silence);
    }
    if (this.#probes < MAX_PROBES) void this.#probe();
  }

  #hasReceived(): boolean {
    let result = false;
    for (const [socket, before] of this.#received) {
      result ||= socket.bytesRead > before;
      this.#received.set(socket, socket.bytesRead);
    }
    return result;
  }

  async #probe(): Promise<void> {
    this.#probes++;
    const client = new Client(this.#setUp(() => undefined));
    const answered = await client.connect().then(
      () => true,
      (error) => !showsSilence(error),
    );
    this.#probes--;
    void client.end();
    if (!answered) return;
    clearInterval(this.#probing);
    this.#probing = undefined;
    this.#silence = undefined;
  }

  /** Over a separate connection. @throws the error of a host that does not answer */
  async #takesWrites({ host, port }: PostgresHost): Promise<boolean> {
    const { connectionTimeoutMillis = SEARCH_MS } = this.#config;
    const timeoutMs = Math.min(SEARCH_MS, connectionTimeoutMillis);
    const client = new pg.Client({ ...this.#config, connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs });
    client.on('error', ignore);
    try {
      await Object.assign(client, { host, port }).connect();
      const { rows } = await client.query<{ transaction_read_only: string }>('show transaction_read_only');
      return rows[0]?.transaction_read_only === 'off';
    } finally {
      void client.end().catch(ignore);
    }
  }

  #destroyAll(error?: Error): void {
    for (const socket of this.#received.keys()) socket.destroy(error);
  }
}

const untilClosed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.once('close', () => resolve());
  });

interface ClientSetup {
  config: pg.ClientConfig;
  socket: Socket;
  /** The error with which a connection fails without an attempt. */
  refusal: () => Error | undefined;
  hosts?: Hosts | undefined;
  /** The first query of a connection. */
  setup?: string | undefined;
}

export class Client extends pg.Client {
  readonly socket: Socket;
  readonly #own: ClientSetup;

  constructor(own: ClientSetup) {
    const { config, socket, hosts } = own;
    super({ ...config, stream: () => socket });
    this.socket = socket;
    this.#own = own;
    // Errors of statements reject their promises. An error between statements has no promise; without a handler it would end
    // the process.
    this.on('error', ignore);
    this.on('end', () => hosts?.forget());
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error | null) => void): void;
  override connect(callback?: (error: Error | null) => void): Promise<pg.Client> | void {
    const { promise, resolve, reject } = Promise.withResolvers<pg.Client>();
    const settle = (error: Error | null): void => {
      // The first query of the connection, because a transaction that is rolled back would undo it.
      if (!error && this.#own.setup !== undefined) this.query(this.#own.setup, ignore);
      if (callback !== undefined) callback(error);
      else if (error) reject(error);
      else resolve(this);
    };
    const fail = (error: Error): void => {
      this.socket.destroy();
      process.nextTick(settle, error);
    };
    const connectTo = (host?: PostgresHost): void => {
      if (this.socket.destroyed) return fail(new Error('Connection terminated'));
      Object.assign(this, host);
      super.connect(settle);
    };
    const refusal = this.#own.refusal();
    if (refusal !== undefined) fail(refusal);
    else if (this.#own.hosts === undefined) connectTo();
    else this.#own.hosts.primary().then(connectTo, fail);
    return callback === undefined ? promise : undefined;
  }
}
