import { hash } from 'node:crypto';
import pg from 'pg';
import { Unavailable } from '#platform/errors.ts';
import { type QueryCallback, type CallbackQuery, queryWithCallback } from './query-callback.ts';
import {
  type Cell,
  type Db,
  type KeyedHash,
  type MigrationTx,
  type Queryable,
  safeNumber,
  type Snapshot,
  type Versions,
} from '../db.ts';
import { CredentialNotifications } from './credential-notifications.ts';
import { Pipeline } from './pipeline.ts';
import { reads, type Sql, textOf } from '../sql.ts';

const MIGRATION_LOCK = 0x5c07e;
const INT8 = 20;
const NUMERIC = 1700;
const READ_TIMEOUT_MS = 15_000;

/** Opens a pool on a PostgreSQL server. `bigint` and sums come as numbers: every key, moment and count is below 2^53. */
export async function openPostgres(url: string, keyedHash: KeyedHash): Promise<Db> {
  const config = {
    connectionString: url,
    types: { getTypeParser: parserOf },
    connectionTimeoutMillis: READ_TIMEOUT_MS,
    keepAlive: true,
    pipeline: true,
  };
  const pool = new pg.Pool({ ...config, max: 8 });
  // A connection that breaks while idle is replaced by the pool; whoever needs one meanwhile gets the error itself.
  pool.on('error', ignore);
  const db = new PostgresDb(pool, keyedHash, {
    pipeline: new Pipeline(config),
    notices: new CredentialNotifications(url),
  });
  try {
    await db.tuples({ strings: ['select 1'], values: [] });
  } catch (error) {
    await db.close();
    throw error;
  }
  return db;
}

/** Sums may have a fraction; what is whole and too large is told as the largest number that is. */
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

type SendQuery = (asked: CallbackQuery) => Promise<QueryCallback>;

class Connection implements MigrationTx {
  readonly remote = true;
  readonly keyedHash: KeyedHash;
  readonly #ask: SendQuery;

  constructor(ask: SendQuery, keyedHash: KeyedHash) {
    this.keyedHash = keyedHash;
    this.#ask = ask;
  }

  async all<R>(query: Sql): Promise<R[]> {
    return (await this.#answer(statementOf(query))).rows as R[];
  }

  async get<R>(query: Sql): Promise<R | undefined> {
    return (await this.all<R>(query))[0];
  }

  async tuples(query: Sql): Promise<Cell[][]> {
    return (await this.#answer({ ...statementOf(query), rowMode: 'array' })).rows as Cell[][];
  }

  async tuple(query: Sql): Promise<Cell[] | undefined> {
    return (await this.tuples(query))[0];
  }

  async run(query: Sql): Promise<number> {
    return (await this.#answer(statementOf(query))).rowCount ?? 0;
  }

  async runAll(queries: readonly Sql[]): Promise<void> {
    await Promise.all(queries.map((query) => this.run(query)));
  }

  async script(statements: string): Promise<void> {
    await this.#answer(postgresScript(statements));
  }

  #answer(asked: CallbackQuery): Promise<QueryCallback> {
    return guarded(this.#ask(asked));
  }
}

class PostgresDb extends Connection implements Db {
  readonly dialect = 'postgres';
  readonly readSync = this;
  readonly shortReads: Queryable;
  readonly #pool: pg.Pool;
  readonly #pipeline: Pipeline;
  readonly #notices: CredentialNotifications;

  constructor(
    pool: pg.Pool,
    keyedHash: KeyedHash,
    { pipeline, notices }: { pipeline: Pipeline; notices: CredentialNotifications },
  ) {
    super((asked) => queryWithCallback(pool, asked), keyedHash);
    this.shortReads = new Connection((asked) => pipeline.query(asked), keyedHash);
    this.#pool = pool;
    this.#pipeline = pipeline;
    this.#notices = notices;
  }

  versions(): Versions {
    return { anything: undefined, matches: undefined, credentials: this.#notices.count, origin: undefined };
  }

  override async all<R>(query: Sql): Promise<R[]> {
    const rows = await super.all<R>(query);
    if (!reads(query)) this.#notices.note();
    return rows;
  }

  override async tuples(query: Sql): Promise<Cell[][]> {
    const rows = await this.shortReads.tuples(query);
    if (!reads(query)) this.#notices.note();
    return rows;
  }

  override async run(query: Sql): Promise<number> {
    const changed = await super.run(query);
    this.#notices.note();
    return changed;
  }

  override runAll(queries: readonly Sql[]): Promise<void> {
    return this.transaction((tx) => tx.runAll(queries));
  }

  /** Its connection ends with it, and the transaction with the connection. */
  async snapshot(): Promise<Snapshot> {
    const client = await this.#connect();
    const state = this.#within(client);
    const end = async (): Promise<void> => client.release(true);
    try {
      await state.script('begin isolation level repeatable read, read only');
    } catch (error) {
      await end();
      throw error;
    }
    return Object.assign(state, { [Symbol.asyncDispose]: end });
  }

  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.#transact((client) => work(this.#within(client)));
  }

  /** A commit is answered when it is on the server's disk. */
  async migrating(work: (tx: MigrationTx) => Promise<void>): Promise<void> {
    await this.#transact(async (client) => {
      await client.query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
      await work(this.#within(client));
    });
  }

  async close(): Promise<void> {
    await this.#notices.close();
    await this.#pipeline.close();
    await this.#pool.end();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #within(client: pg.PoolClient): Connection {
    return new Connection((asked) => queryWithCallback(client, asked), this.keyedHash);
  }

  async #connect(): Promise<pg.PoolClient> {
    const client = await guarded(this.#pool.connect());
    // Its statements fail by themselves; an error between two of them would end the process if nobody listened.
    client.on('error', ignore);
    return client;
  }

  async #transact<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    let broken = false;
    try {
      await guarded(queryWithCallback(client, 'begin'));
      const result = await work(client);
      await guarded(queryWithCallback(client, 'commit'));
      this.#notices.note();
      return result;
    } catch (error) {
      broken = await client.query('rollback').then(
        () => false,
        () => true,
      );
      throw error;
    } finally {
      if (!broken) client.off('error', ignore);
      client.release(broken);
    }
  }
}

const ignore = (): void => undefined;

/** Tells a server that cannot be reached (or that is going down) from a statement that is wrong. */
async function guarded<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    // It was made where the server's word was read: whoever looks for its cause looks for who asked.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw isOutage(error) ? new Unavailable(error) : error;
  }
}

function isOutage(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  if (/^(ECONN|ENOTFOUND|EPIPE|ETIMEDOUT|ENOENT|EAI_|08|57P|53)/.test(code ?? '')) return true;
  return code === undefined && /connection|timeout|terminat/i.test(message ?? '');
}

/** Migrations carry notes for one database only; those for SQLite are comments here already. */
function postgresScript(statements: string): string {
  return statements.replace(/\/\*postgres:(.*?)\*\//gs, '$1');
}
