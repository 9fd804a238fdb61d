import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { nameKey } from '#text/text.ts';
import { HIDDEN, privateInMatches } from './hidden-in-matches.ts';
import { factsOf } from './matches.ts';
import { bearsName } from './own-teams.ts';
import { withPresentNames } from './present-names.ts';

/** Objectives that are listed by player. Captured flags and points are only counted. */
const LISTED = ['wool', 'core', 'destroyable'] as const;
export type ListedObjective = (typeof LISTED)[number];

export const isListedObjective = (type: string): type is ListedObjective => LISTED.some((listed) => listed === type);

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

type ObjectiveRow = Omit<PlayerObjective, 'map'> & { head: string; uuid: string };

/** A player's newest objectives of a type, by match and number within it. */
export async function readObjectives(
  db: Queryable,
  playerKey: number,
  type: ListedObjective,
  limit: number,
): Promise<PlayerObjective[]> {
  const rows = await db.all<ObjectiveRow>(sql`
    select o.match_key as "match", m.head, o.name, o.color, o.team, o.percent, o.time, p.uuid
    from player_objectives o join matches m on m.key = o.match_key join players p on p.key = o.player_key
    where o.player_key = ${playerKey} and o.type = ${type}
    order by o.match_key desc, o.number desc limit ${limit}`);
  const objectives = rows.map(({ head, uuid: _, ...row }) => ({ ...row, map: factsOf(head).map }));
  const uuids = rows.slice(0, 1).map(({ uuid }) => uuid);
  const [own] = (await privateInMatches(db, uuids)).values();
  const former = new Set(own?.uuid === HIDDEN.uuid ? [] : [...(own?.names ?? [])].map(nameKey));
  const shown = objectives.map((one) => (bearsName(one.team, former) ? { ...one, team: own!.name } : one));
  return await withPresentNames(db, shown, ['team']);
}
