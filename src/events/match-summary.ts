import type { DataOf } from './schema.ts';
import type { MatchFacts, MatchTeam } from '#store/game/matches.ts';
import { type Counts, type Group, groupOf, type Sums, sumsOf } from '#store/game/player-stats.ts';

/**
 * A finished match made ready: all that can be worked out before it has a key, so that the one who writes, for whom all
 * others wait, has little left to do. What is stored as JSON is text already, and players are short rows, since they may
 * have to go over to another thread.
 */
export interface MatchSummary {
  facts: Omit<MatchFacts, 'id' | 'server'>;
  started: number;
  finished: number;
  /** `MatchTeam[]` as JSON. */
  teams: string;
  /** `MatchObjective[]` as JSON. */
  objectives: string;
  players: PlayerSummary[];
  /** Who completed an objective without standing in a team. */
  scorers: ScorerSummary[];
  kills: KillSummary[];
}

type Result = 'win' | 'lose' | 'draw';

/** How a match went for a player, as the row of it says. */
export type PlayedBy = [name: string, result: Result, score: number, kills: number, deaths: number, time: number];

/** `sums` are what the match adds to the counters of its group. */
export type PlayerSummary = [uuid: string, ...PlayedBy, sums: Sums];

type ScorerSummary = [uuid: string, name: string];
type KillSummary = [killer: string, killerName: string, victim: string, victimName: string, time: number];

type Finished = DataOf<'match.finished'>;
type FinishedTeam = Finished['teams'][number];
type FinishedPlayer = FinishedTeam['players'][number];

export function summariseMatch(match: Finished): MatchSummary {
  const { map, gamemode, ranked, win, started, finished, objectives } = match;
  const teams = match.teams.map(teamOf);
  const kill_count = teams.reduce((total, team) => total + team.kill_count, 0);
  const death_count = teams.reduce((total, team) => total + team.death_count, 0);
  return {
    facts: { map, gamemode, ranked, win, kill_count, death_count },
    started,
    finished,
    teams: JSON.stringify(teams),
    objectives: JSON.stringify(objectives),
    players: playersOf(match, groupOf(gamemode)),
    scorers: objectives.length === 0 ? [] : scorersOf(match),
    kills: match.kills.length === 0 ? [] : killsOf(match),
  };
}

/** Every player a match speaks of. */
export function uuidsOf({ players, scorers }: MatchSummary): string[] {
  return [...players.map(([uuid]) => uuid), ...scorers.map(([uuid]) => uuid)];
}

/**
 * The match with some of its players under another UUID and name.
 * @param inText does the same in JSON
 */
export function pseudonymiseMatch(
  match: MatchSummary,
  accumulator: ReadonlyMap<string, { uuid: string; name: string }>,
  inText: (json: string) => string,
): MatchSummary {
  const named = (uuid: string, name: string): [uuid: string, name: string] => {
    const other = accumulator.get(uuid);
    return other === undefined ? [uuid, name] : [other.uuid, other.name];
  };
  return {
    ...match,
    teams: inText(match.teams),
    objectives: inText(match.objectives),
    players: match.players.map(([uuid, name, ...rest]) => [...named(uuid, name), ...rest]),
    scorers: match.scorers.map(([uuid, name]) => named(uuid, name)),
    kills: match.kills.map(([by, byName, of, ofName, time]) => [...named(by, byName), ...named(of, ofName), time]),
  };
}

function playersOf(match: Finished, group: Group): PlayerSummary[] {
  const completed = completedBy(match);
  const players: PlayerSummary[] = [];
  for (const team of match.teams) {
    const result = match.win === '' ? 'draw' : match.win === team.name ? 'win' : 'lose';
    for (const player of team.players) {
      const { uuid, name, score, kill_count, death_count, time_played } = player;
      const sums = sumsOf(group, countsOf(player, result, completed.get(uuid)));
      players.push([uuid, name, result, score, kill_count, death_count, time_played, sums]);
    }
  }
  return players;
}

const NONE = { objective: 0, wool: 0, core: 0, destroyable: 0, flag: 0 };
type Completed = typeof NONE;

function completedBy({ objectives }: Finished): Map<string, Completed> {
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

/** What a match adds to a player's counters; each group takes those it has. A draw counts as play only. */
function countsOf(player: FinishedPlayer, result: Result, completed = NONE): Counts {
  return {
    kill: player.kill_count,
    death: player.death_count,
    win: result === 'win' ? 1 : 0,
    lose: result === 'lose' ? 1 : 0,
    play: 1,
    time: player.time_played,
    score: player.score,
    shot: player.shot_count,
    hit: player.hit_count,
    paint: player.paint_count,
    objective: completed.objective,
    wool: completed.wool,
    core: completed.core,
    destroyable: completed.destroyable,
    flag: completed.flag,
  };
}

function scorersOf({ teams, objectives }: Finished): ScorerSummary[] {
  const seen = new Set(teams.flatMap(({ players }) => players.map(({ uuid }) => uuid)));
  const scorers: ScorerSummary[] = [];
  for (const { player } of objectives) {
    if (player === null || seen.has(player.uuid)) continue;
    seen.add(player.uuid);
    scorers.push([player.uuid, player.name]);
  }
  return scorers;
}

function killsOf({ teams, kills }: Finished): KillSummary[] {
  const names = new Map(teams.flatMap(({ players }) => players.map(({ uuid, name }) => [uuid, name])));
  const nameOf = (uuid: string): string => names.get(uuid)!;
  return kills.map(({ killer, victim, time }) => [killer, nameOf(killer), victim, nameOf(victim), time]);
}

function teamOf(team: FinishedTeam): MatchTeam {
  const sum = (of: (player: FinishedPlayer) => number): number =>
    team.players.reduce((total, player) => total + of(player), 0);
  return {
    name: team.name,
    score: team.score ?? sum(({ score }) => score),
    kill_count: team.kill_count ?? sum(({ kill_count }) => kill_count),
    death_count: team.death_count ?? sum(({ death_count }) => death_count),
    players: team.players.map(shownOf),
  };
}

const shownOf = (player: FinishedPlayer): MatchTeam['players'][number] => ({
  uuid: player.uuid,
  name: player.name,
  score: player.score,
  kill_count: player.kill_count,
  death_count: player.death_count,
  shot_count: player.shot_count,
  hit_count: player.hit_count,
  paint_count: player.paint_count,
});
