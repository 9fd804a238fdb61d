import type { Event } from '../schema.ts';

/**
 * The weight of an event: about how many rows it writes. Quotas count weight, because a match of a thousand players costs
 * as much as hundreds of logins. New players are only known to the writer, which reports them in the receipt.
 */

/** A player without a row yet: the player, the counters and the name. */
export const NEW_PLAYER_WEIGHT = 3;
/** Rows of a match and of a player in it (the result and the counters). */
const MATCH_WEIGHT = 3;
const MATCH_PLAYER_WEIGHT = 2;
/** A map without gamemodes and picture; a picture counts as one row for each page of the database. */
const MAP_WEIGHT = 8;
const PAGE_BYTES = 4_096;
/** Players and objectives of a running match that take a page of the database. */
const LISTED_PER_PAGE = 20;
/** Any other event. */
export const OTHER_WEIGHT = 4;

export function weightOf(event: Event): number {
  switch (event.type) {
    case 'match.finished': {
      const { teams, objectives, kills } = event.data;
      const players = teams.reduce((sum, team) => sum + team.players.length, 0);
      return MATCH_WEIGHT + MATCH_PLAYER_WEIGHT * players + weightOfCounters(teams) + objectives.length + kills.length;
    }
    case 'match.progress': {
      const { teams, objectives } = event.data;
      const listed = teams.reduce((sum, team) => sum + team.players.length, objectives.length);
      return OTHER_WEIGHT + Math.ceil(listed / LISTED_PER_PAGE);
    }
    case 'map.published':
      return MAP_WEIGHT + event.data.gamemodes.length + Math.ceil((event.data.image?.data.length ?? 0) / PAGE_BYTES);
    case 'rotation.changed':
      return OTHER_WEIGHT + event.data.maps.length;
    default:
      return OTHER_WEIGHT;
  }
}

type Teams = Extract<Event, { type: 'match.finished' }>['data']['teams'];

/** A report of a player, and for each value the small rows of its mode and of all modes. */
function weightOfCounters(teams: Teams): number {
  let weight = 0;
  for (const { players } of teams) {
    for (const { counters } of players) if (counters !== undefined) weight += 1 + Object.keys(counters).length;
  }
  return weight;
}
