import { Random } from '../random.ts';
import type { Fixture } from '../schedule.ts';
import type { Kill } from './kills.ts';
import type { Fighter } from './teams.ts';

/** A death in the list of a match; a fall into the void has no killer. */
interface Death extends Omit<Kill, 'killer'> {
  killer: Fighter | null;
  location?: { world: string; x: number; y: number; z: number };
}

/** The size of a map in blocks, from its middle. */
const REACH = 70;
/** Servers of some games do not report where a death was. */
const UNKNOWN_PLACES = 0.05;

/** The deaths of a match by their time, with their places: all kills, and the falls into the void. */
export function deathsOf(seed: string, fixture: Fixture, kills: readonly Kill[], falls: readonly Fighter[]): Death[] {
  const random = new Random(seed, 'places', fixture.id);
  const world = fixture.map.name.toLowerCase().replace(/\W+/g, '_');
  const place = (low: number, high: number) => {
    const [x, z, y] = [random.between(-REACH, REACH), random.between(-REACH, REACH), random.between(low, high)];
    const [wholeX, wholeY, wholeZ] = [x, y, z].map((one) => Math.round(one * 100) / 100) as [number, number, number];
    return random.chance(UNKNOWN_PLACES) ? {} : { location: { world, x: wholeX, y: wholeY, z: wholeZ } };
  };
  const killed = kills.map((kill) => ({ ...kill, ...place(8, 60) }));
  const falling = falls.map((victim) => {
    const time = Math.floor(random.between(victim.from, victim.to));
    return { killer: null, victim, time, ...place(-40, -1) };
  });
  return [...killed, ...falling].sort((a, b) => a.time - b.time);
}
