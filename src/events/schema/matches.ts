import { renamedJson } from '#store/game/renamed-json.ts';
import { eventType, tooLate } from './event-type.ts';
import { type FinishedMatch, finishedMatch, matchIssues, weightOfCounters } from './match-schema.ts';
import { EXAMPLE_PLAYER, EXAMPLE_UUID } from './members.ts';
import { pseudonymiseMatch, summariseMatch, matchUuids } from './match-summary.ts';
import { type Problem, problemOf } from './problems.ts';

/** Rows of a match and of a player in it (the result and the counters). */
const MATCH_WEIGHT = 3;
const MATCH_PLAYER_WEIGHT = 2;

export const MATCH_EVENTS = {
  'match.finished': eventType({
    description: 'A match that is over, with everybody who played it',
    data: finishedMatch,
    example: {
      map: 'Twin Peaks',
      gamemode: 'ctw',
      win: 'Red',
      started: '2026-03-01T11:50:00Z',
      finished: '2026-03-01T12:00:00Z',
      teams: [
        {
          name: 'Red',
          players: [{ ...EXAMPLE_PLAYER, kill_count: 1, time_played: 600 }],
        },
        {
          name: 'Blue',
          players: [
            { uuid: '2b9f6f3e-7c55-4e2a-8f0d-3d1c5b7a9e42', name: 'Wharfinger', death_count: 1, time_played: 600 },
          ],
        },
      ],
      objectives: [
        {
          player: EXAMPLE_PLAYER,
          team: 'Red',
          type: 'wool',
          name: 'Blue wool',
          time: '2026-03-01T11:59:00Z',
        },
      ],
      kills: [
        {
          killer: EXAMPLE_UUID,
          victim: '2b9f6f3e-7c55-4e2a-8f0d-3d1c5b7a9e42',
          time: '2026-03-01T11:55:00Z',
        },
      ],
    },
    sender: 'servers',
    needsServer: true,
    stored: 'whole',
    pseudonyms: 'always',
    weight({ teams, objectives, kills }) {
      const players = teams.reduce((sum, team) => sum + team.players.length, 0);
      return MATCH_WEIGHT + MATCH_PLAYER_WEIGHT * players + weightOfCounters(teams) + objectives.length + kills.length;
    },
    checks: {
      furtherIssues: matchIssues,
      misdated: (match, _time, latest) => timestampsAfter(match, latest).map(tooLate),
      implausible: implausibleMatch,
    },
    prepared: {
      from: summariseMatch,
      rename: (match, pseudonyms) => pseudonymiseMatch(match, pseudonyms, (json) => renamedJson(json, pseudonyms)),
    },
    players: matchUuids,
  }),
};

/** The places of the timestamps after `latest`; only the first of objectives and of kills. */
function timestampsAfter(match: FinishedMatch, latest: number): string[] {
  const places = match.finished > latest ? ['data.finished'] : [];
  for (const part of ['objectives', 'kills'] as const) {
    const index = match[part].findIndex(({ time }) => time > latest);
    if (index >= 0) places.push(`data.${part}.${index}.time`);
  }
  return places;
}

/** Maximum warnings of one event. */
const MAX_WARNINGS = 5;
/** Maximum excess of `time_played` over the match: clocks differ, and some games count from the lobby on. */
const LEEWAY_S = 60;
const DAY_S = 86_400;

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

type Player = FinishedMatch['teams'][number]['players'][number];

function implausibleMatch({ started, finished, teams }: FinishedMatch): Problem[] {
  const seconds = (finished - started) / 1000;
  const warnings: Problem[] = [];
  if (seconds > DAY_S) warnings.push(problemOf('is more than a day before `data.finished`', 'data.started'));
  for (const [t, { players }] of teams.entries()) {
    for (const [p, player] of players.entries()) {
      if (isPlausible(player, seconds)) continue;
      warnings.push(...aboutPlayer(player, seconds, `data.teams.${t}.players.${p}`));
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
