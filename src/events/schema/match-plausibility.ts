import {
  type CounterKind,
  COUNTER_NAMES,
  COUNTERS,
  type Most,
  type StatCounter,
} from '#store/game/statistics-groups.ts';
import type { FinishedMatch } from './match-schema.ts';
import { type Problem, problemOf } from './problems.ts';

/**
 * Values that no game gives, such as milliseconds instead of seconds. A match with one is stored and shown, and its receipt
 * has warnings, but it counts nowhere until an operator says so.
 */

const MAX_WARNINGS = 5;
const DAY_S = 86_400;

type Player = FinishedMatch['teams'][number]['players'][number];
/** The counters that a match has as members of a player. */
type Member = (typeof COUNTERS)[StatCounter]['wire'] & keyof Player;

const BOUNDS = COUNTER_NAMES.flatMap((counter): [Member, Most][] => {
  const { wire, most, from }: CounterKind = COUNTERS[counter];
  return from === 'player' && most !== null ? [[wire as Member, most]] : [];
});

const secondsOf = ({ started, finished }: FinishedMatch): number => (finished - started) / 1000;

const exceeds = (value: number, { base, perSecond }: Most, seconds: number): boolean =>
  Math.abs(value) > base + perSecond * seconds;

export function isPlausibleMatch(match: FinishedMatch): boolean {
  const seconds = secondsOf(match);
  if (seconds > DAY_S || excessiveScorer(match, seconds) !== undefined) return false;
  return match.teams.every(({ players }) => players.every((player) => isPlausible(player, seconds)));
}

const isPlausible = (player: Player, seconds: number): boolean =>
  BOUNDS.every(([member, most]) => !exceeds(player[member], most, seconds));

export function implausibleMatch(match: FinishedMatch): Problem[] {
  const seconds = secondsOf(match);
  const warnings: Problem[] = [];
  if (seconds > DAY_S) warnings.push(problemOf('is more than a day before `data.finished`', 'data.started'));
  const scorer = excessiveScorer(match, seconds);
  if (scorer !== undefined)
    warnings.push(
      problemOf(`has ${scorer}, more than a player can complete in ${Math.round(seconds)} s`, 'data.objectives'),
    );
  warnings.push(...excessiveEnvdeaths(match).slice(0, MAX_WARNINGS));
  for (const [t, { players }] of match.teams.entries()) {
    for (const [p, player] of players.entries()) {
      if (isPlausible(player, seconds)) continue;
      warnings.push(...aboutPlayer(player, seconds, `data.teams.${t}.players.${p}`));
      if (warnings.length >= MAX_WARNINGS) return warnings.slice(0, MAX_WARNINGS);
    }
  }
  return warnings.slice(0, MAX_WARNINGS);
}

/** The deaths without a killer of each player who has any. */
export function countEnvdeaths({ kills }: FinishedMatch): Map<string, number> {
  const deaths = new Map<string, number>();
  for (const { killer, victim } of kills) if (killer === null) deaths.set(victim, (deaths.get(victim) ?? 0) + 1);
  return deaths;
}

/** Players with more deaths without a killer than deaths. Either may be wrong, so that the match counts all the same. */
function excessiveEnvdeaths(match: FinishedMatch): Problem[] {
  const envdeaths = countEnvdeaths(match);
  if (envdeaths.size === 0) return [];
  const reported = new Map<string, { deaths: number; place: string }>();
  for (const [t, { players }] of match.teams.entries())
    for (const [p, { uuid, death_count }] of players.entries()) {
      const { deaths, place } = reported.get(uuid) ?? { deaths: 0, place: `data.teams.${t}.players.${p}.death_count` };
      reported.set(uuid, { deaths: deaths + death_count, place });
    }
  return [...envdeaths].flatMap(([uuid, count]) => {
    const { deaths, place } = reported.get(uuid)!;
    const predicate = `is ${deaths}, but ${count} deaths of the player without a killer are in \`data.kills\``;
    return count > deaths ? [problemOf(predicate, place)] : [];
  });
}

function aboutPlayer(player: Player, seconds: number, path: string): Problem[] {
  const exceeded = BOUNDS.filter(([member, most]) => exceeds(player[member], most, seconds));
  return exceeded.map(([member]) => problemOf(sentence(member, player[member], seconds), `${path}.${member}`));
}

function sentence(member: Member, value: number, seconds: number): string {
  const rounded = Math.round(seconds);
  if (member === 'time_played') return `is ${value} s, but the match lasted ${rounded} s; it must be in seconds`;
  if (member === 'score') return `is ${value}, more than any game gives`;
  return `is ${value}, more than a player can reach in ${rounded} s`;
}

/** The objectives of a player who completed more than a game gives. */
function excessiveScorer({ objectives }: FinishedMatch, seconds: number): string | undefined {
  const { most } = COUNTERS.objective;
  if (!exceeds(objectives.length, most, seconds)) return undefined;
  const counts = new Map<string, number>();
  for (const { player } of objectives) if (player !== null) counts.set(player.uuid, (counts.get(player.uuid) ?? 0) + 1);
  const highest = Math.max(0, ...counts.values());
  return exceeds(highest, most, seconds) ? `${highest} objectives of one player` : undefined;
}
