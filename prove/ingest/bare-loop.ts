import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { groupOf, GROUPS } from '#records/player-stats.ts';
import type { Pace } from './speed.ts';

/**
 * What the engine alone does: the very rows that the service has made of some matches, written statement by statement in
 * one transaction, without waiting for the disk. The rows lie ready in memory, so nothing else is measured.
 */
export interface Write {
  text: string;
  values: (string | number | null)[];
}

const INSERTS: Record<string, string[]> = {
  matches: ['key', 'head', 'started', 'finished', 'map_key', 'server_key', 'gamemode'],
  match_details: ['match_key', 'head', 'started', 'finished', 'teams', 'objectives'],
  player_matches: [
    'match_key',
    'player_key',
    'name',
    'result',
    'score',
    'kill_count',
    'death_count',
    'time_played',
    'previous',
  ],
  ledger: ['key', 'scope_key', 'event_id', 'type', 'time', 'received', 'body', 'subject', 'credential'],
};

const OWNER: Record<string, string> = {
  matches: 'key',
  match_details: 'match_key',
  player_matches: 'match_key',
  ledger: 'key',
};

/** The statements that would have made what the database holds of matches behind a key, match by match. */
export async function writesOf(db: Queryable, after: number): Promise<Write[][]> {
  const byMatch = new Map<number, Write[]>();
  const heads = await db.all<{ key: number; gamemode: string; finished: number }>(
    sql`select key, gamemode, finished from matches where key > ${after} order by key`,
  );
  for (const { key } of heads) byMatch.set(key, []);
  const games = new Map(heads.map((head) => [head.key, head]));
  for (const [table, columns] of Object.entries(INSERTS)) {
    const text = `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`;
    const rows = await db.all({ strings: [`select * from ${table}`], values: [] });
    for (const row of rows) {
      const writes = byMatch.get(row[OWNER[table]!] as number);
      if (writes === undefined) continue;
      writes.push({ text, values: columns.map((column) => row[column] as string | number | null) });
      if (table === 'player_matches') writes.push(countsOf(row, games.get(row['match_key'] as number)!));
    }
  }
  return [...byMatch.values()];
}

/** The update of a player's counters: what was added is of the order of what a match adds. */
function countsOf(row: Record<string, unknown>, { gamemode, finished }: { gamemode: string; finished: number }): Write {
  const group = groupOf(gamemode);
  const columns = GROUPS[group].map((counter) => `${group}_${counter}`);
  const sums = columns.map((column) => `${column} = ${column} + ?`).join(', ');
  const values = [...columns.map(() => 3), finished, row['match_key'] as number, row['player_key'] as number];
  return { text: `update player_stats set ${sums}, name_seen = ?, last_match = ? where player_key = ?`, values };
}

export async function bareLoop(url: string, matches: Write[][]): Promise<Pace> {
  return /^postgres/.test(url) ? await onPostgres(url, matches) : onSqlite(url, matches);
}

function onSqlite(path: string, matches: Write[][]): Pace {
  const db = new DatabaseSync(path);
  db.exec('pragma journal_mode = wal; pragma synchronous = off; pragma foreign_keys = on; pragma cache_size = -32000');
  const statements = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  const [began, spent] = [performance.now(), process.cpuUsage()];
  db.exec('begin');
  for (const writes of matches) {
    for (const { text, values } of writes) {
      let statement = statements.get(text);
      if (statement === undefined) statements.set(text, (statement = db.prepare(text)));
      statement.run(...values);
    }
  }
  db.exec('commit');
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(spent);
  db.close();
  return { rate: matches.length / seconds, cpu: (user + system) / matches.length };
}

/** What the server itself spends is not known here. */
async function onPostgres(url: string, matches: Write[][]): Promise<Pace> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('set synchronous_commit = off');
  const names = new Map<string, { name: string; text: string }>();
  const began = performance.now();
  await client.query('begin');
  for (const writes of matches) {
    for (const { text, values } of writes) {
      let prepared = names.get(text);
      if (prepared === undefined) {
        let place = 0;
        prepared = { name: `w${names.size}`, text: text.replaceAll('?', () => `$${++place}`) };
        names.set(text, prepared);
      }
      await client.query({ ...prepared, values });
    }
  }
  await client.query('commit');
  const seconds = (performance.now() - began) / 1000;
  await client.end();
  return { rate: matches.length / seconds, cpu: undefined };
}
