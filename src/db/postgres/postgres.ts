import { hash } from 'node:crypto';
import pg from 'pg';
import { driverUrl, looksForPrimary, parsePostgresUrl, postgresUrlProblem } from '#platform/config/postgres-url.ts';
import { Unavailable, UsageError } from '#platform/errors.ts';
import { type CallbackQuery, type QueryResult, queryWithCallback, type SendQuery } from './query-callback.ts';
import {
  asPart,
  type Cell,
  type Db,
  type DbOptions,
  type KeyedHash,
  type MigrationTx,
  type OlderServices,
  type Outages,
  type Queryable,
  type Snapshot,
  type Transaction,
  type TransactionOptions,
  type Versions,
} from '../db.ts';
import { connectionRefusal, refuseServer, refusingWrites, retryConflicts } from './refusals.ts';
import { Connections } from './connections.ts';
import { CredentialNotifications } from './credential-notifications.ts';
import { typeParser } from './column-types.ts';
import { Pipeline } from './pipeline.ts';
import { olderServices } from './service-sessions.ts';
import { isSelect, type Sql, statementText } from '../sql.ts';

const MIGRATION_LOCK = 0x5c07e;
const POOL_TIMEOUT_MS = 15_000;
/** How long a statement without a time-out waits for a silent host. */
const PATIENCE_MS = 60_000;

type PostgresOptions = Required<Pick<DbOptions, 'keyedHash' | 'prepared'>> &
  Pick<DbOptions, 'timeoutMs' | 'sessionName'>;

/**
 * Opens a PostgreSQL database. `bigint` and sums are read as numbers: every key, timestamp and count is below 2^53.
 * @throws UsageError if the address is wrong, or the server is not one that the program can use
 */
export async function openPostgres(
  text: string,
  { keyedHash, timeoutMs, prepared, sessionName }: PostgresOptions,
): Promise<Db> {
  const problem = postgresUrlProblem(text);
  if (problem !== undefined) throw new UsageError(`The address of PostgreSQL ${problem}.`);
  const address = parsePostgresUrl(text)!;
  const config = {
    ...{ connectionString: driverUrl(address), types: { getTypeParser: typeParser } },
    ...(sessionName !== undefined && { application_name: sessionName }),
  };
  const patienceMs = timeoutMs ?? PATIENCE_MS;
  const hosts = looksForPrimary(address) ? address.hosts : undefined;
  const connections = new Connections({ config, hosts, timeoutMs: patienceMs, keepsSession: prepared });
  const pool = new pg.Pool({ max: 8, connectionTimeoutMillis: POOL_TIMEOUT_MS, Client: connections.Client });
  // The pool replaces a connection that breaks while idle; a query in between fails with its own error.
  pool.on('error', ignore);
  const pipeline = new Pipeline(() => connections.open(), patienceMs);
  const notifications = new CredentialNotifications(prepared ? () => connections.open() : undefined);
  const db = new PostgresDb({ pool, pipeline, notifications, connections, keyedHash, timeoutMs, prepared });
  try {
    await refuseServer(db);
  } catch (error) {
    await db.close();
    throw connectionRefusal(error, address.url);
  }
  return db;
}

const statementTexts = new WeakMap<readonly string[], string>();
const names = new Map<string, string>();

interface Statement {
  name?: string;
  text: string;
  values: unknown[];
}

function toStatement(query: Sql, prepared: boolean): Statement {
  const text = statementText(query, statementTexts, (place) => `$${place}`);
  if (!prepared) return { text, values: query.values as unknown[] };
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = hash('sha1', text, 'base64url')));
  return { name, text, values: query.values as unknown[] };
}

type ConnectionDeps = Pick<Deps, 'connections' | 'keyedHash' | 'prepared'>;

class Connection implements MigrationTx {
  declare readonly isOpen: true;
  readonly remote = true;
  hasWritten = false;
  /** The last error of a statement, without those of statements that fail only because of one before them. */
  failure: unknown;
  readonly keyedHash: KeyedHash;
  readonly #connections: Connections;
  readonly #prepared: boolean;
  readonly #send: SendQuery;

  constructor({ connections, keyedHash, prepared }: ConnectionDeps, send: SendQuery) {
    this.#connections = connections;
    this.keyedHash = keyedHash;
    this.#prepared = prepared;
    this.#send = send;
  }

  async all<R>(query: Sql): Promise<R[]> {
    return (await this.#query(toStatement(query, this.#prepared), !isSelect(query))).rows as R[];
  }

  async get<R>(query: Sql): Promise<R | undefined> {
    return (await this.all<R>(query))[0];
  }

  async tuples(query: Sql): Promise<Cell[][]> {
    return (await this.#query({ ...toStatement(query, this.#prepared), rowMode: 'array' }, !isSelect(query)))
      .rows as Cell[][];
  }

  async tuple(query: Sql): Promise<Cell[] | undefined> {
    return (await this.tuples(query))[0];
  }

  async run(query: Sql): Promise<number> {
    return (await this.#query(toStatement(query, this.#prepared), true)).rowCount ?? 0;
  }

  async runAll(queries: readonly Sql[]): Promise<void> {
    await Promise.all(queries.map((query) => this.run(query)));
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return asPart(this, work);
  }

  async script(statements: string): Promise<void> {
    await this.#query({ text: postgresScript(statements) }, false);
  }

  async #query(query: CallbackQuery, writes: boolean): Promise<QueryResult> {
    try {
      const result = await this.#connections.translateOutage(this.#send(query));
      if (writes) this.hasWritten = true;
      return result;
    } catch (error) {
      if ((error as { code?: unknown }).code !== IN_FAILED_TRANSACTION) this.failure = error;
      throw error;
    }
  }
}

type Deps = PostgresOptions & {
  pool: pg.Pool;
  pipeline: Pipeline;
  notifications: CredentialNotifications;
  connections: Connections;
};

class PostgresDb extends Connection implements Db {
  readonly dialect = 'postgres';
  readonly outages: Outages;
  readonly shortReads: Queryable;
  readonly #deps: Deps;

  constructor(deps: Deps) {
    const send = sendOver(deps.pool, deps);
    super(deps, send);
    // A statement that may take any time would delay the short reads of others.
    this.shortReads = new Connection(deps, deps.timeoutMs === undefined ? send : (query) => deps.pipeline.query(query));
    this.#deps = deps;
    this.outages = deps.connections.outages;
  }

  withoutTimeout(): Db {
    return new PostgresDb({ ...this.#deps, timeoutMs: undefined });
  }

  versions(): Versions {
    return { credentials: this.#deps.notifications.count };
  }

  override async all<R>(query: Sql): Promise<R[]> {
    const rows = await super.all<R>(query);
    if (!isSelect(query)) this.#committed();
    return rows;
  }

  override async tuples(query: Sql): Promise<Cell[][]> {
    const rows = await this.shortReads.tuples(query);
    if (!isSelect(query)) this.#committed();
    return rows;
  }

  override async run(query: Sql): Promise<number> {
    const changed = await retryConflicts(() => super.run(query));
    this.#committed();
    return changed;
  }

  override runAll(queries: readonly Sql[]): Promise<void> {
    return this.transaction((tx) => tx.runAll(queries));
  }

  /** Its statements have the time-out of the others. */
  async snapshot(): Promise<Snapshot> {
    const client = await this.#connect();
    const snapshot = new Connection(this.#deps, refusingWrites(sendOver(client, this.#deps)));
    const close = async (): Promise<void> => {
      let broken = snapshot.failure instanceof Unavailable;
      if (!broken) await snapshot.script('rollback').catch(() => (broken = true));
      client.release(broken);
    };
    try {
      // A reader of a snapshot may pause for any time (SESSION_PARAMETERS).
      await snapshot.script(
        'begin isolation level repeatable read, read only; set local idle_in_transaction_session_timeout = 0',
      );
    } catch (error) {
      await close();
      throw error;
    }
    return Object.assign(snapshot, { [Symbol.asyncDispose]: close });
  }

  override transaction<T>(
    work: (tx: Transaction) => Promise<T>,
    { durable = true }: TransactionOptions = {},
  ): Promise<T> {
    return retryConflicts(() =>
      this.#transact(this.#deps.timeoutMs, async (session) => {
        if (!durable) await session.script('set local synchronous_commit = off');
        return await work(session);
      }),
    );
  }

  async migrating(work: (tx: MigrationTx) => Promise<void>): Promise<void> {
    await this.#transact(undefined, async (session) => {
      await session.script(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
      await work(session);
    });
  }

  async untilMigrated(): Promise<void> {
    await this.#transact(undefined, (session) =>
      session.script(`select pg_advisory_xact_lock_shared(${MIGRATION_LOCK})`),
    );
  }

  /** Behind a pooler sessions are not those of a process, so it finds none. */
  async olderServices(known: number): Promise<OlderServices> {
    return Object.assign(new DisposableStack(), { names: this.#deps.prepared ? await olderServices(this, known) : [] });
  }

  logBytes(): number {
    return 0;
  }

  othersWait(): undefined {
    return undefined;
  }

  connections(): Record<'busy' | 'idle' | 'waiting', number> {
    const { totalCount, idleCount, waitingCount } = this.#deps.pool;
    return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  async close(): Promise<void> {
    const { pool, notifications, pipeline, connections } = this.#deps;
    await pool.end();
    await Promise.all([notifications.close(), pipeline.close(), connections.close()]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #committed(): void {
    this.outages.committed();
    this.#deps.notifications.countOwnWrite();
  }

  #connect(): Promise<pg.PoolClient> {
    return this.#deps.connections.translateOutage(this.#deps.pool.connect());
  }

  async #transact<T>(timeoutMs: number | undefined, work: (session: Connection) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    const session = new Connection(this.#deps, sendOver(client, { ...this.#deps, timeoutMs }));
    let broken = false;
    try {
      await session.script('begin');
      const result = await work(session);
      await session.script('commit');
      if (session.hasWritten) this.#committed();
      return result;
    } catch (thrown) {
      const error = (thrown as { code?: unknown }).code === IN_FAILED_TRANSACTION ? session.failure : thrown;
      // A new connection finds the server that has taken over from one that has become read-only.
      broken = error instanceof Unavailable;
      await session.script('rollback').catch(() => (broken = true));
      throw error;
    } finally {
      client.release(broken);
    }
  }
}

/** pg ends the connection of a query that timed out. */
function sendOver(
  client: pg.Pool | pg.PoolClient,
  { connections, timeoutMs }: Pick<Deps, 'connections' | 'timeoutMs'>,
): SendQuery {
  if (timeoutMs === undefined) return (query) => connections.whileAnswering(queryWithCallback(client, query));
  return (query) => queryWithCallback(client, { ...query, query_timeout: timeoutMs });
}

const ignore = (): void => undefined;

/** in_failed_sql_transaction */
const IN_FAILED_TRANSACTION = '25P02';
/** Uncomments the PostgreSQL parts of a migration; those for SQLite stay comments. */
function postgresScript(statements: string): string {
  return statements.replace(/\/\*postgres:(.*?)\*\//gs, '$1');
}
