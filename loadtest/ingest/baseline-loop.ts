import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { Db } from '#db/db.ts';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { groupColumns } from '#store/game/player-stats.ts';
import { GROUP_NAMES, groupOf } from '#store/game/statistics-groups.ts';
import { type WrittenTable, writtenTables } from './written-tables.ts';

/**
 * The baseline: writes the same rows that the service wrote for some matches, statement by statement in one transaction,
 * without fsync. It runs in a separate process, with only these rows in memory, and measures the database alone. It leaves
 * out what jobs derive from many matches at once: leaderboards, ranks and results of maps.
 */
export interface BaselineOrder {
  /** The URL of the database that the service has written. */
  from: string;
  /** The key of the last match of the warm-up: only later matches are repeated. */
  after: number;
  /** The URL of the database to write to, in the same state as that of the service after the warm-up. */
  to: string;
}

/** Matches per second, and microseconds of CPU time per match if they can be measured. */
export interface Pace {
  rate: number;
  cpu: number | undefined;
}

type Value = string | number | null;

interface Write {
  /** The index among the statements. */
  statement: number;
  values: Value[];
}

interface Engine {
  begin(): Promise<void>;
  write(writes: readonly Write[]): Promise<void>;
  commit(): Promise<void>;
}

/** Matches that are prepared in memory at a time. */
const BATCH_SIZE = 500;

/** The updates of the counters of each group. */
const UPDATES = GROUP_NAMES.map((group) => {
  const sums = groupColumns(group)
    .map((column) => `${column} = ${column} + ?`)
    .join(', ');
  return `update player_stats set ${sums}, name_seen = ? where player_key = ?`;
});

/** The inserts of all columns of each table, then the updates. */
async function statementsOn(db: Db, tables: readonly WrittenTable[]): Promise<string[]> {
  const inserts: string[] = [];
  for (const { table } of tables) {
    const row = await db.get<Record<string, Value>>({ strings: [`select * from ${table} limit 1`], values: [] });
    const columns = Object.keys(row!);
    inserts.push(`insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`);
  }
  return [...inserts, ...UPDATES];
}

interface Head {
  key: number;
  gamemode: string;
  finished: number;
}

/** The statements that write the stored rows of some matches, match by match. */
async function writesOf(db: Db, tables: readonly WrittenTable[], heads: readonly Head[]): Promise<Write[]> {
  const byMatch = new Map(heads.map((head) => [head.key, { head, writes: [] as Write[] }]));
  const [first, last] = [heads[0]!.key, heads.at(-1)!.key];
  for (const [statement, { table, owner }] of tables.entries()) {
    const text = `select * from ${table} where ${owner} between ${first} and ${last}`;
    for (const row of await db.all<Record<string, Value>>({ strings: [text], values: [] })) {
      const { head, writes } = byMatch.get(row[owner] as number)!;
      writes.push({ statement, values: Object.values(row) });
      if (table === 'player_matches') writes.push(countsOf(tables.length, row['player_key'] as number, head));
    }
  }
  return [...byMatch.values()].flatMap(({ writes }) => writes);
}

/** The update of a player's counters, with amounts similar to those of a match. Its statement follows the inserts. */
function countsOf(inserts: number, player: number, { gamemode, finished }: Head): Write {
  const group = groupOf(gamemode);
  const values = [...groupColumns(group).map(() => 3), finished, player];
  return { statement: inserts + GROUP_NAMES.indexOf(group), values };
}

async function baselineLoop({ from, after, to }: BaselineOrder): Promise<Pace> {
  await using db = await openDb(from);
  const heads = await db.all<Head>(sql`select key, gamemode, finished from matches where key > ${after} order by key`);
  const remote = /^postgres/.test(to);
  const tables = await writtenTables(db);
  const statements = await statementsOn(db, tables);
  const engine = remote ? await onPostgres(to, statements) : onSqlite(to, statements);
  let [ms, cpu] = [0, 0];
  const measured = async (work: () => Promise<void>): Promise<void> => {
    const [began, spent] = [performance.now(), process.cpuUsage()];
    await work();
    const { user, system } = process.cpuUsage(spent);
    ms += performance.now() - began;
    cpu += user + system;
  };
  await measured(() => engine.begin());
  for (let start = 0; start < heads.length; start += BATCH_SIZE) {
    const writes = await writesOf(db, tables, heads.slice(start, start + BATCH_SIZE));
    await measured(() => engine.write(writes));
  }
  await measured(() => engine.commit());
  // The CPU time of the PostgreSQL server cannot be measured here.
  return { rate: (heads.length / ms) * 1000, cpu: remote ? undefined : cpu / heads.length };
}

function onSqlite(path: string, texts: readonly string[]): Engine {
  const db = new DatabaseSync(path);
  db.exec('pragma journal_mode = wal; pragma synchronous = off; pragma foreign_keys = on; pragma cache_size = -32000');
  const statements = texts.map((text) => db.prepare(text));
  return {
    begin: async () => db.exec('begin'),
    write: async (writes) => {
      for (const { statement, values } of writes) statements[statement]!.run(...values);
    },
    commit: async () => db.exec('commit'),
  };
}

async function onPostgres(url: string, texts: readonly string[]): Promise<Engine> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('set synchronous_commit = off');
  const statements = texts.map((text, number) => {
    let parameter = 0;
    return { name: `w${number}`, text: text.replaceAll('?', () => `$${++parameter}`) };
  });
  return {
    begin: async () => void (await client.query('begin')),
    write: async (writes) => {
      for (const { statement, values } of writes) await client.query({ ...statements[statement]!, values });
    },
    commit: async () => {
      await client.query('commit');
      await client.end();
    },
  };
}

const [order] = (await once(process, 'message')) as [BaselineOrder];
process.send!(await baselineLoop(order));
process.disconnect!();
