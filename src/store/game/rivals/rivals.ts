import { type Sql, sql } from '#db/sql.ts';
import { isCounted } from '../excluded-matches.ts';
import type { Named } from '../players.ts';

/** A victim, killer, teammate or opponent of a player. */
export type Rival = Named & { key: number };

/** The condition that a match is in the pairs and the records: the projection has reached it, and it is not excluded or being withdrawn. */
export const isInRivals = (match: Sql): Sql => sql`
  (${match} <= (select last from projections where name = 'rivals') and ${isCounted(match)}
    and exists (select 1 from match_details d where d.match_key = ${match}))`;
