import { strong } from './kills.ts';
import type { Gamemode } from './modes.ts';
import { Random } from '../random.ts';
import type { Fixture } from '../schedule.ts';
import { type Fighter, type Side, presentAt } from './teams.ts';

export interface Goal {
  side: Side;
  fighter: Fighter | null;
  type: 'wool' | 'core' | 'destroyable' | 'flag' | 'control_point' | 'other';
  name: string;
  color: string;
  time: number;
}

const DYES = [
  'orange',
  'magenta',
  'light_blue',
  'yellow',
  'lime',
  'pink',
  'cyan',
  'purple',
  'blue',
  'brown',
  'green',
  'red',
];
const PLACES = ['Mill', 'Gate', 'Well', 'Tower', 'Yard', 'Bell', 'Dock', 'Garden', 'Stair', 'Arch'];

/** The wools of a map: two for each side, which the others keep; with four sides one each. */
export function woolsOf(map: string): string[] {
  return new Random('wools', map).shuffled(DYES);
}

/** What a side has to complete, on this map in this mode. */
type Task = Pick<Goal, 'type' | 'name' | 'color'>;

/** The goals of a match that is won by completing all of one's own first; without a winner everybody lacks one. */
export function completeGoals(
  random: Random,
  fixture: Fixture,
  sides: readonly Side[],
  winner: Side | undefined,
): Goal[] {
  const goals = sides.flatMap((side, place) => {
    const tasks = tasksOf(fixture, sides, place);
    const done = side === winner ? tasks.length : random.int(0, tasks.length - 1);
    const goals = random
      .shuffled(tasks)
      .slice(0, done)
      .map((task) => reach(random, fixture, side, task));
    return side === winner ? endWith(goals, fixture.finished) : goals;
  });
  return goals.sort((a, b) => a.time - b.time);
}

/** The deciding goal ends the match. */
function endWith(goals: Goal[], finished: number): Goal[] {
  const last = goals.reduce((latest, goal) => (goal.time > latest.time ? goal : latest));
  return goals.map((goal) => (goal === last ? { ...goal, time: finished } : goal));
}

function tasksOf({ gamemode, map }: Fixture, sides: readonly Side[], place: number): Task[] {
  const others = sides.filter((_, other) => other !== place);
  if (gamemode === 'ctw') {
    const dyes = woolsOf(map.name);
    const own = sides.length === 2 ? [place * 2, place * 2 + 1] : [place, (place + 1) % sides.length];
    return own.map((dye) => ({ type: 'wool', name: `${titled(dyes[dye]!)} Wool`, color: dyes[dye]! }));
  }
  if (gamemode === 'dtc') return others.map(({ name, color }) => ({ type: 'core', name: `${name} Core`, color }));
  return others.flatMap(({ name, color }) =>
    ['East', 'West'].map((wing): Task => ({ type: 'destroyable', name: `${name} ${wing} Monument`, color })),
  );
}

function titled(dye: string): string {
  return dye.replace(/(^|_)(.)/g, (_, gap: string, letter: string) => (gap && ' ') + letter.toUpperCase());
}

/** A core leaks by itself now and then: nobody gets it then. */
function reach(random: Random, fixture: Fixture, side: Side, task: Task): Goal {
  const time = Math.floor(
    random.between(fixture.started + (fixture.finished - fixture.started) * 0.25, fixture.finished),
  );
  const alone = task.type === 'core' && random.chance(0.2);
  return { ...task, side, fighter: alone ? null : strong(random, presentAt(side, time)), time };
}

/** Flags carried home: the winner has the most, or all it needs. */
export function captureFlags(
  random: Random,
  fixture: Fixture,
  sides: readonly Side[],
  winner: Side | undefined,
): Goal[] {
  const target = /five captures/.test(fixture.map.objective) ? 5 : 3;
  const best = winner === undefined ? random.int(0, target - 1) : random.int(1, target);
  const goals = sides.flatMap((side) => {
    const captures = side === winner || winner === undefined ? best : random.int(0, best - 1);
    const { name, color } = sides.find((other) => other !== side)!;
    const task: Task = { type: 'flag', name: `${name} Flag`, color };
    const goals = Array.from({ length: captures }, () => reach(random, fixture, side, task));
    return side === winner && captures === target ? endWith(goals, fixture.finished) : goals;
  });
  return goals.sort((a, b) => a.time - b.time);
}

/** Points taken from each other, back and forth: a team takes them, and only sometimes one alone stands on it. */
export function capturePoints(random: Random, fixture: Fixture, sides: readonly Side[]): Goal[] {
  const count = fixture.gamemode === 'koth' ? 1 : 3;
  const names = count === 1 ? ['Hill'] : new Random('points', fixture.map.name).shuffled(PLACES).slice(0, count);
  const minutes = (fixture.finished - fixture.started) / 60_000;
  const times = Array.from({ length: random.count(minutes * 0.6) + 1 }, () =>
    random.between(fixture.started + 15_000, fixture.finished),
  );
  const owners = new Map<string, Side>();
  return times
    .sort((a, b) => a - b)
    .map((timestamp) => {
      const [time, name] = [Math.floor(timestamp), random.pick(names)];
      const side = random.pick(sides.filter((other) => other !== owners.get(name)));
      owners.set(name, side);
      const alone = random.chance(0.4);
      return {
        side,
        fighter: alone ? strong(random, presentAt(side, time)) : null,
        type: 'control_point',
        name,
        color: side.color,
        time,
      };
    });
}

/** Crates that a tdm map may hold: they decide nothing and pay a bonus. */
export function openCrates(random: Random, fixture: Fixture, sides: readonly Side[]): Goal[] {
  if (!fixture.map.objective.includes('Crates')) return [];
  const times = Array.from({ length: random.int(2, 6) }, () =>
    Math.floor(random.between(fixture.started + 60_000, fixture.finished)),
  );
  return times
    .sort((a, b) => a - b)
    .map((time) => {
      const side = random.pick(sides);
      return {
        side,
        fighter: strong(random, presentAt(side, time)),
        type: 'other',
        name: 'Crate',
        color: side.color,
        time,
      };
    });
}

export type Goals = (random: Random, fixture: Fixture, sides: readonly Side[], winner: Side | undefined) => Goal[];

export const GOALS: Partial<Record<Gamemode, Goals>> = {
  ctw: completeGoals,
  dtc: completeGoals,
  dtm: completeGoals,
  ctf: captureFlags,
  cp: capturePoints,
  koth: capturePoints,
  tdm: openCrates,
};
