import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAP_ROWS, type MapRow } from './map-list.ts';
import type { Player } from './people/players.ts';
import { Random } from './random.ts';

export interface Author {
  name: string;
  uuid: string;
  contribution: string;
}

export interface SampleMap extends MapRow {
  number: number;
  /** Players of the network, and sometimes a guest without a known account. */
  authors: readonly Author[];
  proto: string;
  path: string;
}

const GUESTS = ['Old Pilchard', 'the Tuesday crew', 'Maudlin Fogg', 'Brambletop', 'Iris of the Locks'];
const CONTRIBUTIONS = ['Terrain', 'Bases', 'Concept', 'Balance', 'Redstone', 'Interior', 'Trees', 'Testing', 'XML'];

/** The 40 maps, with authors chosen from the network's players. */
export function sampleMaps(seed: string, players: readonly Player[]): SampleMap[] {
  return MAP_ROWS.map((row, number) => {
    const random = new Random(seed, 'map', row.name);
    const folder = row.name.toLowerCase().replaceAll(' ', '_');
    return {
      ...row,
      number,
      authors: chooseAuthors(random, players.slice(0, 90)),
      proto: random.pick(['1.4.2', '1.5.0', '1.5.0']),
      path: `${row.gamemodes[0]}/${folder}`,
    };
  });
}

/** The picture of a map from above, a PNG of 290 by 246. */
export function pictureOf({ name }: SampleMap): Buffer {
  const file = `${name.toLowerCase().replaceAll(' ', '-')}.png`;
  return readFileSync(join(import.meta.dirname, 'pictures', file));
}

/** The first one or two built the map and have no contribution; the others helped. */
function chooseAuthors(random: Random, builders: readonly Player[]): Author[] {
  const people = random.shuffled(builders).slice(0, random.weighted([4, 4, 2, 1]) + 1);
  const makers = random.int(1, Math.min(2, people.length));
  const authors = people.map(({ name, uuid }, place) => ({
    name,
    uuid,
    contribution: place < makers ? '' : random.pick(CONTRIBUTIONS),
  }));
  if (random.chance(0.2))
    authors.push({ name: random.pick(GUESTS), uuid: '', contribution: random.pick(CONTRIBUTIONS) });
  return authors;
}
