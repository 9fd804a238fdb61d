import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { type RunningServices, openServices } from '#server/listeners.ts';
import type { TimerClock } from '#platform/clock.ts';
import { type ServiceName, type Environment, readConfig } from '#platform/config/config.ts';
import type { Db } from '#db/db.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { openDb } from '#db/open.ts';
import { migrate } from '#db/migrate.ts';
import { type AppContext, openAppContext } from '#context/context.ts';
import { copyPostgresDatabase, createPostgresDatabase, type TestDatabase } from './postgres.ts';

/** A clock that only moves by `advance`. */
export class TestClock implements TimerClock {
  #now: number;
  readonly #waiting = new Set<{ until: number; resolve: () => void }>();

  constructor(now = Date.parse('2026-03-01T12:00:00Z')) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  advance(ms: number): void {
    this.#now += ms;
    for (const { until, resolve } of this.#waiting) if (until <= this.#now) resolve();
  }

  async wait(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter = { until: this.#now + ms, resolve };
    this.#waiting.add(waiter);
    signal.addEventListener('abort', () => resolve(), { once: true });
    await promise;
    this.#waiting.delete(waiter);
  }
}

export const DIALECTS = ['sqlite', 'postgres'] as const;
export type Dialect = (typeof DIALECTS)[number];

/** Creates a database without tables. The caller drops it after closing its connections. */
export async function createEmptyDatabase(dialect: Dialect): Promise<TestDatabase> {
  if (dialect === 'postgres') return await createPostgresDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-test-'));
  return { url: join(folder, 'test.db'), drop: () => rm(folder, { recursive: true, force: true }) };
}

const RUNS_TESTS = process.env['TEST_COUNTS'] !== undefined;
/** One migrated database of each dialect, of which the others are copies. */
const migrated = new Map<Dialect, Promise<TestDatabase>>();

/**
 * Creates a migrated database without data, as a copy: running the migrations takes ten times the CPU time on SQLite and
 * five times on PostgreSQL. The copies have the same database id. The caller drops it after closing its connections.
 */
export async function createTestDatabase(dialect: Dialect): Promise<TestDatabase> {
  if (!RUNS_TESTS) return await migrateDatabase(dialect);
  if (!migrated.has(dialect)) migrated.set(dialect, migrateDatabase(dialect));
  const { url } = await migrated.get(dialect)!;
  if (dialect === 'postgres') return await copyPostgresDatabase(url);
  const copy = await createEmptyDatabase(dialect);
  await copyFile(url, copy.url);
  return copy;
}

// A hook outside of all tests runs after them.
if (RUNS_TESTS) after(dropMigrated);

async function dropMigrated(): Promise<void> {
  for (const database of migrated.values()) await (await database).drop();
}

async function migrateDatabase(dialect: Dialect): Promise<TestDatabase> {
  const database = await createEmptyDatabase(dialect);
  {
    await using db = await openDb(database.url);
    await migrate(db);
  }
  // The first connection after a migration writes PostgreSQL's cache of the catalogue, which the copies then have as well.
  await (await openDb(database.url)).close();
  return database;
}

/** Two migrated databases, which are closed and dropped when the test ends. */
export async function twoDatabases(t: TestContext, dialect: Dialect, keyedHash = secretHash): Promise<[Db, Db]> {
  const databases = await Promise.all([createTestDatabase(dialect), createTestDatabase(dialect)]);
  const opened = (await Promise.all(databases.map(({ url }) => openDb(url, { keyedHash })))) as [Db, Db];
  t.after(async () => {
    await Promise.all(opened.map((db) => db.close()));
    await Promise.all(databases.map((database) => database.drop()));
  });
  return opened;
}

type DatabaseTest = (t: TestContext, databaseUrl: string, dialect: Dialect) => Promise<void>;

/** Runs a test once on SQLite and once on PostgreSQL, each time on a separate migrated database without data. */
export function onEachDatabase(name: string, work: DatabaseTest): void {
  testOnEach(name, createTestDatabase, work);
}

/** Runs a test on SQLite alone, if its statements run on both databases in another test. */
export function onSqlite(name: string, work: DatabaseTest): void {
  testOnEach(name, createTestDatabase, work, ['sqlite']);
}

/** Like `onEachDatabase`, but without tables. */
export function onEachEmptyDatabase(name: string, work: DatabaseTest): void {
  testOnEach(name, createEmptyDatabase, work);
}

function testOnEach(
  name: string,
  create: typeof createTestDatabase,
  work: DatabaseTest,
  dialects: readonly Dialect[] = DIALECTS,
): void {
  for (const dialect of dialects) {
    test(`${name} (${dialect})`, async (t) => {
      const database = await create(dialect);
      // Hooks run in the order in which they were added: this one after those that close the test's connections.
      await work(t, database.url, dialect).finally(() => t.after(() => database.drop()));
    });
  }
}

export interface TestAppContext extends AppContext {
  clock: TestClock;
}

/** A test, or a suite of tests that share a world, which runs closing functions at its end. */
export interface Closing {
  after(close: () => PromiseLike<void>): void;
}

/** Opens a context, which is closed when the test ends. Its services listen on ports that the system chooses. */
export async function testContext(
  t: Closing,
  databaseUrl: string,
  settings: Environment = {},
): Promise<TestAppContext> {
  const listens = Object.fromEntries(
    ['API', 'AUTH', 'SITE', 'INGEST', 'INTERNAL'].map((service) => [`${service}_LISTEN`, '127.0.0.1:0']),
  );
  const secret = { SECRET_KEY: 'a secret that is long enough for tests' };
  const config = readConfig({ ...listens, ...secret, LOG_LEVEL: 'silent', DATABASE_URL: databaseUrl, ...settings });
  const context = await openAppContext(config, new TestClock());
  t.after(() => context[Symbol.asyncDispose]());
  return context as TestAppContext;
}

/** Starts services of a context on real sockets. They stop before the context closes. */
export async function testServices(context: AppContext, names: ServiceName[]): Promise<RunningServices['addresses']> {
  const services = await openServices(context, names);
  const closeContext = context[Symbol.asyncDispose].bind(context);
  context[Symbol.asyncDispose] = async () => {
    await services[Symbol.asyncDispose]();
    await closeContext();
  };
  return services.addresses;
}
