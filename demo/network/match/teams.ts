import type { Player } from '#demo/network/people/players.ts';
import type { Random } from '../random.ts';
import { type Fixture, overlap } from '../schedule.ts';

/** One who plays a match, and for how long. */
export interface Fighter {
  player: Player;
  name: string;
  from: number;
  to: number;
  /** How much the fighter weighs where chances are drawn; 1 is the average. */
  strength: number;
}

export interface Side {
  name: string;
  color: string;
  fighters: Fighter[];
}

/** The name a player bears at a moment. */
export type Naming = (player: Player, time: number) => string;

/** Splits those who are there into the map's teams, or everybody into a side of their own where it has none. */
export function sidesOf(random: Random, fixture: Fixture, naming: Naming): Side[] {
  const fighters = random.shuffled(fixture.visits).map((request) => ({
    player: request.player,
    name: naming(request.player, fixture.finished),
    from: Math.max(request.from, fixture.started),
    to: Math.min(request.to, fixture.finished),
    strength: Math.exp(0.55 * request.player.skill),
  }));
  if (fixture.map.teams.length === 0)
    return fighters.map((fighter) => ({ name: fighter.name, color: '', fighters: [fighter] }));
  const sides = fixture.map.teams.map((team) => ({ ...team, fighters: [] }));
  if (fixture.server.ranked) draft(sides, fighters);
  else fill(sides, fighters);
  return sides.map((side) => ({ ...side, fighters: side.fighters.slice(0, fixture.map.max) }));
}

/** Everybody joins the team with fewer players, as servers do it. */
function fill(sides: Side[], fighters: Fighter[]): void {
  const smallest = (): Side =>
    sides.reduce((least, side) => (side.fighters.length < least.fighters.length ? side : least));
  for (const fighter of fighters) smallest().fighters.push(fighter);
}

/** Ranked: teams of one size, the better players spread evenly; the ones left over look on. */
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

/** Who fights for the side at a moment; all of it where nobody does. */
export function presentAt(side: Side, time: number): Fighter[] {
  const present = side.fighters.filter(({ from, to }) => from <= time && to >= time);
  return present.length > 0 ? present : side.fighters;
}

/** How strong the side is, by who played for it and how long. */
export function powerOf(side: Side, { started, finished }: Fixture): number {
  const quotas = side.fighters.map((fighter) => fighter.strength * overlap(fighter, started, finished));
  return quotas.reduce((sum, quota) => sum + quota, 0) / (finished - started);
}

/** A side as chance and strength will have it: somewhat the stronger, much the likelier. */
export function likelyWinner(random: Random, sides: readonly Side[], fixture: Fixture): Side {
  return sides[random.weighted(sides.map((side) => powerOf(side, fixture) ** (fixture.map.max === 0 ? 1.5 : 4)))]!;
}
