import { idOf } from '#base/ids.ts';
import { nameKey } from '#base/text.ts';
import { type Context, see, sight, type Taken } from './batch.ts';
import type { DataOf } from './events.ts';
import type { MatchFacts, MatchTeam } from './matches.ts';
import type { PlayerBook } from './player-book.ts';
import { type Counts, groupOf } from './player-stats.ts';

/** Finished matches on their way into the records, and out of them again. */

type Finished = DataOf<'match.finished'>;
type FinishedTeam = Finished['teams'][number];
type FinishedPlayer = FinishedTeam['players'][number];

/** Every player a match speaks of. */
export function uuidsOf(match: Finished): string[] {
  const scorers = match.objectives.flatMap(({ player }) => (player === null ? [] : [player.uuid]));
  return match.teams.flatMap(({ players }) => players.map(({ uuid }) => uuid)).concat(scorers);
}

/** Takes a finished match; the batch has loaded its players (`uuidsOf`). The match's id is the event's own. */
export function applyFinished(context: Context, match: Finished): Taken {
  const { batch, key, server } = context;
  const { map, gamemode, started, finished, objectives } = match;
  const teams = match.teams.map(teamOf);
  const head = headText(context, match, teams);
  batch.rows.add('matches', [key, head, started, finished, nameKey(map), server!.key, gamemode.toLowerCase()]);
  batch.rows.add('match_details', [key, head, started, finished, JSON.stringify(teams), JSON.stringify(objectives)]);
  addPlayers(context, match);
  if (objectives.length > 0) addScorers(context, match);
  if (match.kills.length > 0) addKills(context, match);
  return undefined;
}

type PlayerRow = [
  match: number,
  player: number,
  name: string,
  result: string,
  score: number,
  kills: number,
  deaths: number,
  time: number,
  previous: number | null,
];

/** One row a player. Two UUIDs that were merged into one may both have played: their counts are added. */
function addPlayers(context: Context, match: Finished): void {
  const { batch, key } = context;
  const rows = new Map<number, PlayerRow>();
  const others = new Map<number, string>();
  const group = groupOf(match.gamemode);
  eachPlayer(match, (player, result, counts) => {
    const known = see(context, player, match.finished);
    batch.players.count(known, group, counts);
    const { name, score, kill_count, death_count, time_played } = player;
    const before = rows.get(known.key);
    if (before !== undefined) others.set(known.key, before[2]);
    const previous = before === undefined ? batch.players.play(known, key) : before[8];
    const row: PlayerRow = [key, known.key, name, result, score, kill_count, death_count, time_played, previous];
    rows.set(known.key, before === undefined ? row : together(before, row));
  });
  for (const row of rows.values()) batch.rows.add('player_matches', row);
  for (const [player, name] of others) batch.rows.add('player_sightings', [player, key, match.finished, name]);
}

function together(before: PlayerRow, row: PlayerRow): PlayerRow {
  const [match, player, name, result, score, kills, deaths, time, previous] = row;
  const sums = [score + before[4], kills + before[5], deaths + before[6], time + before[7]] as const;
  return [match, player, name, result, ...sums, previous];
}

/** Whoever completed an objective without standing in a team has no row that keeps the name. */
function addScorers(context: Context, { teams, objectives, finished }: Finished): void {
  const { players } = context.batch;
  const played = teams.flatMap((team) => team.players.map(({ uuid }) => uuid));
  const seen = new Set(played.map((uuid) => players.known(uuid)!.key));
  for (const { player } of objectives) {
    if (player === null) continue;
    const known = players.known(player.uuid);
    if (known !== undefined && seen.has(known.key)) continue;
    seen.add(sight(context, player, finished).key);
  }
}

function addKills({ batch, key }: Context, { teams, kills }: Finished): void {
  const names = new Map(teams.flatMap(({ players }) => players.map(({ uuid, name }) => [uuid, name])));
  kills.forEach(({ killer, victim, time }, number) => {
    const by = batch.players.known(killer)!.key;
    batch.rows.add('kills', [by, key, number, victim, names.get(victim)!, names.get(killer)!, time]);
  });
}

/** Takes what a match added to its players' counters out of them. */
export function uncountFinished(book: PlayerBook, match: Finished): void {
  const group = groupOf(match.gamemode);
  eachPlayer(match, ({ uuid }, _, counts) => book.count(book.known(uuid)!, group, counts, -1));
}

type Result = 'win' | 'lose' | 'draw';

function eachPlayer(match: Finished, visit: (player: FinishedPlayer, result: Result, counts: Counts) => void): void {
  const completed = completedBy(match);
  for (const team of match.teams) {
    const result = match.win === '' ? 'draw' : match.win === team.name ? 'win' : 'lose';
    for (const player of team.players) visit(player, result, countsOf(player, result, completed.get(player.uuid)));
  }
}

const NONE = { objective: 0, wool: 0, core: 0, destroyable: 0, flag: 0 };
type Completed = typeof NONE;

function completedBy({ objectives }: Finished): Map<string, Completed> {
  const completed = new Map<string, Completed>();
  for (const { player, type } of objectives) {
    if (player === null) continue;
    const counts = completed.get(player.uuid) ?? { ...NONE };
    if (type !== 'control_point' && type !== 'other') counts[type]++;
    counts.objective++;
    completed.set(player.uuid, counts);
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

function headText({ key, server }: Context, { map, gamemode, ranked, win }: Finished, teams: MatchTeam[]): string {
  const kill_count = teams.reduce((total, team) => total + team.kill_count, 0);
  const death_count = teams.reduce((total, team) => total + team.death_count, 0);
  const facts: MatchFacts = {
    id: idOf(key),
    map,
    server: server!.name,
    gamemode,
    ranked,
    win,
    kill_count,
    death_count,
  };
  return JSON.stringify(facts).slice(0, -1);
}
