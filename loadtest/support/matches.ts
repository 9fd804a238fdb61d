import { randomUUID } from 'node:crypto';
import { generator } from './random.ts';

/** Random matches for load tests, reproducible by a seed. */

export interface Population {
  players: { uuid: string; name: string }[];
  /** A random number from 0 to below 1. */
  draw: () => number;
}

export function createPopulation(size: number, seed = 1): Population {
  const draw = generator(seed);
  const hex = (length: number): string => Array.from({ length }, () => Math.floor(draw() * 16).toString(16)).join('');
  const players = Array.from({ length: size }, (_, number) => ({
    uuid: `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
    name: `Player${number}`,
  }));
  return { players, draw };
}

const MODES = ['ctw', 'tdm', 'dtc', 'cp', 'splatt'];
const MAPS = ['Twin Peaks', 'Harbour', 'Old Mill', 'Canyon', 'Glacier'];

/** A finished match with `size` players that ended within the minute before `now`. */
export function matchOf({ players, draw }: Population, size: number, now: number, id: string = randomUUID()) {
  const pick = (below: number): number => Math.floor(draw() * below);
  const chosen = new Set<number>();
  while (chosen.size < size) chosen.add(pick(players.length));
  const played = [...chosen].map((number) => ({
    ...players[number]!,
    score: pick(50),
    kill_count: pick(30),
    death_count: pick(30),
    shot_count: pick(500),
    hit_count: pick(200),
    paint_count: 0,
    time_played: 600,
  }));
  const finished = now - pick(60_000);
  const half = size / 2;
  return {
    version: 1,
    id,
    type: 'match.finished',
    time: new Date(finished).toISOString(),
    data: {
      map: MAPS[pick(MAPS.length)]!,
      gamemode: MODES[pick(MODES.length)]!,
      ranked: draw() < 0.5,
      win: draw() < 0.1 ? '' : draw() < 0.5 ? 'Red' : 'Blue',
      started: new Date(finished - 600_000).toISOString(),
      finished: new Date(finished).toISOString(),
      teams: [
        { name: 'Red', players: played.slice(0, half) },
        { name: 'Blue', players: played.slice(half) },
      ],
      objectives: [],
    },
  };
}
