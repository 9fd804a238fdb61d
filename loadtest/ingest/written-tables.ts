/** The tables in which the service inserts rows of a match, and their columns with the key of the match. */
export const WRITTEN: readonly (readonly [table: string, owner: string])[] = [
  ['matches', 'key'],
  ['match_details', 'match_key'],
  ['player_matches', 'match_key'],
  ['ledger', 'key'],
];
