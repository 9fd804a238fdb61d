import { z } from 'zod';
import { idOf, keyOf } from '#platform/ids.ts';
import { invalidRequest } from '#http/errors.ts';
import { duelsWith, rivalsByKills, type Rival } from '#store/game/rivals/kill-pairs.ts';
import { companions, RECENT_MATCHES } from '#store/game/rivals/recent-matches.ts';
import { type Endpoint, endpoint, filter, paging } from './endpoint.ts';
import { PLAYER, requireRecords } from './players.ts';
import { count, id, link } from './schemas.ts';

const newest = `the newest ${RECENT_MATCHES} matches of the player that count`;

const RivalShape = z
  .object({
    id,
    uuid: z.string(),
    name: z.string(),
    kill_count: count.meta({ description: 'How often the player killed the rival, in all matches that count' }),
    death_count: count.meta({ description: 'How often the rival killed the player' }),
    play_count: count.optional().meta({ description: `Matches that both played, of ${newest}; with \`by\` for sides` }),
    win_count: count.optional().meta({ description: 'Those of them that the player won' }),
    permalink_url: link,
  })
  .meta({ id: 'Rival', description: 'Another player in a list of rivals' });

const ORDERS = ['victims', 'killers', 'teammates', 'opponents'] as const;

export const rivals: Endpoint[] = [
  endpoint({
    path: '/v1/players/:id/rivals',
    tag: 'Player',
    summary: 'Victims, killers, teammates or opponents of a player, the most frequent first',
    id: PLAYER,
    query: {
      by: z
        .enum(ORDERS, 'must be victims, killers, teammates, or opponents')
        .default('victims')
        .meta({
          description: `\`victims\`: by how often the player killed them; \`killers\`: by how often they killed the player; both from three kills on. \`teammates\` and \`opponents\`: by matches on the same side and on another one, of ${newest}. Private, hidden and deleted players are left out`,
        }),
      after: filter('Only items after this one: pass the last id of the previous page'),
      limit: paging.limit,
    },
    response: z.array(RivalShape),
    handle: async (endpointContext) => {
      const { deps, query } = endpointContext;
      const after = query.after === undefined ? undefined : keyOf(query.after);
      if (query.after !== undefined && after === undefined)
        throw invalidRequest('after must be the id of an item of this list.');
      const page = { player: await requireRecords(endpointContext), after, limit: query.limit };
      const { by } = query;
      const found: readonly (Rival & { play?: number; win?: number })[] =
        by === 'victims' || by === 'killers'
          ? await rivalsByKills(deps.db, by, page)
          : await companions(deps.db, by, page);
      const duels = await duelsWith(
        deps.db,
        page.player,
        found.map(({ key }) => key),
      );
      return found.map(({ key, uuid, name, play, win }) => ({
        ...{ id: idOf(key), uuid, name },
        kill_count: duels.get(key)!.kill,
        death_count: duels.get(key)!.death,
        ...(play !== undefined && { play_count: play, win_count: win }),
        permalink_url: `${deps.site}/players/${uuid}`,
      }));
    },
  }),
];
