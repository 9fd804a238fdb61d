import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { factsOf } from './matches.ts';
import { withPresentNames } from './present-names.ts';

/** Objectives that are listed by player. Captured flags and points are only counted. */
const LISTED = ['wool', 'core', 'destroyable'] as const;
export type ListedObjective = (typeof LISTED)[number];

const LISTED_TYPES: ReadonlySet<string> = new Set(LISTED);

export const isListedObjective = (type: string): type is ListedObjective => LISTED_TYPES.has(type);

/** An objective that a player completed. */
export interface PlayerObjective {
  match: number;
  map: string;
  name: string;
  /** The colour of the objective, such as a wool's. */
  color: string;
  /** The name of the player's team. */
  team: string;
  /** The player's share of a destroyable, in percent. */
  percent: number;
  time: number;
}

type ObjectiveTuple = [
  match: number,
  head: string,
  name: string,
  color: string,
  team: string,
  percent: number,
  time: number,
];

/** A player's newest objectives of a type, by match and number within it. */
export async function readObjectives(
  db: Queryable,
  playerKey: number,
  type: ListedObjective,
  limit: number,
): Promise<PlayerObjective[]> {
  const rows = await db.tuples(sql`
    select o.match_key, m.head, o.name, o.color, o.team, o.percent, o.time
    from player_objectives o join matches m on m.key = o.match_key
    where o.player_key = ${playerKey} and o.type = ${type}
    order by o.match_key desc, o.number desc limit ${limit}`);
  const objectives = (rows as ObjectiveTuple[]).map(([match, head, name, color, team, percent, time]) => ({
    match,
    map: factsOf(head).map,
    name,
    color,
    team,
    percent,
    time,
  }));
  return await withPresentNames(db, objectives, ['team']);
}
