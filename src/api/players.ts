import { z } from 'zod';
import { idOf } from '#platform/ids.ts';
import { notFound, HttpError } from '#http/errors.ts';
import { accountPlayerUuid } from '#store/accounts/accounts.ts';
import { allAsShown, showsNames } from '#store/game/hidden-lists.ts';
import { deathsBelow, killsBelow } from '#store/game/kills.ts';
import { listPlayedMatches } from '#store/game/match-lists.ts';
import { findPlayer, namesOf, type Player, playerByUuid, playersByKeys } from '#store/game/players.ts';
import { statsOf } from '#store/game/player-stats.ts';
import { type Audience, isPrivate, privateAmong } from '#store/game/private-players.ts';
import { bannedPlayers, isBan } from '#store/game/punishments.ts';
import { PlayerCounters, playerCountersWire } from './counters.ts';
import { audienceOf, type DeletedPlayer, findDeleted, type PlayerRequest, strippedPlayer } from './deleted-players.ts';
import { type Endpoint, endpoint, type EndpointContext, fieldsOf, type Deps, paging, pagingBy } from './endpoint.ts';
import { Form, formWire, PlayerPlaces, playerPlacesWire } from './player-extras.ts';
import { GROUP_FIELDS, type GroupName, groupMembers, groupsWire } from './player-groups.ts';
import {
  killIdOf,
  killWire,
  ListedKillShape,
  ListedMatchShape,
  NEWEST_KILL,
  playedWire,
  positionOf,
} from './player-items.ts';
import { id, linkOrEmpty, timestamp } from './schemas.ts';

const MAX_NAMES = 100;

const Name = z.object({ name: z.string(), first_seen: timestamp, last_seen: timestamp }).meta({ id: 'PlayerName' });

/** Fields that the specification does not have. */
const Extras = {
  names: z.array(Name).meta({ description: `The newest ${MAX_NAMES} names of the player, the present one first` }),
  head_url: linkOrEmpty.meta({ description: "Image of the player's head, which pages of every origin may read" }),
  counters: PlayerCounters,
  places: PlayerPlaces,
  form: Form,
  private: z.boolean().meta({
    description:
      'Whether the profile is private: logins, names and statistics are then empty or zero. The feed has it without `fields`, if it is true',
  }),
};
type ExtraName = keyof typeof Extras;
type Fields = ReadonlySet<GroupName | ExtraName>;
const EXTRA_FIELDS = Object.keys(Extras) as ExtraName[];

export const PlayerShape = z
  .object({
    id,
    name: z.string(),
    uuid: z.string(),
    last_login: z.union([timestamp, z.literal('')]),
    last_login_server: z.string(),
    last_logout: z.union([timestamp, z.literal('')]),
    banned: z.boolean().meta({ description: 'Whether a ban is active' }),
    permalink_url: linkOrEmpty,
    ...groupMembers,
    ...z.object(Extras).partial().shape,
  })
  .meta({ id: 'Player' });

export const PLAYER =
  'A UUID, a player name (ignoring case), a player id, or `me` for the player of the access token; `name:` before a name says that it is one (`name:me`, `name:..`)';

export const players: Endpoint[] = [
  endpoint({
    path: '/v1/players/:id',
    tag: 'Player',
    summary: 'One player; `fields` adds statistics by game mode',
    id: PLAYER,
    query: { fields: fieldsOf([...GROUP_FIELDS, ...EXTRA_FIELDS]) },
    response: PlayerShape,
    handle: async (endpointContext) => {
      const { deps, query } = endpointContext;
      const player = await findRequested(endpointContext);
      if (player === undefined) return await deletedWire(endpointContext, query.fields);
      const audience = await audienceAbout(endpointContext);
      const others = await audienceOf(endpointContext);
      return {
        ...(await wire(deps, player, audience)),
        ...(await fieldsWire(deps, player, query.fields, { audience, others })),
      };
    },
  }),
  endpoint({
    path: '/v1/players/:id/matches',
    tag: 'Player',
    summary: "A player's matches, newest first",
    id: PLAYER,
    query: paging,
    response: z.array(ListedMatchShape),
    handle: async (endpointContext) => {
      const { deps, query } = endpointContext;
      const key = await requireRecords(endpointContext);
      return (await listPlayedMatches(deps.db, key, query.max_id, query.limit)).map((played) =>
        playedWire(deps, played),
      );
    },
  }),
  killList('kills', 'kills', killsBelow),
  killList('deaths', 'deaths, also those without a killer', deathsBelow),
];

function killList(name: string, title: string, read: typeof deathsBelow): Endpoint {
  return endpoint({
    path: `/v1/players/:id/${name}`,
    tag: 'Player',
    summary: `A player's ${title}, in the matches that report them; newest first`,
    id: PLAYER,
    query: pagingBy(positionOf, NEWEST_KILL),
    response: z.array(ListedKillShape),
    handle: async (endpointContext) => {
      const { deps, query } = endpointContext;
      const key = await requireRecords(endpointContext);
      const audience = await audienceOf(endpointContext);
      const found = await read(deps.db, key, { before: query.max_id, limit: query.limit, audience });
      return found.map((kill) => ({ id: killIdOf(kill), ...killWire(deps, kill) }));
    },
  });
}

/**
 * The key of the player that has the records which the caller may read: that of no player if the profile is private.
 * @throws HttpError 404 if there is no such player, 403 as `findRequested`
 */
export async function requireRecords(request: RequestAboutPlayer): Promise<number> {
  const player = await findRequested(request);
  if (player === undefined) throw unknownPlayer();
  return recordsOf(request.deps, player, await audienceAbout(request));
}

async function recordsOf({ db }: Deps, { key, uuid }: Player, audience: Audience): Promise<number> {
  return audience === 'public' && (await isPrivate(db, uuid)) ? strippedPlayer(uuid).key : key;
}

/**
 * The player that `:id` names; undefined if there is none.
 * @throws HttpError 403 if `me` lacks a user's token with the scope profile
 */
export async function findRequested(request: RequestAboutPlayer): Promise<Player | undefined> {
  const { deps, id: text } = request;
  const player = text === 'me' ? await ownPlayer(request) : await findPlayer(deps.db, text, await audienceOf(request));
  if (player !== undefined) request.about.add(player.uuid);
  return player;
}

export type RequestAboutPlayer = PlayerRequest & Pick<EndpointContext, 'about'>;

/** The audience of an answer about a player; `me` is for the person. */
async function audienceAbout(request: PlayerRequest): Promise<Audience> {
  return request.id === 'me' ? 'insiders' : await audienceOf(request);
}

export const unknownPlayer = (): HttpError => notFound('There is no player with this UUID, name or id.');

/** 403 with the challenge of RFC 6750 section 3.1, which names the scope to request. */
function insufficientScope(): HttpError {
  const sentence = '`me` needs the access token of a user, with the scope profile.';
  const challenge = `Bearer error="insufficient_scope", error_description="${sentence}", scope="profile"`;
  return new HttpError(403, 'insufficient_scope', sentence, { 'www-authenticate': challenge });
}

async function ownPlayer({ deps, caller }: Omit<PlayerRequest, 'id'>): Promise<Player> {
  if (caller.kind !== 'user' || !caller.scopes.includes('profile')) {
    throw insufficientScope();
  }
  const uuid = await accountPlayerUuid(deps.db, caller.accountId);
  const player = uuid === undefined ? undefined : await playerByUuid(deps.db, uuid);
  if (player === undefined)
    throw notFound('The account of this token is not linked to a player who has been on the network.');
  return player;
}

/** Players as JSON, as `/v1/players/:id` gives them, by key; private ones say so. */
export async function playersJson(deps: Deps, keys: readonly number[]): Promise<Map<number, string>> {
  const found = await playersByKeys(deps.db, keys);
  const items = await playersWire(deps, found);
  const uuids = found.map(({ uuid }) => uuid);
  const hidden = await privateAmong(deps.db, uuids, 'profile');
  const json = (item: PlayerWire): string => JSON.stringify(hidden.has(item.uuid) ? { ...item, private: true } : item);
  return new Map(found.map(({ key }, index) => [key, json(items[index]!)]));
}

export type PlayerWire = z.input<typeof PlayerShape>;

const wire = async (deps: Deps, player: Player, audience: Audience): Promise<PlayerWire> =>
  (await playersWire(deps, [player], audience))[0]!;

/** The specified members of players. */
export async function playersWire(
  { db, clock, timestamp: write, site }: Deps,
  players: readonly Player[],
  audience: Audience = 'public',
): Promise<PlayerWire[]> {
  const keys = players.map(({ key }) => key);
  const [shown, banned] = await Promise.all([allAsShown(db, players, audience), bannedPlayers(db, keys, clock.now())]);
  return shown.map(({ key, name, uuid, last_login, last_login_server, last_logout }) => ({
    id: idOf(key),
    name,
    uuid,
    last_login: last_login === null ? '' : write(last_login),
    last_login_server,
    last_logout: last_logout === null ? '' : write(last_logout),
    banned: banned.has(key),
    permalink_url: `${site}/players/${uuid}`,
  }));
}

/** A deleted player, as game servers and staff may know it: all members are empty but `banned`. */
async function deletedWire(request: PlayerRequest, fields: Fields): Promise<PlayerWire> {
  const deleted = await findDeleted(request);
  if (deleted === undefined) throw unknownPlayer();
  const members = await fieldsWire(request.deps, strippedPlayer(deleted.uuid), fields, {
    audience: 'public',
    others: 'public',
  });
  return {
    ...(await strippedWire(request.deps, deleted)),
    ...members,
    ...('head_url' in members && { head_url: '' }),
  };
}

/** The specified members of a deleted player. */
export async function strippedWire(deps: Deps, { uuid, punishments }: DeletedPlayer): Promise<PlayerWire> {
  const empty = await wire(deps, strippedPlayer(uuid), 'public');
  return { ...empty, id: '', banned: punishments.some(isBan), permalink_url: '' };
}

/** @param others whether the other players of kills are shown as insiders see them */
async function fieldsWire(
  deps: Deps,
  player: Player,
  fields: Fields,
  { audience, others }: { audience: Audience; others: Audience },
): Promise<Partial<PlayerWire>> {
  const key = await recordsOf(deps, player, audience);
  const groups = GROUP_FIELDS.filter((name) => fields.has(name));
  return {
    ...(groups.length > 0 && (await groupsWire({ deps, key, others }, await statsOf(deps.db, key), groups))),
    ...(fields.has('names') && { names: await namesWire(deps, player, audience) }),
    ...(fields.has('head_url') && { head_url: `${deps.site}/players/${player.uuid}/head` }),
    ...(fields.has('counters') && { counters: await playerCountersWire(deps, key) }),
    ...(fields.has('places') && { places: await playerPlacesWire(deps, key) }),
    ...(fields.has('form') && { form: await formWire(deps, key) }),
    ...(fields.has('private') && { private: await isPrivate(deps.db, player.uuid) }),
  };
}

/** Their times would tell when a hidden player came, so that such a player has none. */
async function namesWire(
  { db, timestamp: write }: Deps,
  { key, uuid }: Player,
  audience: Audience,
): Promise<z.input<typeof Name>[]> {
  if (!(await showsNames(db, uuid, audience))) return [];
  const names = await namesOf(db, key);
  return names
    .slice(0, MAX_NAMES)
    .map(({ name, first_seen, last_seen }) => ({ name, first_seen: write(first_seen), last_seen: write(last_seen) }));
}
