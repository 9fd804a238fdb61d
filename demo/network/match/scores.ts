import type { Kill } from './kills.ts';
import type { Goal } from './objectives.ts';
import { modeOf } from './modes.ts';
import type { Random } from '../random.ts';
import type { Fixture } from '../schedule.ts';
import { type Fighter, type Side, secondsOf } from './teams.ts';

/** The course of a match: sides, kills, completed goals, scores, painted blocks and the winner. */
export interface Course {
  sides: Side[];
  kills: Kill[];
  goals: Goal[];
  scores: Map<Fighter, number>;
  painted: Map<Fighter, number>;
  winner: Side | undefined;
  /** The other winners. */
  equals: Side[];
}

export function scoresOf(
  random: Random,
  fixture: Fixture,
  course: Omit<Course, 'scores' | 'equals'>,
): Map<Fighter, number> {
  const mode = modeOf(fixture.gamemode);
  if (mode.decidedBy === 'paint') return course.painted;
  if (mode.decidedBy === 'kills') return tally(course.kills.map(({ killer }) => killer));
  if (fixture.gamemode === 'cp' || fixture.gamemode === 'koth') return holdingPoints(random, fixture, course);
  return tally(course.goals.map(({ fighter }) => fighter));
}

function tally(fighters: readonly (Fighter | null)[]): Map<Fighter, number> {
  const counts = new Map<Fighter, number>();
  for (const fighter of fighters) if (fighter !== null) counts.set(fighter, (counts.get(fighter) ?? 0) + 1);
  return counts;
}

/** Points for holding ground: the winner reaches the number in the map's objective, the others stay below. */
function holdingPoints(
  random: Random,
  fixture: Fixture,
  { sides, winner }: Pick<Course, 'sides' | 'winner'>,
): Map<Fighter, number> {
  const target = Number(/\d{3}/.exec(fixture.map.objective)?.[0] ?? 300);
  const level = Math.floor(target * random.between(0.5, 0.9));
  const scores = new Map<Fighter, number>();
  for (const side of sides) {
    const points = winner === undefined ? level : side === winner ? target : Math.floor(level * random.between(0.4, 1));
    for (const [fighter, score] of split(random, side, points)) scores.set(fighter, score);
  }
  return scores;
}

/** Splits points among a side's fighters by strength and luck; the parts add up to `points`. */
function split(random: Random, side: Side, points: number): [Fighter, number][] {
  const weights = side.fighters.map(({ strength }) => strength * random.between(0.4, 1.6));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let cumulative = 0;
  return side.fighters.map((fighter, place) => {
    const before = Math.round((points * cumulative) / total);
    cumulative += weights[place]!;
    return [fighter, Math.round((points * cumulative) / total) - before];
  });
}

export function paintOf(random: Random, sides: readonly Side[]): Map<Fighter, number> {
  const fighters = sides.flatMap((side) => side.fighters);
  return new Map(
    fighters.map((fighter) => [
      fighter,
      Math.round(secondsOf(fighter) * random.between(1.1, 2.2) * fighter.strength ** 0.5),
    ]),
  );
}
