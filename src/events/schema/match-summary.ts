import { countEnvdeaths, isPlausibleMatch } from './match-plausibility.ts';
import type { FinishedMatch } from './match-schema.ts';
import type { MatchCounters } from '#store/game/counters/counter-reports.ts';
import type { MatchExtras, MatchFacts, MatchTeam } from '#store/game/matches.ts';
import type { MatchResult, PlayedBy } from '#store/game/player-matches.ts';
import { isListedObjective, type ListedObjective } from '#store/game/player-objectives.ts';
import { isReplaced, type Renamed, teamsKeyOf } from '#store/game/own-teams.ts';
import { renamedMatch } from '#store/game/renamed-json.ts';
import { type Sums, toSums } from '#store/game/player-stats.ts';
import { type Group, groupOf, type StatCounter } from '#store/game/statistics-groups.ts';
import { type ReportedCounters, withoutZeros } from './counters.ts';

/**
 * A finished match, prepared outside the transaction so that the writer thread, on which all senders wait, has little to
 * compute. Stored JSON is serialised already, and players are tuples: both are cheap to post to another thread.
 */
export interface MatchSummary {
  facts: Omit<MatchFacts, 'id' | 'server'>;
  /** Whether no value is one that no game gives; otherwise the match does not count. */
  isPlausible: boolean;
  started: number;
  finished: number;
  /** `MatchTeam[]` as JSON. */
  teams: string;
  teamsKey: string | null;
  /** `MatchObjective[]` as JSON. */
  objectives: string;
  /** `MatchExtras` as JSON; null if there are none. */
  extras: string | null;
  /** The network's own counters; undefined if no player or team has any. */
  counters: CountersSummary | undefined;
  players: PlayerSummary[];
  /** Players who completed an objective but are in no team. */
  scorers: ScorerSummary[];
  kills: KillSummary[];
  /** Completed objectives, by player. */
  completed: CompletedSummary[];
}

interface CountersSummary {
  /** `MatchCounters[]` as JSON. */
  text: string;
  reported: ReportedCounters[];
}

/** `sums` are the amounts that the match adds to the player's counters in the group of its gamemode. */
export type PlayerSummary = [uuid: string, ...PlayedBy, sums: Sums];

type ScorerSummary = [uuid: string, name: string];
/** `location` is JSON. */
type KillSummary = [
  killer: string | null,
  killerName: string,
  victim: string,
  victimName: string,
  time: number,
  location: string | null,
];
/** `number` is the place among the objectives of the match. */
type CompletedSummary = [
  uuid: string,
  type: ListedObjective,
  number: number,
  name: string,
  color: string,
  team: string,
  percent: number,
  time: number,
];

type FinishedTeam = FinishedMatch['teams'][number];
type FinishedPlayer = FinishedTeam['players'][number];

export function summariseMatch(match: FinishedMatch): MatchSummary {
  const { map, gamemode, ranked, started, finished, objectives } = match;
  const [win = ''] = winningTeams(match);
  const teams = match.teams.map(summariseTeam);
  const kill_count = teams.reduce((total, team) => total + team.kill_count, 0);
  const death_count = teams.reduce((total, team) => total + team.death_count, 0);
  return {
    facts: { map, gamemode, ranked, win, kill_count, death_count },
    isPlausible: isPlausibleMatch(match),
    started,
    finished,
    teams: JSON.stringify(teams),
    teamsKey: teamsKeyOf(teams),
    objectives: JSON.stringify(objectives),
    extras: serialiseExtras(match),
    counters: summariseCounters(match),
    players: summarisePlayers(match, groupOf(gamemode)),
    scorers: objectives.length === 0 ? [] : summariseScorers(match),
    kills: match.kills.length === 0 ? [] : summariseKills(match),
    completed: summariseCompleted(match),
  };
}

/** The names of the winning teams, the one in `win` first; empty for a draw. */
function winningTeams({ win, winners = [] }: FinishedMatch): string[] {
  return win === '' ? winners : [win, ...winners.filter((name) => name !== win)];
}

export function matchUuids({ players, scorers }: MatchSummary): string[] {
  return [...players.map(([uuid]) => uuid), ...scorers.map(([uuid]) => uuid)];
}

/** Replaces players by their pseudonyms, and the names of the teams that follow them. */
export function pseudonymiseMatch(match: MatchSummary, pseudonyms: Renamed): MatchSummary {
  const renamed = (uuid: string, name: string): [uuid: string, name: string] => {
    const pseudonym = pseudonyms.get(uuid);
    if (pseudonym === undefined) return [uuid, name];
    return [pseudonym.uuid, isReplaced(name, pseudonym) ? pseudonym.name : name];
  };
  const { facts } = match;
  const stored = { ...match, win: facts.win, counters: match.counters?.text ?? null };
  const { win, teams, objectives, extras, counters, newTeams } = renamedMatch(stored, pseudonyms);
  const teamsKey = teamsKeyOf(JSON.parse(teams) as MatchTeam[]);
  return {
    ...match,
    ...{ facts: { ...facts, win }, teams, teamsKey, objectives, extras },
    counters: match.counters && {
      text: counters!,
      reported: match.counters.reported.map((one) => ({ ...one, uuid: pseudonyms.get(one.uuid)?.uuid ?? one.uuid })),
    },
    players: match.players.map(([uuid, name, ...rest]) => [...renamed(uuid, name), ...rest]),
    scorers: match.scorers.map(([uuid, name]) => renamed(uuid, name)),
    kills: match.kills.map(([killer, killerName, victim, victimName, ...rest]) => [
      ...(killer === null ? ([null, ''] as const) : renamed(killer, killerName)),
      ...renamed(victim, victimName),
      ...rest,
    ]),
    completed: match.completed.map(([uuid, type, number, name, color, team, ...rest]) => [
      ...([pseudonyms.get(uuid)?.uuid ?? uuid, type, number, name, color] as const),
      ...([newTeams.get(team) ?? team, ...rest] as const),
    ]),
  };
}

function summarisePlayers(match: FinishedMatch, group: Group): PlayerSummary[] {
  const completed = completedBy(match);
  const envdeaths = countEnvdeaths(match);
  const players: PlayerSummary[] = [];
  const winners = new Set(winningTeams(match));
  for (const [place, team] of match.teams.entries()) {
    const result = winners.size === 0 ? 'draw' : winners.has(team.name) ? 'win' : 'lose';
    for (const player of team.players) {
      if (player.primary === false) continue;
      const { uuid, name, score, kill_count, death_count, time_played } = player;
      const envdeath = envdeaths.get(uuid) ?? 0;
      const sums = toSums(group, playerAmounts(player, result, envdeath, completed.get(uuid)));
      players.push([uuid, name, result, score, kill_count, death_count, time_played, envdeath, place, sums]);
    }
  }
  return players;
}

/** Members of a match that only its page shows. */
function serialiseExtras(match: FinishedMatch): string | null {
  const winners = winningTeams(match);
  const colors = match.teams.map(({ color = '' }) => color);
  const secondary = match.teams.flatMap(({ players }, t) =>
    players.flatMap(({ primary }, p): [number, number][] => (primary === false ? [[t, p]] : [])),
  );
  const extras: MatchExtras = {
    ...(winners.length > 1 && { winners }),
    ...(colors.some((color) => color !== '') && { colors }),
    ...(secondary.length > 0 && { secondary }),
  };
  return Object.keys(extras).length === 0 ? null : JSON.stringify(extras);
}

function summariseCounters({ teams }: FinishedMatch): CountersSummary | undefined {
  let shown: MatchCounters[] | undefined;
  const reported: ReportedCounters[] = [];
  for (const [t, team] of teams.entries()) {
    for (const [p, { uuid, name, primary, counters }] of team.players.entries()) {
      const values = counters && withoutZeros(counters);
      if (values === undefined) continue;
      (shown ??= []).push({ team: team.name, uuid, name, counters: values });
      const path = `data.teams.${t}.players.${p}.counters`;
      if (primary !== false) reported.push({ uuid, path, values });
    }
  }
  return shown && { text: JSON.stringify(shown), reported };
}

const NONE = { objective: 0, wool: 0, core: 0, destroyable: 0, flag: 0 };
type Completed = typeof NONE;

function completedBy({ objectives }: FinishedMatch): Map<string, Completed> {
  const completed = new Map<string, Completed>();
  for (const { player, type } of objectives) {
    if (player === null) continue;
    let counts = completed.get(player.uuid);
    if (counts === undefined) completed.set(player.uuid, (counts = { ...NONE }));
    if (type !== 'control_point' && type !== 'other') counts[type]++;
    counts.objective++;
  }
  return completed;
}

/** The amounts of a match for a player; each counter group uses its own. A draw counts as played only. */
function playerAmounts(
  player: FinishedPlayer,
  result: MatchResult,
  envdeath: number,
  completed = NONE,
): Record<StatCounter, number> {
  return {
    kill: player.kill_count,
    death: player.death_count,
    envdeath,
    win: result === 'win' ? 1 : 0,
    lose: result === 'lose' ? 1 : 0,
    play: 1,
    time: player.time_played,
    score: player.score,
    shot: player.shot_count,
    hit: player.hit_count,
    paint: player.paint_count,
    ...completed,
  };
}

function summariseScorers({ teams, objectives }: FinishedMatch): ScorerSummary[] {
  const seen = new Set(teams.flatMap(({ players }) => players.map(({ uuid }) => uuid)));
  const scorers: ScorerSummary[] = [];
  for (const { player } of objectives) {
    if (player === null || seen.has(player.uuid)) continue;
    seen.add(player.uuid);
    scorers.push([player.uuid, player.name]);
  }
  return scorers;
}

function summariseKills({ teams, kills }: FinishedMatch): KillSummary[] {
  const names = new Map(teams.flatMap(({ players }) => players.map(({ uuid, name }) => [uuid, name])));
  const nameOf = (uuid: string): string => names.get(uuid)!;
  return kills.map(({ killer, victim, location, time }) => [
    killer,
    killer === null ? '' : nameOf(killer),
    victim,
    nameOf(victim),
    time,
    location === undefined ? null : JSON.stringify(location),
  ]);
}

const WHOLE_PERCENT = 100;

function summariseCompleted({ objectives }: FinishedMatch): CompletedSummary[] {
  return objectives.flatMap(({ player, type, name, color, team, percent = WHOLE_PERCENT, time }, number) =>
    player !== null && isListedObjective(type)
      ? [[player.uuid, type, number, name, color, team, percent, time] satisfies CompletedSummary]
      : [],
  );
}

export function summariseTeam(team: FinishedTeam): MatchTeam {
  const sum = (of: (player: FinishedPlayer) => number): number =>
    team.players.reduce((total, player) => total + of(player), 0);
  return {
    name: team.name,
    score: team.score ?? sum(({ score }) => score),
    kill_count: team.kill_count ?? sum(({ kill_count }) => kill_count),
    death_count: team.death_count ?? sum(({ death_count }) => death_count),
    players: team.players.map(summariseTeamPlayer),
  };
}

const summariseTeamPlayer = (player: FinishedPlayer): MatchTeam['players'][number] => ({
  uuid: player.uuid,
  name: player.name,
  score: player.score,
  kill_count: player.kill_count,
  death_count: player.death_count,
  shot_count: player.shot_count,
  hit_count: player.hit_count,
  paint_count: player.paint_count,
});
