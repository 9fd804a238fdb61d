import { idOf } from '#platform/ids.ts';
import { nameKey } from '#platform/text.ts';
import { type EventContext, findOrAddPlayer, observePlayer, type HandlerResult } from '../unit-of-work.ts';
import type { MatchFacts } from '#store/game/matches.ts';
import { groupOf } from '#store/game/player-stats.ts';
import { type PlayedBy, type MatchSummary, type PlayerSummary, uuidsOf } from '../match-summary.ts';
import { applyReports } from '../counters/report.ts';
import { renamedJson } from '../renamed-json.ts';
import type { KnownPlayer } from '#store/game/players.ts';

/** Stores a finished match under the key of its event. The caller has loaded its players (`uuidsOf`) into the batch. */
export async function applyFinished(context: EventContext, match: MatchSummary): Promise<HandlerResult> {
  const { batch, key, server } = context;
  const { facts, started, finished, teams, objectives, extras, counters } = match;
  const head = headText(context, facts);
  const mode = facts.gamemode.toLowerCase();
  batch.rows.add('matches', [key, head, started, finished, nameKey(facts.map), server!.key, mode]);
  addPlayers(context, match);
  if (match.scorers.length > 0) addScorers(context, match);
  const survivors = batch.players.hasMerged ? survivorsOf(context, match) : undefined;
  const shown = (json: string): string => (survivors === undefined ? json : renamedJson(json, survivors));
  batch.rows.add('match_details', [key, head, started, finished, shown(teams), shown(objectives), extras]);
  if (match.kills.length > 0) addKills(context, match, survivors);
  if (match.completed.length > 0) addCompleted(context, match);
  if (counters === undefined) return undefined;
  batch.rows.add('match_counters', [key, shown(counters.text)]);
  const warnings = await applyReports(context, groupOf(facts.gamemode), counters.reported);
  return warnings && { warnings };
}

type PlayerRow = [match: number, player: number, ...PlayedBy];

/** Adds one row per player. Where several UUIDs of the match were merged into one player, their counts are added. */
function addPlayers(context: EventContext, { facts, finished, players }: MatchSummary): void {
  const { batch, key } = context;
  const rows = new Map<number, PlayerRow>();
  const otherNames = new Map<number, Set<string>>();
  const group = groupOf(facts.gamemode);
  for (const player of players) {
    const [uuid, name, , , , , , , sums] = player;
    const stored = findOrAddPlayer(context, { uuid, name }, finished);
    batch.players.count(stored, group, sums);
    const before = rows.get(stored.key);
    if (before !== undefined) otherNames.set(stored.key, (otherNames.get(stored.key) ?? new Set()).add(before[2]));
    const row = rowOf(player, key, stored.key);
    rows.set(stored.key, before === undefined ? row : addRows(before, row));
  }
  for (const row of rows.values()) batch.rows.add('player_matches', row);
  for (const [player, names] of otherNames) {
    for (const name of names) batch.rows.add('name_observations', [player, key, finished, name]);
  }
}

function rowOf(player: PlayerSummary, match: number, key: number): PlayerRow {
  const [, name, result, score, kills, deaths, time, envdeaths] = player;
  return [match, key, name, result, score, kills, deaths, time, envdeaths];
}

function addRows(before: PlayerRow, row: PlayerRow): PlayerRow {
  const [match, player, name, result, score, kills, deaths, time, envdeaths] = row;
  const sums = [score + before[4], kills + before[5], deaths + before[6], time + before[7]] as const;
  return [match, player, name, result, ...sums, envdeaths + before[8]];
}

/** Records the names of scorers who are in no team: no row of `player_matches` stores them. */
function addScorers(context: EventContext, { players, scorers, finished }: MatchSummary): void {
  const accumulator = context.batch.players;
  const recorded = new Set(players.map(([uuid]) => accumulator.find(uuid)!.key));
  for (const [uuid, name] of scorers) {
    const stored = accumulator.find(uuid);
    if (stored !== undefined && recorded.has(stored.key)) continue;
    recorded.add(observePlayer(context, { uuid, name }, finished).key);
  }
}

type Survivors = ReadonlyMap<string, KnownPlayer>;

/** The surviving players of those in the match who were merged into others: the match shows their UUIDs and names. */
function survivorsOf({ batch }: EventContext, match: MatchSummary): Survivors | undefined {
  const merged = uuidsOf(match).flatMap((uuid): [string, KnownPlayer][] => {
    const player = batch.players.find(uuid)!;
    return player.uuid === uuid ? [] : [[uuid, player]];
  });
  return merged.length === 0 ? undefined : new Map(merged);
}

function addCompleted({ batch, key }: EventContext, { completed }: MatchSummary): void {
  for (const [uuid, type, ...facts] of completed) {
    batch.rows.add('player_objectives', [batch.players.find(uuid)!.key, type, key, ...facts]);
  }
}

function addKills({ batch, key }: EventContext, { kills }: MatchSummary, survivors?: Survivors): void {
  kills.forEach(([killer, killerName, victim, victimName, time, location], number) => {
    const killerKey = killer === null ? null : batch.players.find(killer)!.key;
    const victimKey = batch.players.find(victim)!.key;
    const shownKiller = (killer === null ? undefined : survivors?.get(killer)?.name) ?? killerName;
    const shownVictim = survivors?.get(victim)?.name ?? victimName;
    batch.rows.add('kills', [key, number, killerKey, shownKiller, victimKey, shownVictim, time, location]);
  });
}

/** The first part of the match's JSON, which readers complete with its teams: an object without its closing brace. */
function headText({ key, server }: EventContext, { map, ...others }: MatchSummary['facts']): string {
  const facts: MatchFacts = { id: idOf(key), map, server: server!.name, ...others };
  return JSON.stringify(facts).slice(0, -1);
}
