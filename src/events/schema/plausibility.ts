import type { FinishedMatch } from './match-schema.ts';
import { type Problem, problemOf } from './problems.ts';

/**
 * Finds values that are valid but not plausible, such as milliseconds instead of seconds. Such an event is accepted, with a
 * warning to its sender and the operator: a game may have other rules.
 */

/** Maximum warnings of one event. */
const MAX_WARNINGS = 5;
/** Maximum excess of `time_played` over the match: clocks differ, and some games count from the lobby on. */
const LEEWAY_S = 60;
const DAY_S = 86_400;
const YEAR_S = 366 * DAY_S;

/**
 * The largest plausible counters of a player: a number for any match, plus a rate a second. The game, with its 20 ticks a
 * second, cannot reach these rates.
 */
const BOUNDS = [
  ['kill_count', 100, 2],
  ['death_count', 100, 2],
  ['shot_count', 1_000, 40],
  ['hit_count', 1_000, 40],
  ['paint_count', 10_000, 1_000],
] as const;
const MAX_SCORE = 10_000_000;
/** The largest plausible increase between two statistics events, and the largest total of a player in the game itself. */
const MAX_INCREASE = { kill_count: 100_000, death_count: 100_000, time_played: 31 * DAY_S };
const MAX_TOTAL = { kill_count: 10_000_000, death_count: 10_000_000, time_played: 20 * YEAR_S };

type Player = FinishedMatch['teams'][number]['players'][number];

export function implausibleMatch({ started, finished, teams }: FinishedMatch): Problem[] | undefined {
  const seconds = (finished - started) / 1000;
  let warnings: Problem[] | undefined;
  if (seconds > DAY_S) warnings = [problemOf('is more than a day before `data.finished`', 'data.started')];
  for (const [t, { players }] of teams.entries()) {
    for (const [p, player] of players.entries()) {
      if (isPlausible(player, seconds)) continue;
      (warnings ??= []).push(...aboutPlayer(player, seconds, `data.teams.${t}.players.${p}`));
      if (warnings.length >= MAX_WARNINGS) return warnings.slice(0, MAX_WARNINGS);
    }
  }
  return warnings;
}

/** Compares without allocating, because it runs for every player of every match and rarely finds anything. */
function isPlausible(player: Player, seconds: number): boolean {
  if (player.time_played > seconds + LEEWAY_S || Math.abs(player.score) > MAX_SCORE) return false;
  for (const [member, base, rate] of BOUNDS) if (player[member] > base + rate * seconds) return false;
  return true;
}

function aboutPlayer(player: Player, seconds: number, path: string): Problem[] {
  const warnings: Problem[] = [];
  const warn = (member: string, predicate: string): void =>
    void warnings.push(problemOf(predicate, `${path}.${member}`));
  if (player.time_played > seconds + LEEWAY_S)
    warn(
      'time_played',
      `is ${player.time_played} s, but the match lasted ${Math.round(seconds)} s; it must be in seconds`,
    );
  if (Math.abs(player.score) > MAX_SCORE) warn('score', `is ${player.score}, more than any game gives`);
  for (const [member, base, rate] of BOUNDS) {
    if (player[member] <= base + rate * seconds) continue;
    warn(member, `is ${player[member]}, more than a player can reach in ${Math.round(seconds)} s`);
  }
  return warnings;
}

type Statistics = { gamemode: string } & Record<keyof typeof MAX_TOTAL, number>;

export function implausibleStatistics(data: Statistics): Problem[] | undefined {
  const [most, kind] = data.gamemode === 'vanilla' ? [MAX_TOTAL, 'total'] : [MAX_INCREASE, 'increase'];
  const members = (Object.keys(most) as (keyof typeof most)[]).filter((member) => data[member] > most[member]);
  if (members.length === 0) return undefined;
  const unit = { kill_count: '', death_count: '', time_played: ' s' };
  return members.map((member) =>
    problemOf(
      `is ${data[member]}${unit[member]}, more than is plausible as the ${kind} of one player`,
      `data.${member}`,
    ),
  );
}
