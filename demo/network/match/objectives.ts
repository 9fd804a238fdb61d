import { pickStrong } from './kills.ts';
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

/** The wool colours of a map in a fixed order: with two sides, two for each side; with four sides, one for each. */
function woolsOf(map: string): string[] {
  return new Random('wools', map).shuffled(DYES);
}

/** An objective that a side has to complete. */
type Task = Pick<Goal, 'type' | 'name' | 'color'>;

/** The goals of a match that is won by the side that completes all its objectives; without a winner no side does. */
function completeGoals(random: Random, fixture: Fixture, sides: readonly Side[], winner: Side | undefined): Goal[] {
  const goals = sides.flatMap((side, place) => {
    const tasks = listTasks(fixture, sides, place);
    const done = side === winner ? tasks.length : random.int(0, tasks.length - 1);
    const goals = random
      .shuffled(tasks)
      .slice(0, done)
      .map((task) => completeGoal(random, fixture, side, task));
    return side === winner ? endWith(goals, fixture.finished) : goals;
  });
  return goals.sort((a, b) => a.time - b.time);
}

/** Moves the last goal to the end of the match, which it decides. */
function endWith(goals: Goal[], finished: number): Goal[] {
  const last = goals.reduce((latest, goal) => (goal.time > latest.time ? goal : latest));
  return goals.map((goal) => (goal === last ? { ...goal, time: finished } : goal));
}

function listTasks({ gamemode, map }: Fixture, sides: readonly Side[], place: number): Task[] {
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

/** A completed objective. A core sometimes leaks by itself; then no player is credited. */
function completeGoal(random: Random, fixture: Fixture, side: Side, task: Task): Goal {
  const time = Math.floor(
    random.between(fixture.started + (fixture.finished - fixture.started) * 0.25, fixture.finished),
  );
  const byItself = task.type === 'core' && random.chance(0.2);
  return { ...task, side, fighter: byItself ? null : pickStrong(random, presentAt(side, time)), time };
}

/** The captured flags: the winner has the most, or as many as the map requires. */
function captureFlags(random: Random, fixture: Fixture, sides: readonly Side[], winner: Side | undefined): Goal[] {
  const target = /five captures/.test(fixture.map.objective) ? 5 : 3;
  const best = winner === undefined ? random.int(0, target - 1) : random.int(1, target);
  const goals = sides.flatMap((side) => {
    const captures = side === winner || winner === undefined ? best : random.int(0, best - 1);
    const { name, color } = sides.find((other) => other !== side)!;
    const task: Task = { type: 'flag', name: `${name} Flag`, color };
    const goals = Array.from({ length: captures }, () => completeGoal(random, fixture, side, task));
    return side === winner && captures === target ? endWith(goals, fixture.finished) : goals;
  });
  return goals.sort((a, b) => a.time - b.time);
}

/** The captures of control points, which change sides. Only some captures are credited to a single player. */
function capturePoints(random: Random, fixture: Fixture, sides: readonly Side[]): Goal[] {
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
        fighter: alone ? pickStrong(random, presentAt(side, time)) : null,
        type: 'control_point',
        name,
        color: side.color,
        time,
      };
    });
}

/** The opened crates of a tdm map; they are a bonus and do not decide the match. */
function openCrates(random: Random, fixture: Fixture, sides: readonly Side[]): Goal[] {
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
        fighter: pickStrong(random, presentAt(side, time)),
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
