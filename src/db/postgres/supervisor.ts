import { Socket } from 'node:net';
import pg from 'pg';

/** Ticks in half of the timeout: after the first half a silent connection is checked, the second half is for the check. */
const CHECK_TICKS = 5;
/** How many ticks a closing connection waits for the server to close it, after the last answer. */
const CLOSE_TICKS = 1;
/** The longest time between two checks of a connection whose statement runs on, as a multiple of half of the timeout. */
const MAX_BACKOFF = 32;

/** Errors of the system where no packet came back. Every other error is an answer of the host or of the server. */
const NO_ANSWER = /^(ETIMEDOUT|EHOST|ENET|EAI_|ENOTFOUND)/;

/**
 * Session parameters that end the session of a client that has vanished, and with it its locks: within half a minute by
 * TCP, and within a minute where a proxy between the two keeps the connection. Each replaces the default of PostgreSQL, or of
 * the system where PostgreSQL shows that; what the operator has set is left alone. A socket file has no keepalives.
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
  select pg_backend_pid() as pid,
    count(case when current_setting(name, true) = usual then set_config(name, value, false) end)
  from (values ${Object.entries(SESSION_PARAMETERS)
    .map(([name, { default: usual, value }]) => `('${name}', '${usual}', '${value}')`)
    .join(', ')}) as wanted (name, usual, value)`;

const ACTIVE_SESSIONS = `select pid from pg_stat_activity where state is distinct from 'idle'
  and state is distinct from 'idle in transaction' and state is distinct from 'idle in transaction (aborted)'`;

/**
 * Finds connections on which no answer will come: a host that lost its power, or a network that drops packets, closes no
 * connection, and TCP waits for it for a quarter of an hour. A statement may take hours, so its duration says nothing.
 * When a connection waits for an answer and receives nothing for half of the timeout, a new connection asks the server
 * which sessions are running a statement. Without an answer the host is silent: all connections end, and new ones fail
 * at once until the server answers a check. With an answer, connections end whose session runs nothing.
 *
 * The time is counted in ticks of a timer, so that neither a blocked event loop nor a suspended process looks like a
 * silent host: between two ticks the event loop reads what has arrived.
 */
export class Supervisor {
  /** The class of supervised clients, for a pool. */
  readonly Client: new (config?: pg.ClientConfig) => SupervisedClient;
  readonly #config: pg.ClientConfig;
  readonly #timeoutMs: number;
  readonly #timer: NodeJS.Timeout;
  readonly #clients = new Set<SupervisedClient>();
  #silent = false;
  #check: Check | undefined;
  #checkTicks = 0;
  /** Since a connection has received something. */
  #quietTicks = 0;

  constructor(config: pg.ClientConfig, timeoutMs: number) {
    this.#config = config;
    this.#timeoutMs = timeoutMs;
    this.#timer = setInterval(() => this.#tick(), timeoutMs / 2 / CHECK_TICKS).unref();
    const add = (client: SupervisedClient): void => this.#add(client);
    this.Client = class extends SupervisedClient {
      constructor(clientConfig?: pg.ClientConfig) {
        super(clientConfig);
        add(this);
      }
    };
  }

  open(): SupervisedClient {
    return new this.Client(this.#config);
  }

  /** Waits until all connections have closed, which the caller has begun. */
  async close(): Promise<void> {
    await Promise.all([...this.#clients].map((client) => client.closed));
    clearInterval(this.#timer);
    this.#check?.abandon();
  }

  #add(client: SupervisedClient): void {
    this.#clients.add(client);
    void client.closed.then(() => this.#clients.delete(client));
    if (this.#silent) client.refuse(this.#silence());
  }

  #tick(): void {
    this.#quietTicks++;
    for (const client of this.#clients) {
      if (client.tick()) this.#quietTicks = 0;
      if (client.mustEnd) client.abandon(this.#silence());
    }
    if (this.#check === undefined) {
      if (this.#silent || this.#suspects().length > 0) this.#startCheck();
    } else if (++this.#checkTicks >= CHECK_TICKS) this.#endCheckWithoutAnswer();
  }

  #suspects(): SupervisedClient[] {
    return [...this.#clients].filter((client) => client.isSuspect);
  }

  #startCheck(): void {
    this.#check = new Check(this.#config);
    this.#checkTicks = 0;
    void this.#follow(this.#check);
  }

  async #follow(check: Check): Promise<void> {
    const outcome = await check.run();
    if (this.#check !== check) return;
    // The other connections have the rest of the time to receive something.
    if (outcome === 'no answer' && !this.#silent) return;
    this.#check = undefined;
    this.#silent = outcome === 'no answer';
    if (outcome !== 'no answer') for (const client of this.#suspects()) client.applyCheck(outcome);
  }

  /** A server that serves its connections, but accepts no new one, is not silent. */
  #endCheckWithoutAnswer(): void {
    this.#check?.abandon();
    this.#check = undefined;
    this.#silent = this.#quietTicks >= CHECK_TICKS;
    if (this.#silent) this.#abandonAll();
    else for (const client of this.#suspects()) client.applyCheck(undefined);
  }

  #abandonAll(): void {
    for (const client of this.#clients) client.abandon(this.#silence());
  }

  #silence(): Error {
    const sentence = `PostgreSQL has not answered within ${this.#timeoutMs / 1000} seconds`;
    return Object.assign(new Error(sentence), { code: 'ETIMEDOUT' });
  }
}

/** The process ids of the sessions that run a statement; undefined where the server answered with an error. */
type Active = ReadonlySet<number> | undefined;

/** Asks the server on a new connection which sessions run a statement. */
class Check {
  readonly #socket = new Socket();
  readonly #client: pg.Client;

  constructor(config: pg.ClientConfig) {
    this.#client = new pg.Client({ ...config, connectionTimeoutMillis: 0, stream: () => this.#socket });
    this.#client.on('error', () => undefined);
  }

  async run(): Promise<Active | 'no answer'> {
    try {
      await this.#client.connect();
      const { rows } = await this.#client.query<{ pid: number }>(ACTIVE_SESSIONS);
      return new Set(rows.map(({ pid }) => pid));
    } catch (error) {
      return NO_ANSWER.test((error as { code?: string }).code ?? '') ? 'no answer' : undefined;
    } finally {
      void this.#client.end().catch(() => undefined);
      this.#socket.unref();
    }
  }

  abandon(): void {
    this.#socket.destroy();
  }
}

/** A client that counts the ticks in which it waits for the server and receives nothing. */
export class SupervisedClient extends pg.Client {
  readonly socket: Socket;
  /** Resolves when the socket has closed. */
  readonly closed: Promise<void>;
  /** From the beginning: for the answer of a new connection. */
  #waits = true;
  #ends = false;
  #refusal: Error | undefined;
  /** Null where the server did not answer the query for it. */
  #pid: number | undefined | null;
  #bytes = 0;
  #unsent = 0;
  #quietTicks = 0;
  #backoff = 1;
  /** Whether the session runs no statement, so that an answer arrives before the next tick or never. */
  #isIdleOnServer = false;

  constructor(config?: pg.ClientConfig) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.socket = socket;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    socket.once('close', () => resolve());
    this.on('drain', () => (this.#waits = false));
  }

  /** Whether the server should be asked if the session still runs a statement. */
  get isSuspect(): boolean {
    return this.#waits && this.#quietTicks >= CHECK_TICKS * this.#backoff;
  }

  /** Whether the connection has to be destroyed: its session runs no statement, or the server does not confirm the close. */
  get mustEnd(): boolean {
    return this.#quietTicks > 0 && (this.#isIdleOnServer || (!this.#waits && this.#quietTicks > CLOSE_TICKS));
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error | null) => void): void;
  override connect(callback?: (error: Error | null) => void): Promise<pg.Client> | void {
    const { promise, resolve, reject } = Promise.withResolvers<pg.Client>();
    const settle = (error: Error | null): void => {
      // The first query of the connection, because later ones may take long.
      if (!error) this.#setUpSession();
      if (callback !== undefined) callback(error);
      else if (error) reject(error);
      else resolve(this);
    };
    if (this.#refusal === undefined) super.connect(settle);
    else process.nextTick(settle, this.#refusal);
    return callback === undefined ? promise : undefined;
  }

  override query(...args: unknown[]): never {
    this.#waits = true;
    return (super.query as (...args: unknown[]) => never).apply(this, args);
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | void {
    this.#ends = true;
    return callback === undefined ? super.end() : super.end(callback);
  }

  /** Returns whether something has arrived since the last tick. */
  tick(): boolean {
    const { bytesRead } = this.socket;
    const { writableLength } = this.connection.stream;
    const hasReceived = bytesRead !== this.#bytes;
    // The network has accepted the rest of a long statement, which arrives a little later.
    const hasSent = writableLength < this.#unsent;
    this.#bytes = bytesRead;
    this.#unsent = writableLength;
    if (!hasReceived && !hasSent && (this.#waits || this.#ends)) this.#quietTicks++;
    else [this.#quietTicks, this.#backoff, this.#isIdleOnServer] = [0, 1, false];
    return hasReceived;
  }

  applyCheck(active: Active): void {
    if (this.#quietTicks === 0) return;
    const runs = active === undefined || this.#pid === null || active.has(this.#pid ?? 0);
    if (!runs && !this.#isSending) this.#isIdleOnServer = true;
    else this.#backoff = Math.min(2 * this.#backoff, MAX_BACKOFF);
  }

  /**
   * Whether a part of a long statement is still unsent: PostgreSQL shows the session as idle until the statement has arrived
   * whole. The time is limited, because Node does not show whether the network still accepts bytes.
   */
  get #isSending(): boolean {
    return this.#unsent > 0 && this.#backoff < MAX_BACKOFF;
  }

  /**
   * Fails the attempt to connect, which has not begun. Many requests would otherwise start as many lookups of the host's
   * name, behind which that of a check would wait.
   */
  refuse(error: Error): void {
    this.#refusal = error;
    this.socket.destroy();
  }

  abandon(error: Error): void {
    this.socket.destroy(error);
  }

  #setUpSession(): void {
    super.query<{ pid: number }>(SESSION_SETUP).then(
      ({ rows }) => (this.#pid = rows[0]!.pid),
      () => (this.#pid = null),
    );
  }
}
