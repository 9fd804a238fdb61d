import { readdirSync, readFileSync } from 'node:fs';
import { UsageError } from '#base/errors.ts';
import type { Db, MigrationTx } from './db.ts';
import { sql } from './sql.ts';

const FOLDER = new URL('./migrations/', import.meta.url);

interface Migration {
  number: number;
  name: string;
}

/**
 * Brings the database up to what this program expects: runs the migrations that it has not had, in order, once, in one
 * transaction, while other processes that start at the same time wait.
 * @throws UsageError when the database comes from a newer version of the program
 */
export async function migrate(db: Db): Promise<void> {
  const known = migrations();
  await db.migrating(async (tx) => {
    await tx.script('create table if not exists migrations (number bigint primary key, name text not null)');
    const [{ last }] = (await tx.all(sql`select coalesce(max(number), 0) as last from migrations`)) as [
      { last: number },
    ];
    if (last > known.length) {
      throw new UsageError(
        `The database is at migration ${last}, this program knows ${known.length}: start the newer version.`,
      );
    }
    for (const migration of known.slice(last)) await apply(tx, migration);
  });
}

function migrations(): Migration[] {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.sql'));
  return files.sort().map((name, index) => {
    if (Number(name.slice(0, 3)) !== index + 1) throw new Error(`Migrations are numbered without gaps: ${name}`);
    return { number: index + 1, name };
  });
}

async function apply(tx: MigrationTx, { number, name }: Migration): Promise<void> {
  await tx.script(readFileSync(new URL(name, FOLDER), 'utf8'));
  await tx.run(sql`insert into migrations (number, name) values (${number}, ${name})`);
}
