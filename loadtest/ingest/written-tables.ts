/** The tables that the service writes for a match: name, column with the key of the match, columns of the baseline. */
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
