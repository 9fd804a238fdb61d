import { type Sql, sql } from '#db/sql.ts';
import { isCounted } from '../excluded-matches.ts';
import { keepsPrivate } from '../private-players.ts';

/** A victim, killer, teammate or opponent of a player. */
export interface Rival {
  key: number;
  uuid: string;
  name: string;
}

/** The condition that a match is in the pairs and the records: the projection has reached it, and it is not excluded or being withdrawn. */
export const isInRivals = (match: Sql): Sql => sql`
  (${match} <= (select last from projections where name = 'rivals') and ${isCounted(match)}
    and exists (select 1 from match_details d where d.match_key = ${match}))`;

/** The condition that a player is shown in the lists of others: not private, hidden or erased. */
export const isShownRival = (uuid: Sql): Sql => sql`
  not (${keepsPrivate(uuid)} or exists (select 1 from hidden_players h where h.uuid = ${uuid})
    or exists (select 1 from pseudonyms o where o.uuid = ${uuid}))`;
