/** What the service writes of a match: tables, their column that names the match, and what the bare loop writes of a row. */
export const WRITTEN: readonly (readonly [table: string, owner: string, columns: readonly string[]])[] = [
  ['matches', 'key', ['key', 'head', 'started', 'finished', 'map_key', 'server_key', 'gamemode']],
  ['match_details', 'match_key', ['match_key', 'head', 'started', 'finished', 'teams', 'objectives']],
  [
    'player_matches',
    'match_key',
    ['match_key', 'player_key', 'name', 'result', 'score', 'kill_count', 'death_count', 'time_played'],
  ],
  ['ledger', 'key', ['key', 'scope_key', 'event_id', 'type', 'time', 'received', 'body', 'aggregate', 'credential']],
];
