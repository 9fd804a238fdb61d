import { readFileSync, writeFileSync } from 'node:fs';
import type { Result } from './compare.ts';
import { median } from './statistics.ts';

/** The minimum CPU ratio of each case, by its name. */
export type Floors = Readonly<Record<string, number>>;

/** By database, with the number of matches that a run has without options. */
const FILE = new URL('./floors.json', import.meta.url);
/** The part of a measured ratio that becomes the floor. What is left out covers noise and other processors. */
const SHARE = 0.8;

const readAll = (): Record<string, Floors> => JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Floors>;

export const readFloors = (database: string): Floors => readAll()[database] ?? {};

/** The floors that follow from several runs. Cases without a baseline have none. */
export function floorsFrom(runs: readonly (readonly Result[])[]): Floors {
  const names = runs[0]!.filter(({ hasBaseline }) => hasBaseline).map(({ name }) => name);
  return Object.fromEntries(
    names.map((name) => {
      const ratios = runs.map((run) => run.find((result) => result.name === name)!.cpu_ratio);
      return [name, Number((median(ratios) * SHARE).toPrecision(2))];
    }),
  );
}

/** Replaces the floors of the measured cases; all others stay. */
export function saveFloors(database: string, floors: Floors): void {
  const all = readAll();
  writeFileSync(FILE, `${JSON.stringify({ ...all, [database]: { ...all[database], ...floors } }, undefined, 2)}\n`);
}

/** A sentence for each result that is below its floor. */
export function belowFloor(results: readonly Result[], floors: Floors): string[] {
  return results.flatMap(({ name, cpu_ratio }) => {
    const floor = floors[name];
    if (floor === undefined || cpu_ratio >= floor) return [];
    return [`${name}: the CPU ratio is ${cpu_ratio.toFixed(3)}; its minimum is ${floor}`];
  });
}
