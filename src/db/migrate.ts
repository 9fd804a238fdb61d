import { readFileSync } from 'node:fs';
import { TemporaryError, UsageError } from '#platform/errors.ts';
import type { Db, MigrationTx, Queryable } from './db.ts';
import { sql } from './sql.ts';
import { installationValue, saveInstallation } from './transfer/closing.ts';
import { hasTable, migrationFiles, MIGRATIONS } from './transfer/schema.ts';

/** The end of an error message about a database without a network. */
export const HOW_TO_BEGIN = 'Correct DATABASE_URL, or begin a network: scorehall serve.';

export interface Migration {
  number: number;
  name: string;
}

/** What a migration does to a process of the version before that serves meanwhile, as the first line of its file declares. */
export type MigrationEffect = 'online' | 'offline';

/** @throws Error if the first line does not declare it with a reason */
export function effectOf({ name }: Migration, text = textOf(name)): MigrationEffect {
  const [, effect] = /^-- (online|offline): \S/.exec(text) ?? [];
  if (effect !== undefined) return effect as MigrationEffect;
  throw new Error(
    `${name} must begin with "-- online: REASON" if a process of the version before keeps working, otherwise with ` +
      '"-- offline: REASON" (CONTRIBUTING.md, "Add a migration").',
  );
}

export interface MigrateOptions {
  /** False: the database must have tables already. */
  create?: boolean;
  /** The last migration that runs, so that the rows of an older version fit; by default all of them run. */
  upTo?: number;
  /** Called before each migration of a database that has tables: on a large one each may take minutes. */
  began?: (migration: string) => void;
}

/** The name in `installation` of the number of migrations that a program must know to use the database. */
export const REQUIRED = 'required migrations';

/**
 * How long an online migration waits for a table: statements of processes that serve wait behind it, less than
 * DATABASE_TIMEOUT.
 */
const LOCK_TIMEOUT = "/*postgres: set local lock_timeout = '2s' */";

/**
 * Runs the missing migrations in order, in one transaction, under a lock that makes other starting processes wait.
 * Without `create` the database must have tables already.
 * @throws UsageError if the database needs a newer version of the program, or is from a version before the baseline
 * @throws TemporaryError if a migration cannot run beside the processes that use the database now
 */
export async function migrate(db: Db, options: MigrateOptions = {}): Promise<void> {
  const { create = true, upTo = Infinity, began } = options;
  // Services of the version before are kept away until the commit.
  using exclusion = new DisposableStack();
  const work = async (tx: MigrationTx): Promise<void> => {
    await tx.script('create table if not exists migrations (number bigint primary key, name text not null)');
    const { applied, missing, required } = await schemaVersion(tx);
    if (applied === 0 && !create) throw new UsageError('The database of DATABASE_URL is empty. ' + HOW_TO_BEGIN);
    const next = missing.filter(({ number }) => number <= upTo);
    if (applied > 0) exclusion.use(await excludeOlderServices(db, next));
    if (applied > 0 && !next.some(isOffline)) await tx.script(LOCK_TIMEOUT);
    for (const migration of next) {
      if (applied > 0) began?.(migration.name);
      await apply(tx, migration);
    }
    const last = next.findLast(isOffline)?.number ?? required;
    if (next.length > 0) await saveInstallation(tx, { [REQUIRED]: String(last) });
  };
  await db.migrating(work).catch(refuseWhileLocked);
}

/** lock_not_available */
const LOCKED = '55P03';

function refuseWhileLocked(error: unknown): never {
  if ((error as { code?: unknown }).code !== LOCKED) throw error;
  throw new TemporaryError(
    'A migration waited two seconds for a table that a long transaction uses, such as a backup: it has changed nothing, and ' +
      'runs at the next start.',
  );
}

const isOffline = (migration: Migration): boolean => effectOf(migration) === 'offline';

/**
 * Keeps services of the version before from starting, if one of the migrations is offline.
 * @throws TemporaryError if one serves
 */
export async function excludeOlderServices(db: Db, next: readonly Migration[]): Promise<Disposable> {
  const offline = next.find(isOffline);
  if (offline === undefined) return new DisposableStack();
  const older = await db.olderServices(latestMigration());
  if (older.names.length === 0) return older;
  throw new TemporaryError(
    `The migration ${offline.name} cannot run while processes of the version before serve ` +
      `(${older.names.join(', ')}): stop them, and start them again with this version.`,
  );
}

export interface SchemaVersion {
  /** The number of the last migration of the database; 0 if it has no tables. */
  applied: number;
  /** The migrations that this program has and the database lacks. */
  missing: readonly Migration[];
  /** How many migrations a program must know to use the database: those up to the last offline one. */
  required: number;
}

/**
 * How a database compares with this program, without changing it.
 * @throws UsageError as `migrate`
 */
export async function schemaVersion(db: Queryable): Promise<SchemaVersion> {
  const known = migrations();
  if (!(await hasTable(db, 'migrations'))) return versionWithoutTables();
  const rows = await db.all<Migration>(sql`select number, name from migrations order by number`);
  refuseBeforeBaseline(rows, known);
  const applied = rows.at(-1)?.number ?? 0;
  const required = await requiredOf(db, applied);
  if (required > known.length) throw isNewer(applied, known.length);
  return { applied, missing: known.slice(applied), required };
}

export const versionWithoutTables = (): SchemaVersion => ({ applied: 0, missing: migrations(), required: 0 });

/** A backup file, and a database that no version with this value has migrated, need all that they have. */
async function requiredOf(db: Queryable, applied: number): Promise<number> {
  if (!(await hasTable(db, 'installation'))) return applied;
  return Number((await installationValue(db, REQUIRED)) ?? applied);
}

const isNewer = (applied: number, known: number): UsageError =>
  new UsageError(
    `The database is at migration ${applied}, but this version only knows ${known}: use the newer version.`,
  );

/** @throws UsageError if a newer version has migrated the database: what copies all of it must know all tables */
export function refuseNewer({ applied }: SchemaVersion): void {
  if (applied > latestMigration()) throw isNewer(applied, latestMigration());
}

function refuseBeforeBaseline(applied: readonly Migration[], known: readonly Migration[]): void {
  if (applied.length === 0 || applied[0]!.name === known[0]!.name) return;
  throw new UsageError(
    'The database is from a version before the first release, which this version cannot migrate. Export its events with ' +
      'that version (`scorehall export events FILE`) and import them into an empty database with this one ' +
      '(`scorehall import events FILE`).',
  );
}

export const latestMigration = (): number => migrations().length;

function migrations(): Migration[] {
  return migrationFiles().map((name, index) => {
    if (Number(name.slice(0, 3)) !== index + 1) throw new Error(`Migrations must be numbered without gaps: ${name}`);
    return { number: index + 1, name };
  });
}

async function apply(tx: MigrationTx, migration: Migration): Promise<void> {
  const { number, name } = migration;
  const text = textOf(name);
  effectOf(migration, text);
  await tx.script(text);
  await tx.run(sql`insert into migrations (number, name) values (${number}, ${name})`);
}

const textOf = (name: string): string => readFileSync(new URL(name, MIGRATIONS), 'utf8');
