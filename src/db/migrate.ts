import { readFileSync } from 'node:fs';
import { UsageError } from '#platform/errors.ts';
import type { Db, MigrationTx, Queryable } from './db.ts';
import { sql } from './sql.ts';
import { hasTable, migrationFiles, MIGRATIONS } from './transfer/schema.ts';

/** The end of an error message about a database without a network. */
export const HOW_TO_BEGIN = 'Correct DATABASE_URL, or begin a network: scorehall serve.';

interface Migration {
  number: number;
  name: string;
}

export interface MigrateOptions {
  /** False: the database must have tables already. */
  create?: boolean;
  /** The last migration that runs, so that the rows of an older version fit; by default all of them run. */
  upTo?: number;
  /** Called before each migration of a database that has tables: on a large one each may take minutes. */
  began?: (migration: string) => void;
}

/**
 * Runs the missing migrations in order, in one transaction, under a lock that makes other starting processes wait.
 * Without `create` the database must have tables already.
 * @throws UsageError if the database is from a newer version of the program, or from a version before the baseline
 */
export async function migrate(db: Db, options: MigrateOptions = {}): Promise<void> {
  const { create = true, upTo = Infinity, began } = options;
  const known = migrations();
  await db.migrating(async (tx) => {
    await tx.script('create table if not exists migrations (number bigint primary key, name text not null)');
    const applied = await tx.all<Migration>(sql`select number, name from migrations order by number`);
    if (applied.length === 0 && !create) throw new UsageError('The database of DATABASE_URL is empty. ' + HOW_TO_BEGIN);
    checkApplied(applied, known);
    for (const migration of known.slice(applied.length, upTo)) {
      if (applied.length > 0) began?.(migration.name);
      await apply(tx, migration);
    }
  });
}

export interface SchemaVersion {
  /** The number of the last migration of the database; 0 if it has no tables. */
  applied: number;
  /** The number of migrations that this program has and the database lacks. */
  missing: number;
}

/**
 * How a database compares with this program, without changing it.
 * @throws UsageError as `migrate`
 */
export async function schemaVersion(db: Queryable): Promise<SchemaVersion> {
  if (!(await hasTable(db, 'migrations'))) return { applied: 0, missing: migrations().length };
  const applied = await db.all<Migration>(sql`select number, name from migrations order by number`);
  checkApplied(applied, migrations());
  return { applied: applied.length, missing: migrations().length - applied.length };
}

function checkApplied(applied: readonly Migration[], known: readonly Migration[]): void {
  if (applied.length > 0 && applied[0]!.name !== known[0]!.name) {
    throw new UsageError(
      'The database is from a version before the first release, which this version cannot migrate. Export its events with ' +
        'that version (`scorehall export events FILE`) and import them into an empty database with this one ' +
        '(`scorehall import events FILE`).',
    );
  }
  const last = applied.at(-1)?.number ?? 0;
  if (last > known.length) {
    throw new UsageError(
      `The database is at migration ${last}, but this version only knows ${known.length}: use the newer version.`,
    );
  }
}

export const latestMigration = (): number => migrations().length;

function migrations(): Migration[] {
  return migrationFiles().map((name, index) => {
    if (Number(name.slice(0, 3)) !== index + 1) throw new Error(`Migrations must be numbered without gaps: ${name}`);
    return { number: index + 1, name };
  });
}

async function apply(tx: MigrationTx, { number, name }: Migration): Promise<void> {
  await tx.script(readFileSync(new URL(name, MIGRATIONS), 'utf8'));
  await tx.run(sql`insert into migrations (number, name) values (${number}, ${name})`);
}
