import { DatabaseSync } from 'node:sqlite';
import type { SourceDatabase, SourceRow } from '#importers/databases/source-database.ts';

export const TIME = Date.parse('2026-01-01T00:00:00Z');
export const uuid = (number: number): string => `7f0c6a4e-52b1-4c2f-9b7d-${String(number).padStart(12, '0')}`;

const KINDS = ['bans', 'mutes', 'warnings', 'kicks'];
const REMOVAL = 'removed_by_uuid text, removed_by_name text, removed_by_date text,';

/**
 * The tables of LiteBans in SQLite, read by the statements for MySQL: the functions that SQLite does not have are added.
 * `npm run loadtest -- databases` imports them from a real MariaDB.
 */
export class LiteBansDatabase implements SourceDatabase {
  readonly dialect = 'mysql';
  readonly label = 'mysql://127.0.0.1:3306/minecraft';
  readonly #db = new DatabaseSync(':memory:');

  /** @param hidden columns that the user may not read, beside the addresses */
  constructor(hidden: readonly string[] = []) {
    this.#db.function('unix_timestamp', (text) =>
      text === null ? null : BigInt(Date.parse(`${String(text)}Z`) / 1000),
    );
    this.#db.function('from_unixtime', (seconds) => new Date(Number(seconds) * 1000).toISOString().slice(0, 19));
    this.#db.function('database', () => 'minecraft');
    for (const kind of KINDS)
      this.#db.exec(`create table litebans_${kind} (id integer primary key, uuid text, ip text, reason text,
        banned_by_uuid text, banned_by_name text, ${kind === 'kicks' ? '' : REMOVAL} time int, until int, server_scope text,
        silent int, ipban int, active int)`);
    this.#db.exec(`create table litebans_history (id integer primary key, date text, name text, uuid text, ip text);
      attach ':memory:' as information_schema;
      create table information_schema.columns (table_schema text, table_name text, column_name text);
      insert into information_schema.columns select 'minecraft', m.name, p.name
        from main.sqlite_schema m join pragma_table_info(m.name) p where m.type = 'table' and p.name <> 'ip'`);
    const hide = this.#db.prepare('delete from information_schema.columns where column_name = ?');
    for (const column of hidden) hide.run(column);
  }

  ban(id: number, player: number, parts: { reason?: string; scope?: string | null } = {}): void {
    const { reason = 'Why', scope = '*' } = parts;
    this.#db
      .prepare('insert into litebans_history values (null, ?, ?, ?, ?)')
      .run('2026-01-01T00:00:00', `Player${player}`, uuid(player), '203.0.113.9');
    this.#db
      .prepare(
        `insert into litebans_bans values (?, ?, '203.0.113.9', ?, 'CONSOLE', 'Console', null, null, null, ?, -1, ?, 0, 0, 1)`,
      )
      .run(id, uuid(player), reason, TIME + id, scope);
  }

  edit(id: number, reason: string): void {
    this.#db.prepare('update litebans_bans set reason = ? where id = ?').run(reason, id);
  }

  async rows(text: string, values: readonly (string | number)[] = []): Promise<SourceRow[]> {
    return this.#db.prepare(text).all(...values);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#db.close();
  }
}
