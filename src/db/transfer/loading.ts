import { UsageError } from '#platform/errors.ts';
import { type Db, getValue, type Queryable, type Transaction } from '../db.ts';
import { migrate } from '../migrate.ts';
import { identifier, sql } from '../sql.ts';
import { hasTable, listTables } from './schema.ts';

/**
 * A database is loaded without its secondary indexes, triggers and foreign keys: filling it is faster, triggers must not
 * add rows, and the changes of a source in use arrive in any order. Their definitions wait in the table
 * `loading_state`, which also makes every start refuse the database until it is complete.
 */
interface SchemaObject {
  drop: string;
  create: string;
}

/** The name of the restore or move that fills the database: equal for the runs of one restore or one move. */
const PURPOSE = 'purpose';

/**
 * Makes an empty database ready to be filled, with the schema of the source's version.
 * @returns whether an earlier run with the same purpose has begun to fill it
 * @throws UsageError if the database is not empty
 */
export async function beginLoading(target: Db, purpose: string, migration: number): Promise<boolean> {
  if (await hasTable(target, 'loading_state')) {
    const earlier = await loadingState(target, PURPOSE);
    if (earlier !== purpose) throw new UsageError(`The target is being filled already: ${earlier}. Name another one.`);
    if ((await loadingState(target, 'ready')) !== undefined) return true;
  } else if (await hasTable(target, 'migrations')) {
    throw new UsageError('The target is in use: it already has tables of Scorehall. Name an empty database.');
  } else {
    await target.migrating(async (tx) => {
      await tx.script('create table loading_state (name text primary key, value text not null)');
      await tx.run(sql`insert into loading_state (name, value) values (${PURPOSE}, ${purpose})`);
    });
  }
  await migrate(target, { upTo: migration });
  await target.migrating(async (tx) => {
    const objects = await schemaObjects(tx);
    for (const { drop } of objects) await tx.script(drop);
    await emptyTables(tx);
    await tx.run(sql`insert into loading_state (name, value) values ('objects', ${JSON.stringify(objects)})`);
    await tx.run(sql`insert into loading_state (name, value) values ('ready', '')`);
  });
  return false;
}

/** Creates the secondary indexes again, once the tables are filled; changes may still follow. */
export const restoreIndexes = (target: Db): Promise<void> =>
  createObjects(target, ({ create }) => IS_INDEX.test(create));

/**
 * Restores indexes, triggers and foreign keys, and lets the program start on the database.
 * @param last runs in the transaction that ends the loading
 */
export async function endLoading(
  target: Db,
  last: (tx: Transaction) => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  await createObjects(target, () => true);
  await target.migrating(async (tx) => {
    await last(tx);
    await tx.script('drop table loading_state');
  });
}

const IS_INDEX = /^create (unique )?index /i;

/**
 * Creates what was dropped, in one transaction with the note of what is still missing. PostgreSQL gets its statistics with
 * the indexes: without them it would plan the first requests as if the tables were empty.
 */
async function createObjects(target: Db, wanted: (object: SchemaObject) => boolean): Promise<void> {
  const objects = JSON.parse((await loadingState(target, 'objects')) ?? '[]') as SchemaObject[];
  const created = objects.filter(wanted).toReversed();
  await target.migrating(async (tx) => {
    for (const { create } of created) await tx.script(create);
    if (target.remote && created.some(({ create }) => IS_INDEX.test(create))) await tx.script('analyze');
    const missing = objects.filter((object) => !wanted(object));
    await saveLoadingState(tx, 'objects', JSON.stringify(missing));
  });
}

/** Deletes the rows of all tables that are copied, so that no row of a migration is left between those of the source. */
async function emptyTables(db: Queryable): Promise<void> {
  for (const { name } of (await listTables(db)).toReversed()) await db.run(sql`delete from ${identifier(name)}`);
}

/** A note of the loading: its purpose, or how far a table is. */
export const loadingState = (db: Queryable, name: string): Promise<string | undefined> =>
  getValue(db, sql`select value from loading_state where name = ${name}`);

export async function saveLoadingState(tx: Queryable, name: string, value: string): Promise<void> {
  await tx.run(sql`
    insert into loading_state (name, value) values (${name}, ${value})
    on conflict (name) do update set value = excluded.value`);
}

/** @throws UsageError if an unfinished restore or move has left the database incomplete */
export async function refuseWhileLoading(db: Queryable): Promise<void> {
  if (!(await hasTable(db, 'loading_state'))) return;
  const purpose = await loadingState(db, PURPOSE);
  throw new UsageError(
    `The database is incomplete: ${purpose} has not finished. Run it again until it does, or name another database.`,
  );
}

/** In the order in which they are dropped: foreign keys need unique indexes. */
async function schemaObjects(db: Queryable): Promise<SchemaObject[]> {
  if (!db.remote) {
    const rows = await db.tuples(sql`
      select type, name, sql from sqlite_schema where type in ('index', 'trigger') and sql is not null`);
    return (rows as string[][]).map(([type, name, text]) => ({ drop: `drop ${type} ${name}`, create: text! }));
  }
  const [keys, triggers, indexes] = (await Promise.all([
    db.tuples(sql`
      select c.conrelid::regclass::text, c.conname, pg_get_constraintdef(c.oid) from pg_constraint c
      join pg_class t on t.oid = c.conrelid
      where c.contype = 'f' and t.relnamespace = current_schema()::regnamespace`),
    db.tuples(sql`
      select g.tgrelid::regclass::text, g.tgname, pg_get_triggerdef(g.oid) from pg_trigger g
      join pg_class t on t.oid = g.tgrelid
      where not g.tgisinternal and t.relnamespace = current_schema()::regnamespace`),
    db.tuples(sql`
      select i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) from pg_index i
      join pg_class t on t.oid = i.indrelid
      where t.relnamespace = current_schema()::regnamespace
        and not exists (select 1 from pg_constraint c where c.conindid = i.indexrelid)`),
  ])) as [string[][], string[][], string[][]];
  return [
    ...keys.map(([table, name, text]) => ({
      drop: `alter table ${table} drop constraint ${name}`,
      create: `alter table ${table} add constraint ${name} ${text}`,
    })),
    ...triggers.map(([table, name, text]) => ({ drop: `drop trigger ${name} on ${table}`, create: text! })),
    ...indexes.map(([name, text]) => ({ drop: `drop index ${name}`, create: text! })),
  ];
}
