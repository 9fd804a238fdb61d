import type { Db, Queryable, Row } from '#db/db.ts';
import { identifier, join, type Sql, sql } from '#db/sql.ts';

/** A canonical dump of a database, comparable between two databases: ids are replaced by names and references. */
export type CanonicalDump = Record<string, unknown[]>;

/** The id columns of each table, by the table that they refer to. Columns of derived hints are left out. */
const TABLES: Record<string, { ids?: Record<string, Kind>; skip?: string[] }> = {
  servers: { skip: ['key'] },
  presence: { ids: { server_key: 'server' } },
  maps: { ids: { key: 'event', publisher_key: 'server', changed_key: 'event' } },
  map_gamemodes: { ids: { map_key: 'map' } },
  map_images: { ids: { map_key: 'map' } },
  map_pictures: { ids: { ledger_key: 'event' } },
  pictures: { skip: ['bytes'] },
  map_votes: { ids: { map_key: 'map', player_key: 'player', server_key: 'server' } },
  map_rates: { ids: { map_key: 'map' } },
  rotations: { ids: { server_key: 'server' } },
  rotation_states: { ids: { server_key: 'server' } },
  // A write optimisation, see KnownPlayer.
  players: { skip: ['key', 'name_since'] },
  player_names: { ids: { player_key: 'player' } },
  player_aliases: { skip: ['key'] },
  private_players: {},
  player_sessions: { ids: { player_key: 'player', ledger_key: 'event', server_key: 'server' } },
  name_observations: { ids: { player_key: 'player', ledger_key: 'event' } },
  player_stats: { ids: { player_key: 'player' } },
  faction_reports: { ids: { player_key: 'player', ledger_key: 'event' } },
  counters: { ids: { id: 'event' }, skip: ['counted'] },
  counter_reports: { ids: { player_key: 'player', event_key: 'event' } },
  player_counters: { ids: { player_key: 'player', counter: 'event' } },
  matches: { ids: { key: 'event', server_key: 'server' } },
  match_details: { ids: { match_key: 'event' } },
  excluded_matches: { ids: { match_key: 'event' } },
  merged_in_matches: { ids: { player_key: 'player', match_key: 'event' } },
  match_counters: { ids: { match_key: 'event' } },
  player_matches: { ids: { player_key: 'player', match_key: 'event' } },
  kills: { ids: { killer_key: 'player', victim_key: 'player', match_key: 'event' } },
  player_objectives: { ids: { player_key: 'player', match_key: 'event' } },
  boards: { ids: { player_key: 'player' } },
  kill_pairs: { ids: { killer_key: 'player', victim_key: 'player' } },
  player_records: {
    ids: { player_key: 'player', kill_match: 'event', score_match: 'event', time_match: 'event' },
  },
  map_results: {},
  punishments: { ids: { key: 'event', scope_key: 'server', punished_key: 'player' } },
  ledger: { ids: { key: 'event', scope_key: 'server' }, skip: ['received', 'aggregate', 'withdrawn', 'content_hash'] },
};

/** Tables that are not compared. A new one that events change belongs to `TABLES`, so that retractions and exports are tested. */
export const NOT_COMPARED: readonly string[] = [
  // Rejected and implausible events, heartbeats and running matches, which are not in the ledger.
  ...['refusals', 'event_warnings', 'online_samples', 'online_by_server', 'live_matches', 'unreported_matches'],
  // Pseudonyms are random; other tests check them, the held punishments and the removals of names.
  ...['pseudonyms', 'removed_names'],
  // Counted by jobs, which have separate tests.
  ...['map_ranks', 'ranked_players', 'rank_changes', 'place_counts', 'unranked_players', 'sitemap_files'],
  // The feed counts every change: other tests compare it with the resources.
  ...['changes', 'change_feed', 'renamed_players'],
  ...['jobs', 'job_runs', 'rederivations', 'projections', 'sequence'],
  // Protocols of other programs, imports and connections to game servers.
  ...['dialect_maps', 'import_sources', 'import_marks', 'import_rows'],
  ...['server_watches', 'managed_servers', 'managed_players', 'managed_bans', 'server_keys', 'hidden_players'],
  // People, applications and the installation.
  ...[
    'accounts',
    'account_sessions',
    'link_codes',
    'mail_tokens',
    'known_devices',
    'passkeys',
    'totp_secrets',
    'recovery_codes',
    'used_challenges',
    'pending_sign_ins',
    'factor_mail_codes',
    'factor_codes',
    'factor_resets',
    'throttles',
    'consents',
    'account_notices',
    'account_reads',
    'punishment_notices',
    'last_visits',
  ],
  ...['applications', 'application_secrets', 'application_owners', 'application_logos', 'application_changes'],
  ...['webhooks', 'webhook_deliveries'],
  ...[
    'application_uses',
    'open_streams',
    'first_party_clients',
    'owner_invitations',
    'access_requests',
    'console_sessions',
    'usage',
  ],
  ...['tokens', 'former_tokens', 'rate_limits', 'signing_keys', 'audit', 'operator_mails', 'mail_failures'],
  ...['migrations', 'data_versions', 'installation', 'private_in_matches', 'revocations', 'search_terms'],
];

export const COMPARED: readonly string[] = Object.keys(TABLES);

type Kind = 'server' | 'player' | 'map' | 'event';

/** Reads all tables that events write, without withdrawn events. */
export async function canonicalDumpOf(db: Queryable | Db): Promise<CanonicalDump> {
  const read = await rowsByTable(db);
  const words = wordsIn(read);
  const entries: [string, unknown[]][] = [];
  for (const [table, { ids = {}, skip = [] }] of Object.entries(TABLES)) {
    const rows = read[table]!.filter((row) => (row['withdrawn'] ?? null) === null);
    const canonical = rows.map((row) => JSON.stringify(canonicalRow(row, ids, skip, words)));
    entries.push([table, canonical.sort().map((row) => JSON.parse(row) as unknown)]);
  }
  const dump = Object.fromEntries(entries);
  dump['player_names'] = presentNames(dump);
  return dump;
}

type Rows = Record<string, Row[]>;

/** On PostgreSQL over one connection without waiting for earlier results, because each wait wakes two processes. */
async function rowsByTable(db: Queryable | Db): Promise<Rows> {
  if (db.remote && 'snapshot' in db) {
    await using snapshot = await db.snapshot();
    const reads = SELECTS.map(async ([table, select]) => [table, await snapshot.all(select)] as const);
    return Object.fromEntries(await Promise.all(reads));
  }
  const rows: Rows = {};
  for (const [table, select] of SELECTS) rows[table] = await db.all(select);
  return rows;
}

const SELECTS = Object.keys(TABLES).map((table) => [table, sql`select * from ${identifier(table)}`] as const);

/** The words of the ids, those of withdrawn events included. */
function wordsIn({ servers, players, maps, ledger }: Rows): Record<Kind, Map<unknown, string>> {
  return {
    server: columnByKey(servers, 'name'),
    player: columnByKey(players, 'uuid'),
    map: columnByKey(maps, 'name'),
    event: columnByKey(ledger, 'event_id'),
  };
}

const columnByKey = (rows: Row[] | undefined, column: string): Map<unknown, string> =>
  new Map(rows!.map((row) => [row['key'], String(row[column])]));

/** A row with names in the place of ids, and without the columns that may differ. */
function canonicalRow(
  row: Row,
  ids: Record<string, Kind>,
  skip: string[],
  words: Record<Kind, Map<unknown, string>>,
): Row {
  const facts: Row = {};
  for (const column of Object.keys(row).sort()) {
    if (skip.includes(column)) continue;
    const kind = ids[column];
    facts[column] = kind === undefined ? row[column]! : (words[kind].get(row[column]) ?? '');
  }
  // The head begins with the match's id.
  if (typeof facts['head'] === 'string') facts['head'] = facts['head'].slice(facts['head'].indexOf(',') + 1);
  return facts;
}

/** The row of the current name is not updated with each event; the end of its period is in `player_stats`. */
function presentNames({ player_names: names, players, player_stats: stats }: CanonicalDump): unknown[] {
  const present = new Map((players as Row[]).map((player) => [player['uuid'], player]));
  const seen = new Map((stats as Row[]).map(({ player_key, name_seen }) => [player_key, name_seen]));
  const completed = (names as Row[]).map((row) => {
    const player = present.get(row['player_key']!)!;
    if (player['name_key'] !== row['name_key']) return row;
    return { ...row, name: player['name'], last_seen: seen.get(row['player_key']!) };
  });
  return completed.map((row) => JSON.stringify(row)).sort();
}

const RESETS: readonly Sql[] = [
  ...[...Object.keys(TABLES), 'refusals', 'event_warnings']
    .filter((table) => table !== 'pictures')
    .reverse()
    .map((table) => sql`delete from ${identifier(table)}`),
  sql`delete from pictures`,
  ...['ranked_players', 'rank_changes', 'place_counts', 'unranked_players', 'jobs', 'changes', 'renamed_players'].map(
    (table) => sql`delete from ${identifier(table)}`,
  ),
  sql`delete from rederivations`,
  sql`update sequence set last = 0`,
  sql`update projections set last = 0, made_for = case name when 'boards' then 'UTC' else made_for end
    where name in ('boards', 'rivals')`,
];
/** PostgreSQL checks foreign keys at the end of a statement. */
const RESET = sql`with ${join(RESETS.map((reset, place) => sql`${identifier(`reset_${place}`)} as (${reset})`))} select 1`;

/** Empties all tables that events write. */
export async function resetTables(db: Db): Promise<void> {
  if (db.remote) await db.run(RESET);
  else await db.runAll(RESETS);
}
