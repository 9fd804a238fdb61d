import { idOf } from '#platform/ids.ts';
import { nameKey } from '#platform/text.ts';
import { type EventContext, findOrAddPlayer, observePlayer, type HandlerResult } from '../unit-of-work.ts';
import type { MatchFacts } from '#store/game/matches.ts';
import type { PlayerAccumulator } from '../player-accumulator.ts';
import { groupOf } from '#store/game/player-stats.ts';
import type { PlayedBy, MatchSummary, PlayerSummary } from '../match-summary.ts';

/** Finished matches on their way into the records, and out of them again. */

/** Takes a finished match; the batch has loaded its players (`uuidsOf`). The match's id is the event's own. */
export function applyFinished(context: EventContext, match: MatchSummary): HandlerResult {
  const { batch, key, server } = context;
  const { facts, started, finished, teams, objectives } = match;
  const head = headText(context, facts);
  const mode = facts.gamemode.toLowerCase();
  batch.rows.add('matches', [key, head, started, finished, nameKey(facts.map), server!.key, mode]);
  batch.rows.add('match_details', [key, head, started, finished, teams, objectives]);
  addPlayers(context, match);
  if (match.scorers.length > 0) addScorers(context, match);
  if (match.kills.length > 0) addKills(context, match);
  return undefined;
}

type PlayerRow = [match: number, player: number, ...PlayedBy];

/** One row a player. Several UUIDs that were merged into one may have played: their counts are added. */
function addPlayers(context: EventContext, { facts, finished, players }: MatchSummary): void {
  const { batch, key } = context;
  const rows = new Map<number, PlayerRow>();
  const others = new Map<number, Set<string>>();
  const group = groupOf(facts.gamemode);
  for (const player of players) {
    const [uuid, name, , , , , , sums] = player;
    const known = findOrAddPlayer(context, { uuid, name }, finished);
    batch.players.count(known, group, sums);
    const before = rows.get(known.key);
    if (before !== undefined) others.set(known.key, (others.get(known.key) ?? new Set()).add(before[2]));
    const row = rowOf(player, key, known.key);
    rows.set(known.key, before === undefined ? row : together(before, row));
  }
  for (const row of rows.values()) batch.rows.add('player_matches', row);
  for (const [player, names] of others) {
    for (const name of names) batch.rows.add('name_observations', [player, key, finished, name]);
  }
}

function rowOf(player: PlayerSummary, match: number, key: number): PlayerRow {
  const [, name, result, score, kills, deaths, time] = player;
  return [match, key, name, result, score, kills, deaths, time];
}

function together(before: PlayerRow, row: PlayerRow): PlayerRow {
  const [match, player, name, result, score, kills, deaths, time] = row;
  const sums = [score + before[4], kills + before[5], deaths + before[6], time + before[7]] as const;
  return [match, player, name, result, ...sums];
}

/** Whoever completed an objective without standing in a team, be it under another UUID, has no row that keeps the name. */
function addScorers(context: EventContext, { players, scorers, finished }: MatchSummary): void {
  const accumulator = context.batch.players;
  const seen = new Set(players.map(([uuid]) => accumulator.known(uuid)!.key));
  for (const [uuid, name] of scorers) {
    const known = accumulator.known(uuid);
    if (known !== undefined && seen.has(known.key)) continue;
    seen.add(observePlayer(context, { uuid, name }, finished).key);
  }
}

function addKills({ batch, key }: EventContext, { kills }: MatchSummary): void {
  kills.forEach(([killer, killerName, victim, victimName, time], number) => {
    const by = batch.players.known(killer)!.key;
    batch.rows.add('kills', [by, key, number, victim, victimName, killerName, time]);
  });
}

/** Takes what a match added to its players' counters out of them. */
export function removeFinished(accumulator: PlayerAccumulator, { facts, players }: MatchSummary): void {
  const group = groupOf(facts.gamemode);
  for (const [uuid, , , , , , , sums] of players) accumulator.count(accumulator.known(uuid)!, group, sums, -1);
}

function headText({ key, server }: EventContext, { map, ...others }: MatchSummary['facts']): string {
  const facts: MatchFacts = { id: idOf(key), map, server: server!.name, ...others };
  return JSON.stringify(facts).slice(0, -1);
}
