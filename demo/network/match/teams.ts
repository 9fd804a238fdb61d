import type { Player } from '#demo/network/people/players.ts';
import type { Random } from '../random.ts';
import { type Fixture, overlap } from '../schedule.ts';

/** A player in a match, and the time of participation. */
export interface Fighter {
  player: Player;
  name: string;
  from: number;
  to: number;
  /** The weight of the fighter in random choices; 1 is average. */
  strength: number;
}

export interface Side {
  name: string;
  color: string;
  fighters: Fighter[];
}

/** The name of a player at a time. */
export type Naming = (player: Player, time: number) => string;

/** Splits the players into the map's teams, or into one side per player on a free-for-all map. */
export function sidesOf(random: Random, fixture: Fixture, naming: Naming): Side[] {
  const fighters = random.shuffled(fixture.stays).map((stay) => ({
    player: stay.player,
    name: naming(stay.player, fixture.finished),
    from: Math.max(stay.from, fixture.started),
    to: Math.min(stay.to, fixture.finished),
    strength: Math.exp(0.55 * stay.player.skill),
  }));
  if (fixture.map.teams.length === 0)
    return fighters.map((fighter) => ({ name: fighter.name, color: '', fighters: [fighter] }));
  const sides = fixture.map.teams.map((team) => ({ ...team, fighters: [] }));
  if (fixture.server.ranked) draft(sides, fighters);
  else fill(sides, fighters);
  return sides.map((side) => ({ ...side, fighters: side.fighters.slice(0, fixture.map.max) }));
}

/** Each player joins the team with the fewest players, as on real servers. */
function fill(sides: Side[], fighters: Fighter[]): void {
  const smallest = (): Side =>
    sides.reduce((least, side) => (side.fighters.length < least.fighters.length ? side : least));
  for (const fighter of fighters) smallest().fighters.push(fighter);
}

/** Ranked matches have teams of equal size and similar strength; surplus players do not take part. */
function draft(sides: Side[], fighters: Fighter[]): void {
  const rounds = Math.floor(fighters.length / sides.length);
  const sorted = fighters.slice(0, rounds * sides.length).sort((a, b) => b.strength - a.strength);
  sorted.forEach((fighter, place) => {
    const [round, turn] = [Math.floor(place / sides.length), place % sides.length];
    sides[round % 2 === 0 ? turn : sides.length - 1 - turn]!.fighters.push(fighter);
  });
}

export function secondsOf(fighter: Fighter): number {
  return Math.round((fighter.to - fighter.from) / 1000);
}

/** The fighters of the side who are present at a time, or else all of them. */
export function presentAt(side: Side, time: number): Fighter[] {
  const present = side.fighters.filter(({ from, to }) => from <= time && to >= time);
  return present.length > 0 ? present : side.fighters;
}

/** The strength of the side: its fighters' strength, weighted by their time in the match. */
function meanStrength(side: Side, { started, finished }: Fixture): number {
  const contributions = side.fighters.map((fighter) => fighter.strength * overlap(fighter, started, finished));
  return contributions.reduce((sum, contribution) => sum + contribution, 0) / (finished - started);
}

/** A random winner; a slightly stronger side is much more likely. */
export function likelyWinner(random: Random, sides: readonly Side[], fixture: Fixture): Side {
  return sides[random.weighted(sides.map((side) => meanStrength(side, fixture) ** (fixture.map.max === 0 ? 1.5 : 4)))]!;
}
