import { z } from 'zod';
import { idOf } from '#platform/ids.ts';
import { nameKey, uuidOf } from '#text/text.ts';
import { invalidRequest } from '#http/errors.ts';
import { type Player, playersByUuid, playersNamed } from '#store/game/players.ts';
import type { Audience } from '#store/game/private-players.ts';
import { searchPlayers } from '#store/game/search.ts';
import { audienceOf, findAllDeleted, type PlayerRequest } from './deleted-players.ts';
import { type Deps, type Endpoint, endpoint, entries, filter, paging } from './endpoint.ts';
import { PlayerShape, playersWire, type PlayerWire, strippedWire } from './players.ts';
import { id } from './schemas.ts';

/** Maximum entries of `uuids` and `names` together. */
const MAX_ENTRIES = 100;
const ENTRIES_PER_REQUEST = 10;
/** Maximum players among whom an ambiguous name is not decided. */
const MAX_CANDIDATES = 10;

const STATUSES = ['found', 'ambiguous', 'not_found', 'invalid'] as const;

const PlayerLookUp = z
  .looseObject({
    asked: z.string().meta({ description: 'The entry of `uuids` or `names`, or the text of `search`' }),
    status: z.enum(STATUSES).meta({
      description:
        'ambiguous: several players have the name, or no player has it and several had it; invalid: an entry of `uuids` that is no UUID',
    }),
    player: PlayerShape.nullable().meta({ description: 'The player that was found' }),
    former_name: z
      .string()
      .meta({ description: 'The former name by which the player was found; empty for the present one' }),
    candidates: z.array(z.object({ id, uuid: z.string(), name: z.string() })).meta({
      description: `For an ambiguous name: its present holders, then who had it last, at most ${MAX_CANDIDATES}`,
    }),
  })
  .meta({
    id: 'PlayerLookUp',
    description: 'One entry, or a player that a search found. Members may be added',
  });

type LookUp = z.input<typeof PlayerLookUp>;

export const playerLookups: Endpoint[] = [
  endpoint({
    path: '/v1/players',
    tag: 'Player',
    summary: `Players by UUIDs and names, each entry answered by itself and in its order, UUIDs first; or by the beginning of a word of a name`,
    query: {
      uuids: entries(`UUIDs, comma-separated; with names at most ${MAX_ENTRIES}`, MAX_ENTRIES),
      names: entries(
        'Present or former names (of hidden and private players present ones only), comma-separated, ignoring case; one with a comma as `names[]=`',
        MAX_ENTRIES,
      ),
      search: filter('The beginning of a word of a present or former name, ignoring case; not with uuids or names'),
      limit: paging.limit,
    },
    response: z.array(PlayerLookUp),
    price: {
      description: `Each ${ENTRIES_PER_REQUEST} entries of \`uuids\` and \`names\` count as a request, as \`X-RateLimit-Cost\` says; if less is left, the answer is 429 and nothing is counted`,
      of: ({ uuids, names }) => {
        const count = uuids.length + names.length;
        return count > MAX_ENTRIES ? 1 : Math.max(1, Math.ceil(count / ENTRIES_PER_REQUEST));
      },
    },
    handle: async ({ deps, caller, about, query: { uuids, names, search, limit } }) => {
      const count = uuids.length + names.length;
      if (count > MAX_ENTRIES)
        throw invalidRequest(`uuids and names must have at most ${MAX_ENTRIES} entries together.`);
      if (count > 0 === (search !== undefined))
        throw invalidRequest('uuids, names or search must be given, and search without the others.');
      const audience = await audienceOf({ deps, caller });
      const answer =
        search === undefined
          ? [...(await byUuids({ deps, caller }, uuids, audience)), ...(await byNames(deps, names, audience))]
          : await found(deps, search, { limit, audience });
      for (const { player } of answer) if (player !== null) about.add(player.uuid);
      return answer;
    },
  }),
];

const lookUp = (asked: string, status: LookUp['status'], more: Partial<LookUp> = {}): LookUp => ({
  ...{ asked, status, player: null, former_name: '', candidates: [] },
  ...more,
});

async function found(
  deps: Deps,
  search: string,
  { limit, audience }: { limit: number; audience: Audience },
): Promise<LookUp[]> {
  const players = await searchPlayers(deps.db, search, limit, audience);
  const wires = await playersWire(deps, players, audience);
  return players.map(({ formerly = '' }, place) =>
    lookUp(search, 'found', { player: wires[place]!, former_name: formerly }),
  );
}

async function byUuids(
  { deps, caller }: Omit<PlayerRequest, 'id'>,
  asked: readonly string[],
  audience: Audience,
): Promise<LookUp[]> {
  const uuids = new Set(asked.flatMap((text) => uuidOf(text) ?? []));
  const players = await playersByUuid(deps.db, [...uuids]);
  const deleted = await findAllDeleted(
    { deps, caller },
    [...uuids].filter((uuid) => !players.has(uuid)),
  );
  const wires = new Map<string, PlayerWire>();
  for (const player of await playersWire(deps, [...players.values()], audience)) wires.set(player.uuid, player);
  for (const player of deleted.values()) wires.set(player.uuid, await strippedWire(deps, player));
  return asked.map((text) => {
    const uuid = uuidOf(text);
    if (uuid === undefined) return lookUp(text, 'invalid');
    const player = wires.get(players.get(uuid)?.uuid ?? uuid);
    return player === undefined ? lookUp(text, 'not_found') : lookUp(text, 'found', { player });
  });
}

/** A single present holder is found, as by `/v1/players/:id`; a former name finds a player only if no other had it. */
async function byNames(deps: Deps, asked: readonly string[], audience: Audience): Promise<LookUp[]> {
  const bearers = await Promise.all(asked.map((name) => playersNamed(deps.db, name, MAX_CANDIDATES, audience)));
  const only = asked.map((name, place) => onlyBearer(name, bearers[place]!));
  const wires = await playersWire(
    deps,
    only.flatMap((player) => player ?? []),
    audience,
  );
  const byKey = new Map(wires.map((player) => [player.id, player]));
  return asked.map((name, place) => {
    const player = only[place];
    if (player !== undefined) {
      const former_name = hasName(player, name) ? '' : player.found;
      return lookUp(name, 'found', { player: byKey.get(idOf(player.key))!, former_name });
    }
    const candidates = bearers[place]!.map(({ key, uuid, name: present }) => ({ id: idOf(key), uuid, name: present }));
    return lookUp(name, candidates.length === 0 ? 'not_found' : 'ambiguous', { candidates });
  });
}

const hasName = (player: Player, name: string): boolean => nameKey(player.name) === nameKey(name);

/** @param bearers present holders first */
function onlyBearer<P extends Player>(name: string, [first, second]: readonly P[]): P | undefined {
  if (first === undefined || second === undefined) return first;
  return hasName(first, name) && !hasName(second, name) ? first : undefined;
}
