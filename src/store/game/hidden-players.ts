import { nameKey, uuidOf } from '#text/text.ts';
import { getValue, type Queryable, type Transactional } from '#db/db.ts';
import { insertAll, list, type Sql, sql } from '#db/sql.ts';
import { Keys } from '../sequence.ts';
import { recordChanges, type ResourceChange } from './changes.ts';
import { HiddenLists, type HiddenPlayers, NETWORK, privateIn } from './hidden-lists.ts';
import { followRanked } from './leaderboards/leaderboard-projection.ts';
import { type LiveTeam, replacePlayers } from './live-matches.ts';
import type { MatchObjective } from './matches.ts';
import { bearsName } from './own-teams.ts';
import { hasPseudonym, lastBearer, type Named } from './players.ts';

/**
 * Heartbeats and reports of running matches are stored without hidden players, so that no reader has to leave them out.
 * Finished matches are stored as reported.
 */

/** Replaces a list and removes its players from what is shown now. Players who are no longer listed appear with the next reports. */
export async function setHidden(
  db: Transactional,
  now: number,
  scope: number,
  entries: readonly string[],
): Promise<void> {
  await db.transaction(async (tx) => {
    // Reports of other processes are stored before the list changes, or with the new list.
    await Keys.lock(tx);
    const keyed = new Map(entries.map((entry) => [uuidOf(entry) ?? nameKey(entry), entry]));
    const rows = [];
    for (const [key, entry] of keyed) rows.push([scope, key, uuidOf(entry) ?? entry, await playerOf(tx, entry)]);
    const before = await hiddenKeys(tx);
    const listed = await tx.tuples(sql`select entry_key from hidden_players where scope_key = ${scope}`);
    const isLonger = new Set(keyed.keys()).difference(new Set(listed.flat())).size > 0;
    await tx.run(sql`delete from hidden_players where scope_key = ${scope}`);
    await tx.runAll(insertAll('insert into hidden_players (scope_key, entry_key, entry, uuid) values', rows));
    const servers = scope === NETWORK ? undefined : [scope];
    await hideReported(tx, await HiddenLists.read(tx), servers);
    const changed = before.symmetricDifference(await hiddenKeys(tx));
    await followRanked(tx, now, [...changed]);
    const players = [...changed].map((key): ResourceChange => ({ kind: 'player', key, type: 'changed' }));
    await recordChanges(tx, [...players, ...(isLonger ? await changesOfReported(tx, servers) : [])], now);
  });
}

/**
 * Stores whether matches hide private players, for their readers. After another choice than before, a job records changes of the
 * matches of all private players, so that copies of them follow.
 */
export async function storeMatchPrivacy(db: Transactional, now: number, isHidden: boolean): Promise<void> {
  await db.transaction(async (tx) => {
    await Keys.lock(tx);
    const hidden = Number(isHidden);
    if ((await tx.run(sql`update private_in_matches set hidden = ${hidden} where hidden <> ${hidden}`)) === 0) return;
    await tx.run(sql`
      insert into renamed_players (player_key, done, played)
      select p.key, 0, 1 from private_players v join players p on p.uuid = v.uuid where v.profile = 1
      on conflict (player_key) do update set done = 0, played = 1`);
    await hideReported(tx, await HiddenLists.read(tx));
    await recordChanges(tx, await changesOfReported(tx), now);
  });
}

/**
 * The changes of servers (default: of all) that have reported players, when some of them are no longer shown. Heartbeats are
 * no changes, so that a copy of a server names those who were online when it was read.
 */
export async function changesOfReported(tx: Queryable, servers?: readonly number[]): Promise<ResourceChange[]> {
  const among = servers === undefined ? sql`` : sql`and key in (${list(servers)})`;
  const rows = await tx.tuples(sql`
    select key from servers
    where removed is null and exists (select 1 from presence where server_key = servers.key) ${among} order by key`);
  return rows.map(([key]) => ({ kind: 'server', key: key as number, type: 'changed' }));
}

/** The keys of the players on any list that are in the feed of changes. */
async function hiddenKeys(tx: Queryable): Promise<Set<number>> {
  const rows = await tx.all<Named & { key: number }>(sql`
    select distinct p.key, p.uuid, p.name from hidden_players h join players p on p.uuid = h.uuid`);
  return new Set(rows.filter((player) => !hasPseudonym(player)).map(({ key }) => key));
}

/** The UUID of the player with this UUID or present name; null if no player has the name. */
async function playerOf(tx: Queryable, entry: string): Promise<string | null> {
  const uuid = uuidOf(entry);
  if (uuid === undefined) return (await lastBearer(tx, nameKey(entry)))?.uuid ?? null;
  return (await getValue(tx, sql`select into_uuid from player_aliases where uuid = ${uuid}`)) ?? uuid;
}

interface Present {
  server_key: number;
  received: number;
  players: string;
  player_count: number;
  playing: number;
}

interface LiveRow {
  server_key: number;
  received: number;
  teams: string;
  objectives: string;
  participants: number;
  observers: number | null;
}

/** Maximum time between a heartbeat and a report of a match whose numbers are compared: more than two heartbeats. */
const COMPARED_MS = 75_000;

/** Removes players from the stored heartbeats and running matches of some servers (default: of all), until the next reports. */
export async function hideReported(
  tx: Queryable,
  lists: Pick<HiddenLists, 'on'>,
  servers?: readonly number[],
): Promise<void> {
  const among = servers === undefined ? sql`` : sql`where server_key in (${list(servers)})`;
  const present = await tx.all<Present>(sql`
    select server_key, received, players, player_count, playing from presence ${among}`);
  const live = await tx.all<LiveRow>(sql`
    select server_key, received, teams, objectives, participants, observers from live_matches ${among}`);
  const matches = new Map(live.map((row) => [row.server_key, row]));
  const hidden = await privateIn(tx, reportedIn(present, live));
  const hiddenOn = (server: number): HiddenPlayers => {
    const { uuids, names } = lists.on(server);
    return { uuids: hidden.uuids.union(uuids), names: hidden.names.union(names) };
  };
  for (const row of present) {
    await tx.runAll(hideOn(hiddenOn(row.server_key), row, matches.get(row.server_key)));
    matches.delete(row.server_key);
  }
  for (const row of matches.values()) await tx.runAll(hideOn(hiddenOn(row.server_key), undefined, row));
}

/** The players of reports: the keys of the names in heartbeats, and the UUIDs and keys of the names in matches. */
function reportedIn(present: readonly Present[], live: readonly LiveRow[]): { names: string[]; uuids: string[] } {
  const online = present.flatMap(({ players }) => JSON.parse(players) as string[]);
  const named = live.flatMap(({ teams, objectives }) => [
    ...(JSON.parse(teams) as LiveTeam[]).flatMap(({ players }) => players),
    ...(JSON.parse(objectives) as MatchObjective[]).flatMap(({ player }) => player ?? []),
  ]);
  const names = new Set([...online, ...named.map(({ name }) => name)].map(nameKey));
  return { names: [...names], uuids: [...new Set(named.map(({ uuid }) => uuid))] };
}

/**
 * Removes names from the stored heartbeats and running matches, except those that a player has now.
 * @param keys of the names
 * @returns the changes of the servers whose copies may have them
 */
export async function forgetNames(tx: Queryable, keys: ReadonlySet<string>): Promise<ResourceChange[]> {
  const present = await tx.tuples(sql`select name_key from players where name_key in (${list([...keys])})`);
  const names = keys.difference(new Set(present.flat() as string[]));
  if (names.size === 0) return [];
  await hideReported(tx, { on: () => ({ uuids: new Set(), names }) });
  return await changesOfReported(tx);
}

/**
 * The statements that hide players on one server. Neither report says whether a hidden player takes part or watches, so
 * that a number of one must not exceed what the other one shows.
 */
function hideOn(hidden: HiddenPlayers, present: Present | undefined, live: LiveRow | undefined): Sql[] {
  if (hidden.names.size + hidden.uuids.size === 0) return [];
  const match = live && shownMatch(live, hidden);
  const heartbeat = present && shownHeartbeat(present, hidden);
  if (heartbeat && match && Math.abs(present.received - live.received) <= COMPARED_MS) {
    heartbeat.playing = Math.min(heartbeat.playing, match.participants);
    if (match.observers !== null)
      match.observers = Math.min(match.observers, Math.max(0, heartbeat.player_count - match.participants));
  }
  return [
    ...(heartbeat && (heartbeat.players !== present.players || heartbeat.playing !== present.playing)
      ? [replacePresence(present.server_key, heartbeat)]
      : []),
    ...(match && isChanged(live, match) ? [replacePlayers(live.server_key, match)] : []),
  ];
}

function shownHeartbeat({ players, player_count, playing }: Present, { names }: HiddenPlayers) {
  const listed = JSON.parse(players) as string[];
  const shown = listed.filter((name) => !names.has(nameKey(name)));
  const count = player_count - (listed.length - shown.length);
  return { players: JSON.stringify(shown), player_count: count, playing: Math.min(playing, count) };
}

const replacePresence = (serverKey: number, { players, player_count, playing }: ReturnType<typeof shownHeartbeat>) =>
  sql`
    update presence set players = ${players}, player_count = ${player_count}, playing = ${playing}
    where server_key = ${serverKey}`;

const isChanged = (row: LiveRow, shown: ReturnType<typeof shownMatch>): boolean =>
  row.observers !== shown.observers ||
  row.participants !== shown.participants ||
  row.teams !== JSON.stringify(shown.teams) ||
  row.objectives !== JSON.stringify(shown.objectives);

function shownMatch({ teams, objectives, participants, observers }: LiveRow, { uuids, names }: HiddenPlayers) {
  const isHidden = ({ uuid, name }: { uuid: string; name: string }): boolean =>
    uuids.has(uuid) || names.has(nameKey(name));
  const reported = JSON.parse(teams) as LiveTeam[];
  const removed = reported.flatMap(({ players }) => players.filter(isHidden));
  // In a free-for-all each player is a team with the player's name.
  const own = new Set([...names, ...removed.map(({ name }) => nameKey(name))]);
  return {
    teams: reported
      .filter(({ name, players }) => !(bearsName(name, own) && players.every(isHidden)))
      .map((team) => withoutPlayers(team, isHidden)),
    objectives: (JSON.parse(objectives) as MatchObjective[])
      .filter(({ team }) => !bearsName(team, own))
      .map((objective) => ({
        ...objective,
        player: objective.player !== null && isHidden(objective.player) ? null : objective.player,
      })),
    participants: Math.max(0, participants - new Set(removed.map(({ uuid }) => uuid)).size),
    observers,
  };
}

function withoutPlayers(team: LiveTeam, isHidden: (player: LiveTeam['players'][number]) => boolean): LiveTeam {
  const [hidden, players] = [team.players.filter(isHidden), team.players.filter((player) => !isHidden(player))];
  const without = (total: number, of: 'kill_count' | 'death_count'): number =>
    Math.max(
      0,
      hidden.reduce((left, player) => left - player[of], total),
    );
  return {
    ...team,
    kill_count: without(team.kill_count, 'kill_count'),
    death_count: without(team.death_count, 'death_count'),
    players,
  };
}
