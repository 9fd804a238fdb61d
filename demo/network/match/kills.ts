import type { Random } from '../random.ts';
import type { Fixture } from '../schedule.ts';
import { type Fighter, type Side, presentAt, secondsOf } from './teams.ts';

export interface Kill {
  killer: Fighter;
  victim: Fighter;
  time: number;
}

/** The kills of a match. `rate` is kills per player and minute; better players kill more and die less. */
export function fight(random: Random, fixture: Fixture, sides: readonly Side[], rate: number): Kill[] {
  const minutes = sides.flatMap((side) => side.fighters).reduce((sum, fighter) => sum + secondsOf(fighter) / 60, 0);
  const times = Array.from({ length: random.count(rate * minutes) }, () =>
    Math.floor(random.between(fixture.started + 8000, fixture.finished)),
  );
  return times.sort((a, b) => a - b).map((time) => oneKill(random, sides, time));
}

function oneKill(random: Random, sides: readonly Side[], time: number): Kill {
  const present = sides.map((side) => presentAt(side, time));
  const attacking = random.weighted(present.map(totalStrength));
  const victims = present.filter((_, side) => side !== attacking).flat();
  return { killer: pickStrong(random, present[attacking]!), victim: pickWeak(random, victims), time };
}

/** The kills of a match with one life per player, until only fighters of the winner are left. */
export function eliminate(random: Random, fixture: Fixture, sides: readonly Side[], winner: Side): Kill[] {
  const alive = new Map(sides.map((side) => [side, [...side.fighters]]));
  const survivors = random.int(1, Math.max(1, Math.ceil(winner.fighters.length * 0.6)));
  const deaths = sides.flatMap((side) => side.fighters).length - survivors;
  const times = Array.from({ length: deaths }, () =>
    Math.floor(random.between(fixture.started + 20_000, fixture.finished)),
  );
  times[0] = fixture.finished;
  return times
    .sort((a, b) => a - b)
    .map((time, done) => {
      const side = nextVictimSide(random, alive, winner, survivors, done === deaths - 1);
      const victim = pickWeak(random, alive.get(side)!);
      alive.set(
        side,
        alive.get(side)!.filter((fighter) => fighter !== victim),
      );
      const killers = [...alive].filter(([other]) => other !== side).flatMap(([, fighters]) => fighters);
      return { killer: pickStrong(random, killers), victim, time };
    });
}

/** The side of the next victim. The winner keeps its survivors, and the last victim belongs to a loser. */
function nextVictimSide(
  random: Random,
  alive: Map<Side, Fighter[]>,
  winner: Side,
  survivors: number,
  last: boolean,
): Side {
  const losers = [...alive].filter(([side]) => side !== winner);
  const spare = last ? 0 : alive.get(winner)!.length - survivors;
  const sparesLastLoser = !last && losersLeft(losers) === 1;
  const weights = losers.map(([, fighters]) => (sparesLastLoser ? 0 : fighters.length));
  return [winner, ...losers.map(([side]) => side)][random.weighted([spare, ...weights])]!;
}

function losersLeft(losers: readonly (readonly [Side, Fighter[]])[]): number {
  return losers.reduce((sum, [, fighters]) => sum + fighters.length, 0);
}

function totalStrength(fighters: readonly Fighter[]): number {
  return fighters.reduce((sum, { strength }) => sum + strength, 0);
}

/** A random fighter; stronger ones are more likely. */
export function pickStrong(random: Random, fighters: readonly Fighter[]): Fighter {
  return fighters[random.weighted(fighters.map(({ strength }) => strength))]!;
}

/** A random fighter; weaker ones are more likely. */
function pickWeak(random: Random, fighters: readonly Fighter[]): Fighter {
  return fighters[random.weighted(fighters.map(({ strength }) => 1 / strength))]!;
}
