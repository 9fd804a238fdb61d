import { readdirSync, readFileSync } from 'node:fs';
import { UsageError } from '#platform/errors.ts';
import type { Db, MigrationTx } from './db.ts';
import { sql } from './sql.ts';

const FOLDER = new URL('./migrations/', import.meta.url);

/** The end of an error message about a database without a network. */
export const HOW_TO_BEGIN = 'Correct DATABASE_URL, or begin a network: scorehall serve.';

interface Migration {
  number: number;
  name: string;
}

/**
 * Runs the missing migrations in order, in one transaction, under a lock that makes other starting processes wait.
 * Without `create` the database must have tables already.
 * @throws UsageError when the database is from a newer version of the program, or from a version before the baseline
 */
export async function migrate(db: Db, { create = true }: { create?: boolean } = {}): Promise<void> {
  const known = migrations();
  await db.migrating(async (tx) => {
    await tx.script('create table if not exists migrations (number bigint primary key, name text not null)');
    const applied = await tx.all<Migration>(sql`select number, name from migrations order by number`);
    if (applied.length === 0 && !create) throw new UsageError('The database of DATABASE_URL is empty. ' + HOW_TO_BEGIN);
    checkApplied(applied, known);
    for (const migration of known.slice(applied.length)) await apply(tx, migration);
  });
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

/** The number of the newest migration that this version knows. */
export const latestMigration = (): number => migrations().length;

function migrations(): Migration[] {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.sql'));
  return files.sort().map((name, index) => {
    if (Number(name.slice(0, 3)) !== index + 1) throw new Error(`Migrations must be numbered without gaps: ${name}`);
    return { number: index + 1, name };
  });
}

async function apply(tx: MigrationTx, { number, name }: Migration): Promise<void> {
  await tx.script(readFileSync(new URL(name, FOLDER), 'utf8'));
  await tx.run(sql`insert into migrations (number, name) values (${number}, ${name})`);
}
