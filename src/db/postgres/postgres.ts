import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { Unavailable, UsageError } from '#platform/errors.ts';
import { type QueryResult, type CallbackQuery, queryWithCallback } from './query-callback.ts';
import {
  type Cell,
  type Db,
  type KeyedHash,
  type MigrationTx,
  type Queryable,
  safeNumber,
  type Snapshot,
  type TransactionOptions,
  type Versions,
} from '../db.ts';
import { CredentialNotifications } from './credential-notifications.ts';
import { Pipeline } from './pipeline.ts';
import { isSelect, type Sql, textOf } from '../sql.ts';
import { Supervisor } from './supervisor.ts';

const MIGRATION_LOCK = 0x5c07e;
const INT8 = 20;
const NUMERIC = 1700;
/** The longest wait for a place in the pool, and for all steps of a new connection together. */
const CONNECT_TIMEOUT_MS = 15_000;
/** TCP then looks every second whether the host is there, and gives up after ten (libuv). */
const KEEP_ALIVE_AFTER_MS = 10_000;

/** Opens a PostgreSQL database. `bigint` and sums are read as numbers: every key, timestamp and count is below 2^53. */
export async function openPostgres(url: string, keyedHash: KeyedHash, timeoutMs: number): Promise<Db> {
  const config = {
    connectionString: url,
    types: { getTypeParser: parserOf },
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    pipeline: true,
  };
  const supervisor = new Supervisor(config, timeoutMs);
  const pool = new pg.Pool({ ...config, max: 8, Client: supervisor.Client });
  // The pool replaces a connection that breaks while idle; a query in between fails with its own error.
  pool.on('error', ignore);
  // Errors of statements reject their promises. An error between statements has no promise; without a handler it would end
  // the process. The handler must be there before the pool hands the connection out: one packet may hold the server's
  // last answer and the message that it shuts down.
  pool.on('connect', (client) => client.on('error', ignore));
  const db = new PostgresDb(pool, keyedHash, supervisor);
  try {
    await db.tuples({ strings: ['select 1'], values: [] });
  } catch (error) {
    await db.close();
    throw refusalOf(error, url) ?? error;
  }
  return db;
}

/** What the operator can do where the server responds, but refuses the connection. */
function refusalOf(error: unknown, url: string): UsageError | undefined {
  const { cause } = error as { cause?: { code?: string } };
  const { pathname, username } = new URL(url);
  const [name, role] = [decodeURIComponent(pathname.slice(1)), decodeURIComponent(username)];
  const remedies: Record<string, string> = {
    '3D000': `The PostgreSQL database "${name}" does not exist. Create it (createdb --owner ${role || 'ROLE'} ${name}) or change DATABASE_URL.`,
    '28000': `PostgreSQL refuses the role "${role}": it does not exist, or may not connect. Create it (createuser --pwprompt ${role || 'ROLE'}) or change DATABASE_URL.`,
    '28P01': `PostgreSQL refuses the role "${role}": it does not exist, or DATABASE_URL has a wrong password for it.`,
  };
  const remedy = remedies[cause?.code ?? ''];
  return remedy === undefined ? undefined : new UsageError(remedy);
}

/** Parses `bigint` and `numeric`, which may have a fraction; a number beyond 2^53 becomes the largest safe integer. */
function numberOf(text: string): number {
  const number = Number(text);
  return Math.abs(number) > Number.MAX_SAFE_INTEGER ? safeNumber(number) : number;
}

const parserOf = ((type: number, format?: 'text' | 'binary') =>
  type === INT8 || type === NUMERIC
    ? numberOf
    : pg.types.getTypeParser(type, format as 'text')) as typeof pg.types.getTypeParser;

const statementTexts = new WeakMap<readonly string[], string>();
const names = new Map<string, string>();

interface Statement {
  name: string;
  text: string;
  values: unknown[];
}

function statementOf(query: Sql): Statement {
  const text = textOf(query, statementTexts, (place) => `$${place}`);
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = hash('sha1', text, 'base64url')));
  return { name, text, values: query.values as unknown[] };
}

type SendQuery = (query: CallbackQuery) => Promise<QueryResult>;

class Connection implements MigrationTx {
  readonly remote = true;
  readonly keyedHash: KeyedHash;
  readonly #send: SendQuery;

  constructor(send: SendQuery, keyedHash: KeyedHash) {
    this.keyedHash = keyedHash;
    this.#send = send;
  }

  async all<R>(query: Sql): Promise<R[]> {
    return (await this.#query(statementOf(query))).rows as R[];
  }

  async get<R>(query: Sql): Promise<R | undefined> {
    return (await this.all<R>(query))[0];
  }

  async tuples(query: Sql): Promise<Cell[][]> {
    return (await this.#query({ ...statementOf(query), rowMode: 'array' })).rows as Cell[][];
  }

  async tuple(query: Sql): Promise<Cell[] | undefined> {
    return (await this.tuples(query))[0];
  }

  async run(query: Sql): Promise<number> {
    return (await this.#query(statementOf(query))).rowCount ?? 0;
  }

  async runAll(queries: readonly Sql[]): Promise<void> {
    await Promise.all(queries.map((query) => this.run(query)));
  }

  async script(statements: string): Promise<void> {
    await this.#query(postgresScript(statements));
  }

  #query(query: CallbackQuery): Promise<QueryResult> {
    return translateOutage(this.#send(query));
  }
}

class PostgresDb extends Connection implements Db {
  readonly dialect = 'postgres';
  readonly shortReads: Queryable;
  readonly #pool: pg.Pool;
  readonly #pipeline: Pipeline;
  readonly #notifications: CredentialNotifications;
  readonly #supervisor: Supervisor;

  constructor(pool: pg.Pool, keyedHash: KeyedHash, supervisor: Supervisor) {
    super((query) => queryWithCallback(pool, query), keyedHash);
    const pipeline = new Pipeline(() => supervisor.open());
    this.shortReads = new Connection((query) => pipeline.query(query), keyedHash);
    this.#pool = pool;
    this.#pipeline = pipeline;
    this.#notifications = new CredentialNotifications(() => supervisor.open());
    this.#supervisor = supervisor;
  }

  versions(): Versions {
    return { anything: undefined, matches: undefined, credentials: this.#notifications.count, databaseId: undefined };
  }

  override async all<R>(query: Sql): Promise<R[]> {
    const rows = await super.all<R>(query);
    if (!isSelect(query)) this.#notifications.countOwnWrite();
    return rows;
  }

  override async tuples(query: Sql): Promise<Cell[][]> {
    const rows = await this.shortReads.tuples(query);
    if (!isSelect(query)) this.#notifications.countOwnWrite();
    return rows;
  }

  override async run(query: Sql): Promise<number> {
    const changed = await retryConflicts(() => super.run(query));
    this.#notifications.countOwnWrite();
    return changed;
  }

  override runAll(queries: readonly Sql[]): Promise<void> {
    return this.transaction((tx) => tx.runAll(queries));
  }

  /** Disposing the snapshot closes its connection, which ends the transaction. */
  async snapshot(): Promise<Snapshot> {
    const client = await this.#connect();
    const snapshot = this.#connectionOf(client);
    const close = async (): Promise<void> => client.release(true);
    try {
      // What reads a snapshot may pause for as long as it needs (SESSION_PARAMETERS of the supervisor).
      await snapshot.script(
        'begin isolation level repeatable read, read only; set local idle_in_transaction_session_timeout = 0',
      );
    } catch (error) {
      await close();
      throw error;
    }
    return Object.assign(snapshot, { [Symbol.asyncDispose]: close });
  }

  transaction<T>(work: (tx: Queryable) => Promise<T>, { durable = true }: TransactionOptions = {}): Promise<T> {
    return retryConflicts(() =>
      this.#transact(async (client) => {
        if (!durable) await queryWithCallback(client, 'set local synchronous_commit = off');
        return await work(this.#connectionOf(client));
      }),
    );
  }

  async migrating(work: (tx: MigrationTx) => Promise<void>): Promise<void> {
    await this.#transact(async (client) => {
      await client.query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
      await work(this.#connectionOf(client));
    });
  }

  othersWait(): undefined {
    return undefined;
  }

  connections(): Record<'busy' | 'idle' | 'waiting', number> {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  async close(): Promise<void> {
    await Promise.all([this.#notifications.close(), this.#pipeline.close(), this.#pool.end()]);
    await this.#supervisor.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #connectionOf(client: pg.PoolClient): Connection {
    return new Connection((query) => queryWithCallback(client, query), this.keyedHash);
  }

  #connect(): Promise<pg.PoolClient> {
    return translateOutage(this.#pool.connect());
  }

  async #transact<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    let broken = false;
    try {
      await translateOutage(queryWithCallback(client, 'begin'));
      const result = await work(client);
      await translateOutage(queryWithCallback(client, 'commit'));
      this.#notifications.countOwnWrite();
      return result;
    } catch (error) {
      broken = await client.query('rollback').then(
        () => false,
        () => true,
      );
      throw error;
    } finally {
      client.release(broken);
    }
  }
}

const ignore = (): void => undefined;

/** serialization_failure and deadlock_detected: the server has rolled the transaction back, and it may succeed again. */
const CONFLICTS: ReadonlySet<unknown> = new Set(['40001', '40P01']);
const MAX_ATTEMPTS = 5;

/**
 * Repeats a transaction that lost a conflict with another one. The order of locks (`Keys.lock`) avoids deadlocks among our
 * own statements; foreign keys, triggers and other programs may still cause one.
 */
async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !CONFLICTS.has((error as { code?: unknown }).code)) throw error;
    }
    await pause(Math.random() * 10 * attempt);
  }
}

/** Rethrows the error of a server that is unreachable or shutting down as `Unavailable`; errors of statements pass. */
async function translateOutage<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    // pg creates the error where it reads the server's message; the useful stack is that of the caller.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw isOutage(error) ? new Unavailable(error) : error;
  }
}

function isOutage(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  if (/^(ECONN|ENOTFOUND|EPIPE|ETIMEDOUT|EHOST|ENET|ENOENT|EAI_|08|25P03|57P|53|28|3D)/.test(code ?? '')) return true;
  return code === undefined && /connection|timeout|terminat/i.test(message ?? '');
}

/** Uncomments the PostgreSQL parts of a migration; those for SQLite stay comments. */
function postgresScript(statements: string): string {
  return statements.replace(/\/\*postgres:(.*?)\*\//gs, '$1');
}
