import { z } from 'zod';
import { invalidRequest } from '#http/errors.ts';
import { keyOf } from '#platform/ids.ts';
import { isCleanText, nameKey } from '#text/text.ts';
import type { Queryable } from '#db/db.ts';
import { indexOf, MATCH_INDEXES, type MatchFilters } from '#store/game/match-lists.ts';
import { mapByKey } from '#store/game/maps/maps.ts';
import { teamsKey } from '#store/game/own-teams.ts';
import { findPlayer } from '#store/game/players.ts';
import { isPrivate } from '#store/game/private-players.ts';
import { serverByName } from '#store/game/servers.ts';
import { bitFilter, type EndpointContext, filter, timeFilter } from './endpoint.ts';

/** The filters of `/v1/matches`. */
export const matchFilters = {
  server: filter('Only matches of this server: a server id or name'),
  map: filter('Only matches on this map: a map id or name, ignoring case'),
  gamemode: filter('Only matches of this gamemode, ignoring case'),
  player: filter('Only matches of this player: a UUID, a name or a player id'),
  since: timeFilter('Only matches that ended at this time or later; sorts by the end, the last one first'),
  until: timeFilter('Only matches that ended before this time; sorts by the end, the last one first'),
  ranked: bitFilter('1: only ranked matches; 0: only others'),
  team: z
    .array(z.string().refine(isCleanText, 'must not contain control characters'))
    .length(2, 'must be the names of two teams')
    .optional()
    .meta({
      description:
        'Only matches of these two teams and no others: two names in any order, ignoring case. A team with the name of its only player is found by no name',
      ...{ type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2 },
    }),
};

type Given = { [K in keyof typeof matchFilters]: ReturnType<(typeof matchFilters)[K]['parse']> };

const PAIRS = Object.keys(MATCH_INDEXES).filter((names) => names.includes(' '));
const ALLOWED = PAIRS.map((names) => names.replace(' ', ' with ').replace('time', 'since or until')).join(', ');

/**
 * @returns undefined without a filter, `none` if a filter names nothing that has matches
 * @throws HttpError 400 for filters that cannot be combined
 */
export async function readFilters(
  { deps: { db }, about }: Pick<EndpointContext, 'deps' | 'about'>,
  given: Given,
): Promise<MatchFilters | 'none' | undefined> {
  const names = (Object.keys(matchFilters) as (keyof Given)[]).filter((name) => given[name] !== undefined);
  if (names.length === 0) return undefined;
  checkCombination(names);
  const { since, until, ranked, team } = given;
  if (since !== undefined && until !== undefined && since >= until) throw invalidRequest('since must be before until.');
  const found: MatchFilters = {
    ...(given.server !== undefined && { server: await serverKey(db, given.server) }),
    ...(given.map !== undefined && { map: await mapKey(db, given.map) }),
    ...(given.player !== undefined && { player: await playerKey(db, about, given.player) }),
    ...(given.gamemode !== undefined && { gamemode: given.gamemode.toLowerCase() }),
    ...(ranked !== undefined && { ranked }),
    ...(team !== undefined && { team: teamsKey(team) }),
  };
  return Object.values(found).includes(undefined) ? 'none' : { ...found, since, until };
}

function checkCombination(names: readonly (keyof Given)[]): void {
  const kinds = new Set(names.map((name) => (name === 'since' || name === 'until' ? 'time' : name)));
  if (indexOf(kinds) !== undefined) return;
  const given = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  throw invalidRequest(`${given} must not be given together. What can be: player with any others; ${ALLOWED}.`);
}

/** A private player has none. */
async function playerKey(db: Queryable, about: Set<string>, text: string): Promise<number | undefined> {
  const player = await findPlayer(db, text, 'public');
  if (player === undefined || (await isPrivate(db, player.uuid))) return undefined;
  about.add(player.uuid);
  return player.key;
}

/** A removed server has its matches. */
const serverKey = async (db: Queryable, text: string): Promise<number | undefined> =>
  (await serverByName(db, text))?.key ?? keyOf(text.toLowerCase());

/** A map that is not published has its matches, too. */
async function mapKey(db: Queryable, text: string): Promise<string> {
  const key = keyOf(text);
  const map = key === undefined ? undefined : await mapByKey(db, key);
  return nameKey(map?.name ?? text);
}
