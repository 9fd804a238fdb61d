import { z } from 'zod';
import { idOf } from '#platform/ids.ts';
import { notFound, HttpError } from '#http/errors.ts';
import { safeNumber } from '#db/db.ts';
import { accountPlayerUuid } from '#store/accounts/accounts.ts';
import { standingOf } from '#store/game/factions.ts';
import { factsOf, killsOf, matchesOf } from '#store/game/matches.ts';
import { findPlayer, type Player, playerByUuid } from '#store/game/players.ts';
import { GROUP_NAMES, type Stats, statsOf } from '#store/game/player-stats.ts';
import { isBanned } from '#store/game/punishments.ts';
import { type EndpointContext, type Endpoint, endpoint, fieldsOf, type Deps } from './endpoint.ts';
import { count, id, link, timestamp, person, seconds } from './schemas.ts';

const NEWEST = 20;

const played = { win_count: count, lose_count: count, play_count: count, time_played: seconds };
const fought = { kill_count: count, death_count: count, ...played };
const shot = { shot_count: count, hit_count: count };

const Groups = {
  bowspleef: z.object(played),
  cp: z.object(fought),
  ctw: z.object({ ...fought, wool_placed: count }),
  factions: z.object({
    kill_count: count,
    death_count: count,
    time_played: seconds,
    power: z.number(),
    faction: z.string(),
  }),
  kills: z.array(z.object({ killer: person, victim: person, match: id, map: z.string(), time: timestamp })),
  matches: z.array(
    z.object({
      id,
      map: z.string(),
      gamemode: z.string(),
      result: z.enum(['win', 'lose', 'draw']),
      score: z.int(),
      kill_count: count,
      death_count: count,
      started: timestamp,
      finished: timestamp,
    }),
  ),
  objective: z.object({ ...fought, core_leaked: count, destroyable_destroyed: count, flag_captured: count }),
  paintball: z.object({ ...fought, ...shot }),
  splatt: z.object({ ...fought, ...shot, paint_count: count }),
  teampvp: z.object({ ...fought, score: z.int(), kd_ratio: z.number(), objective_completed: count }),
  total: z.object(fought),
  tntrun: z.object(played),
};

type GroupName = keyof typeof Groups;
type GroupWire = { [G in GroupName]: z.input<(typeof Groups)[G]> };

const PlayerShape = z
  .object({
    id,
    name: z.string(),
    uuid: z.string(),
    last_login: z.union([timestamp, z.literal('')]),
    last_login_server: z.string(),
    last_logout: z.union([timestamp, z.literal('')]),
    banned: z.boolean().meta({ description: 'Whether a ban is active' }),
    permalink_url: link,
    ...z.object(Groups).partial().shape,
  })
  .meta({ id: 'Player' });

export const players: Endpoint[] = [
  endpoint({
    path: '/v1/players/:id',
    tag: 'Player',
    summary: 'One player; `fields` adds statistics by game mode',
    id: 'A UUID, a player name (ignoring case), a player id, or `me` for the player of the access token',
    query: { fields: fieldsOf(Object.keys(Groups) as [GroupName, ...GroupName[]]) },
    response: PlayerShape,
    handle: async (endpointContext) => {
      const player = await requirePlayer(endpointContext as EndpointContext);
      return {
        ...(await wire(endpointContext.deps, player)),
        ...(await groupsWire(endpointContext.deps, player, [...endpointContext.query.fields])),
      };
    },
  }),
];

/**
 * The player that `:id` names.
 * @throws HttpError 404 if there is none, 403 if `me` lacks a user's token with the scope profile
 */
export async function requirePlayer({ deps, caller, id: text }: EndpointContext): Promise<Player> {
  if (text === 'me') return await ownPlayer({ deps, caller });
  const player = await findPlayer(deps.db, text);
  if (player === undefined) throw notFound('There is no player with this UUID, name or id.');
  return player;
}

/** 403 with the challenge of RFC 6750 section 3.1, which names the scope to request. */
function insufficientScope(): HttpError {
  const sentence = '`me` needs the access token of a user, with the scope profile.';
  const challenge = `Bearer error="insufficient_scope", error_description="${sentence}", scope="profile"`;
  return new HttpError(403, 'insufficient_scope', sentence, { 'www-authenticate': challenge });
}

async function ownPlayer({ deps, caller }: Pick<EndpointContext, 'deps' | 'caller'>): Promise<Player> {
  if (caller.kind !== 'user' || !caller.scopes.includes('profile')) {
    throw insufficientScope();
  }
  const uuid = await accountPlayerUuid(deps.db, caller.accountId);
  const player = uuid === undefined ? undefined : await playerByUuid(deps.db, uuid);
  if (player === undefined)
    throw notFound('The account of this token is not linked to a player who has been on the network.');
  return player;
}

async function wire({ db, clock, timestamp: write, site }: Deps, player: Player): Promise<z.input<typeof PlayerShape>> {
  const { name, uuid, last_login, last_login_server, last_logout } = player;
  return {
    id: idOf(player.key),
    name,
    uuid,
    last_login: last_login === null ? '' : write(last_login),
    last_login_server,
    last_logout: last_logout === null ? '' : write(last_logout),
    banned: await isBanned(db, player.key, clock.now()),
    permalink_url: `${site}/players/${uuid}`,
  };
}

async function groupsWire(deps: Deps, player: Player, names: GroupName[]): Promise<Partial<GroupWire>> {
  if (names.length === 0) return {};
  const stats = await statsOf(deps.db, player.key);
  const groups = names.map(async (name) => [name, await groupWire(deps, player, stats, name)] as const);
  return Object.fromEntries(await Promise.all(groups)) as Partial<GroupWire>;
}

async function groupWire(deps: Deps, { key }: Player, stats: Stats, name: GroupName): Promise<GroupWire[GroupName]> {
  switch (name) {
    case 'matches':
      return await matchesWire(deps, key);
    case 'kills':
      return await killsWire(deps, key);
    case 'factions':
      return { ...countersWire(stats.factions), ...(await standingOf(deps.db, key)) } as GroupWire['factions'];
    case 'total':
      return totalWire(stats);
    case 'teampvp': {
      const { kill, death } = stats.teampvp as { kill: number; death: number };
      return { ...countersWire(stats.teampvp), kd_ratio: death === 0 ? kill : kill / death } as GroupWire['teampvp'];
    }
    default:
      return countersWire(stats[name]) as GroupWire[GroupName];
  }
}

async function matchesWire({ db, timestamp: write }: Deps, playerKey: number): Promise<GroupWire['matches']> {
  return (await matchesOf(db, playerKey, NEWEST)).map((played) => {
    const { id: matchId, map, gamemode } = factsOf(played.head);
    const { result, score, kill_count, death_count } = played;
    const [started, finished] = [write(played.started), write(played.finished)];
    return { id: matchId, map, gamemode, result, score, kill_count, death_count, started, finished };
  });
}

async function killsWire({ db, timestamp: write }: Deps, playerKey: number): Promise<GroupWire['kills']> {
  const kills = await killsOf(db, playerKey, NEWEST);
  return kills.map(({ killer, victim, match, map, time }) => ({
    killer,
    victim,
    match: idOf(match),
    map,
    time: write(time),
  }));
}

/** The wire name of each counter in the field groups of a player. */
const WIRE_NAMES: Record<string, string> = {
  kill: 'kill_count',
  death: 'death_count',
  win: 'win_count',
  lose: 'lose_count',
  play: 'play_count',
  time: 'time_played',
  shot: 'shot_count',
  hit: 'hit_count',
  paint: 'paint_count',
  wool: 'wool_placed',
  core: 'core_leaked',
  destroyable: 'destroyable_destroyed',
  flag: 'flag_captured',
  score: 'score',
  objective: 'objective_completed',
};

function countersWire(counters: Record<string, number>): Record<string, number> {
  const wire: Record<string, number> = {};
  for (const [name, value] of Object.entries(counters)) wire[WIRE_NAMES[name]!] = value;
  return wire;
}

function totalWire(stats: Stats): GroupWire['total'] {
  const sum = (counter: string): number =>
    safeNumber(GROUP_NAMES.reduce((total, group) => total + (stats[group][counter] ?? 0), 0));
  return {
    kill_count: sum('kill'),
    death_count: sum('death'),
    win_count: sum('win'),
    lose_count: sum('lose'),
    play_count: sum('play'),
    time_played: sum('time'),
  };
}
