import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AnyOperation } from '#admin/operation.ts';
import type { Db, Queryable } from '#db/db.ts';
import { identifier, join as joinSql, sql } from '#db/sql.ts';
import { listTables } from '#db/transfer/schema.ts';
import { ACCESS_EXAMPLES } from './access-examples.ts';
import { ACCOUNT_EXAMPLES } from './account-examples.ts';
import { APPLICATION_EXAMPLES } from './application-examples.ts';
import { COUNTER_EXAMPLES } from './counter-examples.ts';
import type { Example } from './examples.ts';
import { JOB_EXAMPLES } from './job-examples.ts';
import { MATCH_EXAMPLES } from './match-examples.ts';
import { NETWORK_EXAMPLES } from './network-examples.ts';
import { OWNER_EXAMPLES } from './owner-examples.ts';
import { PLAYER_EXAMPLES } from './player-examples.ts';
import { PUNISHMENT_EXAMPLES } from './punishment-examples.ts';
import { SERVER_EXAMPLES } from './server-examples.ts';
import { WEBHOOK_EXAMPLES } from './webhook-examples.ts';

/** One example of each operation, by its name; those of one name differ in what follows: `access.approve (request)`. */
export const EXAMPLES = {
  ...SERVER_EXAMPLES,
  ...NETWORK_EXAMPLES,
  ...ACCOUNT_EXAMPLES,
  ...APPLICATION_EXAMPLES,
  ...ACCESS_EXAMPLES,
  ...OWNER_EXAMPLES,
  ...WEBHOOK_EXAMPLES,
  ...PUNISHMENT_EXAMPLES,
  ...PLAYER_EXAMPLES,
  ...COUNTER_EXAMPLES,
  ...MATCH_EXAMPLES,
  // Last, because other jobs wait for the paused one.
  ...JOB_EXAMPLES,
} as unknown as Readonly<Record<string, Example>>;

export const nameIn = (key: string): string => key.split(' ', 1)[0]!;

const FOLDER = join(dirname(dirname(import.meta.dirname)), 'src/admin');

/** Every operation that a file of `src/admin` exports. */
export async function allOperations(): Promise<AnyOperation[]> {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.ts'));
  const modules = await Promise.all(files.map((file) => import(join(FOLDER, file)) as Promise<object>));
  const values = modules.flatMap((loaded) => Object.values(loaded) as unknown[]);
  return values.filter((value): value is AnyOperation => typeof value === 'object' && value !== null && 'run' in value);
}

const tablesOf = new WeakMap<Db, readonly string[]>();

/** The names of the tables, which stay the same: reading them takes longer than reading all rows of a small network. */
export async function tableNames(db: Db): Promise<readonly string[]> {
  const names = tablesOf.get(db) ?? (await listTables(db)).map(({ name }) => name);
  tablesOf.set(db, names);
  return names;
}

/** All rows as JSON. PostgreSQL reads them with one statement, because each statement wakes two processes. */
export async function rowsOf(db: Queryable, tables: readonly string[]): Promise<string[]> {
  if (db.remote) {
    const each = tables.map(
      (name) => sql`select ${name}::text || ' ' || row_to_json(t)::text as row from ${identifier(name)} t`,
    );
    return (await db.all<{ row: string }>(joinSql(each, ' union all '))).map(({ row }) => row);
  }
  const rows = [];
  for (const name of tables) {
    const found = await db.all(sql`select * from ${identifier(name)}`);
    rows.push(...found.map((row) => `${name} ${JSON.stringify(row)}`));
  }
  return rows;
}
