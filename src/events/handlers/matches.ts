import { NAMED_KINDS } from '#store/game/renamed-players.ts';
import { type Effects, PLAIN_EFFECT } from './event-effect.ts';
import type { MATCH_EVENTS } from '../schema/matches.ts';
import { idOf } from '#platform/ids.ts';
import { nameKey, uuidLabel } from '#text/text.ts';
import { type EventContext, findOrAddPlayer, type HandlerResult } from '../ledger/unit-of-work.ts';
import type { MatchFacts } from '#store/game/matches.ts';
import { hasUnnamed } from '#store/game/present-names.ts';
import { toSums } from '#store/game/player-stats.ts';
import { groupOf } from '#store/game/statistics-groups.ts';
import { countedTwice, joinPlayed, type PlayedBy } from '#store/game/player-matches.ts';
import { anonymiseMatch } from './match-anonymisation.ts';
import { beginMatch, continueMatch } from './match-retraction.ts';
import { applyReports, exceedsDeclared, warningsAbout } from './counter-reports.ts';
import { type MatchSummary, matchUuids, type PlayerSummary } from '../schema/match-summary.ts';

/** Stores a finished match under the key of its event. The caller has loaded its players (`matchUuids`) into the unit of work. */
async function applyFinished(context: EventContext, match: MatchSummary): Promise<HandlerResult> {
  const { work, key, server } = context;
  const { facts, started, finished, teams, teamsKey, objectives, extras, counters } = match;
  const head = headText(context, facts);
  const mode = facts.gamemode.toLowerCase();
  const ranked = Number(facts.ranked);
  work.rows.add('matches', [key, head, started, finished, nameKey(facts.map), server!.key, mode, ranked, teamsKey]);
  const isCounted = match.isPlausible && !(counters !== undefined && (await exceedsDeclared(work, counters.reported)));
  if (!isCounted) work.rows.add('excluded_matches', [key]);
  work.finished.push({ serverKey: server!.key, started, finished });
  addPlayers(context, match, isCounted);
  addMerged(context, match);
  work.rows.add('match_details', [key, head, started, finished, teams, objectives, extras]);
  work.changes.add('match', key, 'created');
  if (match.kills.length > 0) addKills(context, match);
  if (match.completed.length > 0) addCompleted(context, match);
  if (counters === undefined) return undefined;
  work.rows.add('match_counters', [key, counters.text]);
  const warnings = isCounted
    ? await applyReports(context, groupOf(facts.gamemode), counters.reported)
    : await warningsAbout(work, counters.reported);
  return warnings && { warnings };
}

type PlayerRow = [match: number, player: number, ...PlayedBy];

/**
 * Adds one row per player, and observations of the scorers without a team, who have no row in `player_matches`. If several
 * UUIDs of the match were merged into one player, `joinPlayed` makes one row of theirs.
 */
function addPlayers(
  context: EventContext,
  { facts, finished, players, scorers }: MatchSummary,
  isCounted: boolean,
): void {
  const { work, key } = context;
  const rows = new Map<number, PlayerRow>();
  const names = new ObservedNames();
  const group = groupOf(facts.gamemode);
  for (const player of players) {
    const [uuid, name, , , , , , , , sums] = player;
    const stored = findOrAddPlayer(context, { uuid, name }, finished);
    if (isCounted) work.players.count(stored, group, sums);
    const before = rows.get(stored.key);
    const row = playerRow(player, key, stored.key);
    if (before !== undefined) {
      names.add(uuid, stored.key, before[2], name);
      if (isCounted) work.players.count(stored, group, toSums(group, countedTwice(before[3], row[3])), -1);
    }
    rows.set(stored.key, before === undefined ? row : joinRows(before, row));
  }
  for (const [uuid, name] of scorers) {
    const stored = findOrAddPlayer(context, { uuid, name }, finished);
    const row = rows.get(stored.key);
    names.add(uuid, stored.key, name, ...(row === undefined ? [] : [row[2]]));
    if (name === row?.[2]) work.rows.add('name_observations', [stored.key, key, finished, name]);
  }
  for (const row of rows.values()) work.rows.add('player_matches', row);
  for (const [player, { uuid, all }] of names.byPlayer) {
    const sorted = [...all].sort();
    // Of several names in one event the last in sort order counts as the newest.
    if (sorted.length > 1) findOrAddPlayer(context, { uuid, name: sorted.at(-1)! }, finished);
    for (const name of sorted) {
      if (name !== rows.get(player)?.[2]) work.rows.add('name_observations', [player, key, finished, name]);
    }
  }
}

/** Names that a match observed and `player_matches` does not store, by player. */
class ObservedNames {
  readonly byPlayer = new Map<number, { uuid: string; all: Set<string> }>();

  add(uuid: string, player: number, ...names: string[]): void {
    const observed = this.byPlayer.get(player) ?? { uuid, all: new Set<string>() };
    for (const name of names) observed.all.add(name);
    this.byPlayer.set(player, observed);
  }
}

function playerRow(player: PlayerSummary, match: number, key: number): PlayerRow {
  const [, name, result, score, kills, deaths, time, envdeaths, team] = player;
  return [match, key, name, result, score, kills, deaths, time, envdeaths, team];
}

const joinRows = ([match, player, ...before]: PlayerRow, [, , ...row]: PlayerRow): PlayerRow => [
  match,
  player,
  ...joinPlayed(before, row),
];

/**
 * Records the surviving players of UUIDs of the match that were merged into others, and the players without a name in one of
 * their places.
 */
function addMerged({ work, key }: EventContext, match: MatchSummary): void {
  const texts = [match.teams, match.objectives].filter(hasUnnamed);
  if (!work.players.hasMerged && texts.length === 0) return;
  const merged = matchUuids(match).flatMap((uuid) => {
    const player = work.players.find(uuid)!;
    const isNamed = !texts.some((text) => text.includes(uuidLabel(uuid)));
    return player.uuid === uuid && isNamed ? [] : [player.key];
  });
  for (const player of new Set(merged)) work.rows.add('merged_in_matches', [key, player]);
}

function addCompleted({ work, key }: EventContext, { completed }: MatchSummary): void {
  for (const [uuid, type, ...facts] of completed) {
    work.rows.add('player_objectives', [work.players.find(uuid)!.key, type, key, ...facts]);
  }
}

function addKills({ work, key }: EventContext, { kills }: MatchSummary): void {
  kills.forEach(([killer, killerName, victim, victimName, time, location], number) => {
    const killerKey = killer === null ? null : work.players.find(killer)!.key;
    const victimKey = work.players.find(victim)!.key;
    work.rows.add('kills', [key, number, killerKey, killerName, victimKey, victimName, time, location]);
  });
}

/** The first part of the match's JSON, which readers complete with its teams: an object without its closing brace. */
function headText({ key, server }: EventContext, { map, ...others }: MatchSummary['facts']): string {
  const facts: MatchFacts = { id: idOf(key), map, server: server!.name, ...others };
  return JSON.stringify(facts).slice(0, -1);
}

export const MATCH_EFFECTS: Effects<typeof MATCH_EVENTS> = {
  'match.finished': {
    ...PLAIN_EFFECT,
    apply: applyFinished,
    changes: NAMED_KINDS,
    retract: { begin: beginMatch, next: continueMatch },
    anonymise: anonymiseMatch,
  },
};
