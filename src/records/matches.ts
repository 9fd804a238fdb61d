import { idOf } from '#base/ids.ts';
import { nameKey } from '#base/text.ts';
import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import type { Context, Taken } from './batch.ts';
import type { DataOf } from './events.ts';
import type { KnownPlayer } from './players.ts';
import { type Counts, groupOf } from './player-stats.ts';

/**
 * A match as lists show it. `head` is ready-made JSON, from `{` to before `}`, of every field that neither settings nor
 * time can change; what settings decide (the offset of moments, the link) is added by who shows it.
 */
export interface MatchHead {
  key: number;
  head: string;
  started: number;
  finished: number;
}

/** The fields inside `MatchHead.head`. */
export interface MatchFacts {
  id: string;
  map: string;
  server: string;
  gamemode: string;
  ranked: boolean;
  win: string;
  kill_count: number;
  death_count: number;
}

export interface MatchTeam {
  name: string;
  score: number;
  kill_count: number;
  death_count: number;
  players: MatchPlayer[];
}

export interface MatchPlayer {
  uuid: string;
  name: string;
  score: number;
  kill_count: number;
  death_count: number;
  shot_count: number;
  hit_count: number;
  paint_count: number;
}

export interface MatchObjective {
  player: { uuid: string; name: string } | null;
  team: string;
  type: string;
  name: string;
  color: string;
  time: number;
}

/** Match heads with keys below `before`, the newest first. */
export async function listMatches(db: Queryable, before: number, limit: number): Promise<MatchHead[]> {
  const rows = await db.tuples(
    sql`select key, head, started, finished from matches where key < ${before} order by key desc limit ${limit}`,
  );
  return (rows as HeadTuple[]).map(headOf);
}

/** A match with its parts: `teams` is ready-made JSON as answers show it, `objectives` is JSON of `MatchObjective[]`. */
export interface WholeMatch extends MatchHead {
  teams: string;
  objectives: string;
}

const WHOLE = sql`
  select m.key, m.head, m.started, m.finished, d.teams, d.objectives
  from matches m join match_details d on d.match_key = m.key`;

/** As `listMatches`, with teams and objectives. */
export async function listWholeMatches(db: Queryable, before: number, limit: number): Promise<WholeMatch[]> {
  const rows = await db.tuples(sql`${WHOLE} where m.key < ${before} order by m.key desc limit ${limit}`);
  return (rows as WholeTuple[]).map(wholeOf);
}

export async function matchByKey(db: Queryable, key: number): Promise<WholeMatch | undefined> {
  const [row] = await db.tuples(sql`${WHOLE} where m.key = ${key}`);
  return row && wholeOf(row as WholeTuple);
}

type HeadTuple = [number, string, number, number];
type WholeTuple = [...HeadTuple, string, string];

const headOf = ([key, head, started, finished]: HeadTuple): MatchHead => ({ key, head, started, finished });

function wholeOf([key, head, started, finished, teams, objectives]: WholeTuple): WholeMatch {
  return { key, head, started, finished, teams, objectives };
}

/** One of a player's matches, as the field group `matches` tells it. */
export interface PlayedMatch extends MatchHead {
  result: 'win' | 'lose' | 'draw';
  score: number;
  kill_count: number;
  death_count: number;
}

/** A player's newest matches. */
export async function matchesOf(db: Queryable, playerKey: number, limit: number): Promise<PlayedMatch[]> {
  return await db.all<PlayedMatch>(sql`
    select m.key, m.head, m.started, m.finished, p.result, p.score, p.kill_count, p.death_count
    from player_matches p join matches m on m.key = p.match_key
    where p.player_key = ${playerKey} order by p.match_key desc limit ${limit}`);
}

export interface Kill {
  killer: { uuid: string; name: string };
  victim: { uuid: string; name: string };
  match: number;
  map: string;
  time: number;
}

/** A player's newest kills: by match, within a match by their order. */
export async function killsOf(db: Queryable, killerKey: number, limit: number): Promise<Kill[]> {
  const rows = await db.all<{
    uuid: string;
    killer_name: string;
    victim_uuid: string;
    victim_name: string;
    match_key: number;
    head: string;
    time: number;
  }>(sql`
    select p.uuid, k.killer_name, k.victim_uuid, k.victim_name, k.match_key, m.head, k.time
    from kills k join matches m on m.key = k.match_key join players p on p.key = k.killer_key
    where k.killer_key = ${killerKey} order by k.match_key desc, k.number desc limit ${limit}`);
  return rows.map((row) => ({
    killer: { uuid: row.uuid, name: row.killer_name },
    victim: { uuid: row.victim_uuid, name: row.victim_name },
    match: row.match_key,
    map: factsOf(row.head).map,
    time: row.time,
  }));
}

/** Reads what a head says. */
export function factsOf(head: string): MatchFacts {
  return JSON.parse(`${head}}`) as MatchFacts;
}

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
  const teams = match.teams.map(teamOf);
  const names = new Map(match.teams.flatMap(({ players }) => players.map(({ uuid, name }) => [uuid, name])));
  batch.rows.push(
    sql`insert into matches (key, head, started, finished, map_key, server_key, gamemode)
      values (${key}, ${headText(context, match, teams)}, ${match.started}, ${match.finished}, ${nameKey(match.map)},
        ${server!.key}, ${match.gamemode.toLowerCase()})`,
    sql`insert into match_details (match_key, teams, objectives)
      values (${key}, ${JSON.stringify(teams)}, ${JSON.stringify(match.objectives)})`,
  );
  const players = new Map<string, KnownPlayer>();
  for (const team of match.teams) {
    for (const player of team.players) players.set(player.uuid, applyPlayer(context, match, team, player));
  }
  for (const { player } of match.objectives) if (player !== null) see(context, player, match.finished);
  match.kills.forEach(({ killer, victim, time }, number) => {
    batch.rows.push(sql`
      insert into kills (killer_key, match_key, number, victim_uuid, victim_name, killer_name, time)
      values (${players.get(killer)!.key}, ${key}, ${number}, ${victim}, ${names.get(victim)!}, ${names.get(killer)!}, ${time})`);
  });
  return undefined;
}

function see({ batch }: Context, player: { uuid: string; name: string }, time: number): KnownPlayer {
  return batch.players.see(player, time, () => batch.keys.following());
}

function applyPlayer(context: Context, match: Finished, team: FinishedTeam, player: FinishedPlayer): KnownPlayer {
  const { batch, key } = context;
  const known = see(context, player, match.finished);
  const result = match.win === '' ? 'draw' : match.win === team.name ? 'win' : 'lose';
  batch.stats.add(known.key, groupOf(match.gamemode), countsOf(match, player, result));
  batch.rows.push(sql`
    insert into player_matches (player_key, match_key, name, result, score, kill_count, death_count, time_played)
    values (${known.key}, ${key}, ${player.name}, ${result}, ${player.score}, ${player.kill_count}, ${player.death_count},
      ${player.time_played})`);
  return known;
}

/** What a match adds to a player's counters; each group takes those it has. A draw counts as play only. */
export function countsOf(match: Finished, player: FinishedPlayer, result: string): Counts {
  const completed = match.objectives.filter(({ player: by }) => by?.uuid === player.uuid);
  const ofType = (type: string): number => completed.filter((objective) => objective.type === type).length;
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
    wool: ofType('wool'),
    core: ofType('core'),
    destroyable: ofType('destroyable'),
    flag: ofType('flag'),
    objective: completed.length,
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
    players: team.players.map(({ time_played: _, ...player }) => player),
  };
}

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
