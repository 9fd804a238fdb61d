import { z } from 'zod';
import { boundOf, idOf, keyOf } from '#platform/ids.ts';
import type { Death, KillPosition } from '#store/game/kills.ts';
import { factsOf, type PlayedMatch } from '#store/game/matches.ts';
import type { Deps } from './endpoint.ts';
import { count, id, timestamp } from './schemas.ts';

/** A player's matches, kills and deaths: in the field groups `matches` and `kills`, and as items of separate lists. */

const block = z.int().nullable();
/** Never null: clients in use read its members without a check, and as integers. */
const location = z.object({ world: z.string().nullable(), x: block, y: block, z: block }).meta({
  description: 'The block where the victim died, its coordinates rounded down; a member is null if unknown',
});

const killMembers = {
  killer: z.string().meta({ description: 'Name at the time; empty for a death without a killer' }),
  killer_uuid: z.string().meta({ description: 'Empty for a death without a killer' }),
  victim: z.string().meta({ description: 'Name at the time' }),
  victim_uuid: z.string(),
  match_id: id,
  map: z.string(),
  location,
  time: timestamp,
};

const playedMembers = {
  id,
  map: z.string(),
  gamemode: z.string(),
  result: z.enum(['win', 'lose', 'draw']),
  score: z.int(),
  kill_count: count,
  death_count: count,
  envdeath_count: count.meta({ description: 'Deaths without a killer; 0 if the server does not report kills' }),
  started: timestamp,
  finished: timestamp,
  time: timestamp.meta({ description: 'The same as `finished`' }),
};

export const KillShape = z.object(killMembers).meta({ id: 'Kill' });
export const PlayedMatchShape = z.object(playedMembers).meta({ id: 'PlayedMatch' });

export const ListedKillShape = z
  .looseObject({ id, ...killMembers })
  .meta({ id: 'ListedKill', description: 'Members may be added' });
export const ListedMatchShape = z
  .looseObject(playedMembers)
  .meta({ id: 'ListedMatch', description: 'A match of the player. Members may be added' });

/** The position after the newest kill. */
export const NEWEST_KILL: KillPosition = { match: Number.MAX_SAFE_INTEGER, number: 0 };

export function playedWire({ timestamp: write }: Deps, played: PlayedMatch): z.input<typeof PlayedMatchShape> {
  const { id: matchId, map, gamemode } = factsOf(played.head);
  const { result, score, kill_count, death_count, envdeath_count } = played;
  const [started, finished] = [write(played.started), write(played.finished)];
  const counts = { kill_count, death_count, envdeath_count };
  return { id: matchId, map, gamemode, result, score, ...counts, started, finished, time: finished };
}

export function killWire({ timestamp: write }: Deps, kill: Death): z.input<typeof KillShape> {
  const { killer, victim, match, map, location: place, time } = kill;
  return {
    killer: killer?.name ?? '',
    killer_uuid: killer?.uuid ?? '',
    victim: victim.name,
    victim_uuid: victim.uuid,
    match_id: idOf(match),
    map,
    location: locationWire(place),
    time: write(time),
  };
}

function locationWire(place: Death['location']): z.input<typeof location> {
  if (place === null) return { world: null, x: null, y: null, z: null };
  const [x, y, z] = [place.x, place.y, place.z].map(Math.floor) as [number, number, number];
  return { world: place.world === '' ? null : place.world, x, y, z };
}

const MATCH_WIDTH = 11;
const NUMBER_WIDTH = 3;
const PADDING = '0'.repeat(MATCH_WIDTH - NUMBER_WIDTH);

/** The id of a kill: the id of its match, then its number in three characters that sort like it (a match has 20,000 at most). */
export const killIdOf = ({ match, number }: KillPosition): string => idOf(match) + idOf(number).slice(-NUMBER_WIDTH);

/** The position before which the kills with smaller ids than the text are, for any text. */
export function positionOf(text: string): KillPosition {
  const match = keyOf(text.slice(0, MATCH_WIDTH));
  if (match === undefined) return { match: boundOf(text), number: 0 };
  return { match, number: boundOf(PADDING + text.slice(MATCH_WIDTH)) };
}
