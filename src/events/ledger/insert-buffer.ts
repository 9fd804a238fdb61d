import { type Sql, type Value, withRows } from '#db/sql.ts';

/** The insert-only tables and their columns, referenced tables before those that refer to them. */
const TABLES = {
  matches: 'key, head, started, finished, map_key, server_key, gamemode',
  merged_in_matches: 'match_key, player_key',
  match_details: 'match_key, head, started, finished, teams, objectives, extras',
  match_counters: 'match_key, counters',
  player_matches: 'match_key, player_key, name, result, score, kill_count, death_count, time_played, envdeath_count',
  punishments:
    'key, scope_key, reference, punisher_uuid, punisher_name, punished_key, type, level, reason, server, automatic, time, expires, changed',
  kills: 'match_key, number, killer_key, killer_name, victim_key, victim_name, time, location',
  player_objectives: 'player_key, type, match_key, number, name, color, team, percent, time',
  player_sessions: 'player_key, ledger_key, time, login, server_key, server, name',
  counter_reports: 'event_key, player_key, mode, counters',
  faction_reports: 'player_key, time, ledger_key, power, faction, faction_id, faction_role',
  name_observations: 'player_key, ledger_key, time, name',
  ledger: 'key, scope_key, event_id, type, time, received, body, aggregate, credential, content_hash, envelope',
  refusals: 'key, scope_key, event_id, type, reason, place, problems, received',
  event_warnings: 'key, scope_key, event_id, type, warnings, received',
} as const;

type Table = keyof typeof TABLES;
const INSERTS = Object.entries(TABLES).map(([table, columns]) => ({
  table: table as Table,
  head: `insert into ${table} (${columns}) values`,
  columns: columns.split(',').length,
}));

/** Queues rows, to insert them with few statements per table. */
export class InsertBuffer {
  /** The values of all rows of each table, concatenated. */
  readonly #values = new Map<Table, Value[]>();

  add(table: Table, row: readonly Value[]): void {
    let values = this.#values.get(table);
    if (values === undefined) this.#values.set(table, (values = []));
    for (const value of row) values.push(value);
  }

  /** Whether rows of a table are queued. */
  has(table: Table): boolean {
    return this.#values.has(table);
  }

  /** Returns the statements that insert all queued rows, and empties the buffer. */
  take(): Sql[] {
    const statements = INSERTS.flatMap(({ table, head, columns }) =>
      withRows(head, columns, this.#values.get(table) ?? []),
    );
    this.#values.clear();
    return statements;
  }
}
