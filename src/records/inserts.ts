import { insertAll, type Sql, type Value } from '#db/sql.ts';

/** The tables that events only ever add rows to, in an order that keeps references whole, with their columns. */
const TABLES = {
  matches: 'key, head, started, finished, map_key, server_key, gamemode',
  match_details: 'match_key, head, started, finished, teams, objectives',
  player_matches: 'match_key, player_key, name, result, score, kill_count, death_count, time_played, previous',
  kills: 'killer_key, match_key, number, victim_uuid, victim_name, killer_name, time',
  player_sessions: 'player_key, ledger_key, time, login, server_key, server, name',
  faction_reports: 'player_key, time, ledger_key, power, faction',
  player_sightings: 'player_key, ledger_key, time, name',
  ledger: 'key, scope_key, event_id, type, time, received, body, subject, credential',
  refusals: 'key, scope_key, event_id, reason, place, received',
} as const;

type Table = keyof typeof TABLES;
const HEADS = Object.entries(TABLES).map(
  ([table, columns]) => [table as Table, `insert into ${table} (${columns}) values`] as const,
);

/** Rows that wait to be inserted together. */
export class Inserts {
  readonly #rows = new Map<Table, Value[][]>();

  add(table: Table, row: Value[]): void {
    const rows = this.#rows.get(table);
    if (rows === undefined) this.#rows.set(table, [row]);
    else rows.push(row);
  }

  /** The statements that insert everything, and nothing waits any more. */
  take(): Sql[] {
    const statements = HEADS.flatMap(([table, head]) => insertAll(head, this.#rows.get(table) ?? []));
    this.#rows.clear();
    return statements;
  }
}
