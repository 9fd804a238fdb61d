import { UsageError } from '#platform/errors.ts';
import { CLOSED, type Db, getValue, type Queryable } from '../db.ts';
import { sql } from '../sql.ts';
import { hasTable, scriptForEachTable } from './schema.ts';

/** What a database says about the move of its network to another one. */
export interface MoveMark {
  /** `copying`: in use. `closed`: read only until the rest is copied. `moved`: for ever. */
  state: 'copying' | 'closed' | 'moved';
  /** The address of the target, without password. */
  target: string;
  /** Epoch milliseconds. */
  since: number;
}

const NAME = 'move';

/** A value that the installation keeps about itself. */
export const installationValue = (db: Queryable, name: string): Promise<string | undefined> =>
  getValue(db, sql`select value from installation where name = ${name}`);

/** The random, unique id of this database. */
export const readDatabaseId = async (db: Queryable): Promise<number> =>
  (await getValue<number>(db, sql`select value from data_versions where name = 'database'`))!;

export async function saveInstallation(db: Queryable, installation: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(installation)) {
    await db.run(sql`
      insert into installation (name, value) values (${name}, ${value})
      on conflict (name) do update set value = excluded.value`);
  }
}

export async function readMoveMark(db: Queryable): Promise<MoveMark | undefined> {
  if (!(await hasTable(db, 'installation'))) return undefined;
  const value = await installationValue(db, NAME);
  return value === undefined ? undefined : (JSON.parse(value) as MoveMark);
}

export const saveMoveMark = (db: Queryable, mark: MoveMark): Promise<void> =>
  saveInstallation(db, { [NAME]: JSON.stringify(mark) });

export const removeMoveMark = (db: Queryable): Promise<number> =>
  db.run(sql`delete from installation where name = ${NAME}`);

/** @throws UsageError if the network has moved to another database, or is about to */
export async function refuseMoved(db: Queryable): Promise<void> {
  const mark = await readMoveMark(db);
  if (mark === undefined || mark.state === 'copying') return;
  const since = new Date(mark.since).toISOString();
  throw new UsageError(
    mark.state === 'moved'
      ? `The network of this database moved to ${mark.target} at ${since}. Set DATABASE_URL to that one.`
      : `This database is closed since ${since}, because its network moves to ${mark.target}. Run \`scorehall move\` ` +
          'again to finish, or `scorehall move --cancel` to go on here.',
  );
}

/**
 * Makes every further write fail as an outage, in all processes: HTTP services answer 503, and senders repeat. One trigger per
 * table, so that running transactions are complete or fail as a whole.
 */
export async function closeForWrites(db: Db): Promise<void> {
  if (db.remote) await db.migrating((tx) => tx.script(POSTGRES_REFUSAL));
  await scriptForEachTable(db, ({ name }) => (db.remote ? postgresTrigger(name) : sqliteTriggers(name)));
}

export async function openForWrites(db: Db): Promise<void> {
  await scriptForEachTable(db, ({ name }) =>
    db.remote
      ? `drop trigger if exists closed_${name} on ${name}`
      : EVENTS.map((event) => `drop trigger if exists closed_${name}_${event};`).join('\n'),
  );
}

export const EVENTS = ['insert', 'update', 'delete'] as const;

/** 57P03, cannot_connect_now: the driver's errors of class 57P are outages. */
const POSTGRES_REFUSAL = `
  create or replace function refuse_closed() returns trigger language plpgsql as $$
  begin
    raise exception '${CLOSED}' using errcode = '57P03';
  end $$`;

const postgresTrigger = (name: string): string => `
  drop trigger if exists closed_${name} on ${name};
  create trigger closed_${name} before insert or update or delete on ${name}
    for each statement execute function refuse_closed()`;

const sqliteTriggers = (name: string): string =>
  EVENTS.map(
    (event) =>
      `create trigger if not exists closed_${name}_${event} before ${event} on ${name} begin select raise(abort, '${CLOSED}'); end;`,
  ).join('\n');
