import { json, type Queryable, rowReader } from '#db/db.ts';
import { list, type Sql, sql } from '#db/sql.ts';
import type { MatchObjective, MatchTeam } from './matches.ts';
import { byOrder } from './servers.ts';
import { WATCH_EVENT } from './watches/server-watches.ts';

/**
 * The present match of each server by its newest report, and unreported matches, which have ended without a reported
 * result. Neither has an id or is counted. The report of the result deletes them.
 */

export type MatchPhase = 'starting' | 'running' | 'finished';

export type LiveTeam = MatchTeam & { color?: string };

/** A running match without its players. */
export interface LiveMatchHead {
  serverKey: number;
  server: string;
  phase: MatchPhase;
  /** null before it begins. */
  started: number | null;
  /** The time of the newest report. */
  time: number;
  map: string;
  gamemode: string;
  participants: number;
  /** null if they were not counted. */
  observers: number | null;
}

export interface LiveMatch extends LiveMatchHead {
  teams: LiveTeam[];
  objectives: MatchObjective[];
}

/** A team without its players. `color` is empty if the server reported none. */
export type LiveTeamHead = Omit<MatchTeam, 'players'> & { color: string };

/** A running match in a list. */
export interface ListedLiveMatch extends LiveMatchHead {
  /** JSON of `LiveTeamHead[]`. In a free-for-all each player is a team, so that only some readers parse it. */
  teamHeads: string;
  teamCount: number;
  /** The number of players in the largest team. */
  largestTeam: number;
}

/** A match without a result that the server no longer plays. */
export interface UnreportedMatch {
  started: number;
  /** The last time at which the server is known to have played it. */
  seen: number;
  map: string;
  gamemode: string;
}

/** Maximum unreported matches stored per server. */
const MAX_UNREPORTED = 20;
/**
 * Maximum error of a match's beginning in a status ping: the answer is up to five seconds old, takes up to five more,
 * and PGM counts whole seconds.
 */
const TOLERANCE_MS = 20_000;

/**
 * Whether two reports are about the same match of a server: their times overlap by more than the tolerance, or by half of
 * the shorter one.
 */
export function isSameMatch(
  one: readonly [from: number, to: number],
  other: readonly [from: number, to: number],
): boolean {
  const overlap = Math.min(one[1], other[1]) - Math.max(one[0], other[0]);
  const shorter = Math.min(one[1] - one[0], other[1] - other[0]);
  return overlap >= 0 && overlap >= Math.min(TOLERANCE_MS, shorter / 2);
}

const HEAD = sql`
  l.server_key as "serverKey", s.name as server, l.phase, l.started, l.time, l.map, l.gamemode, l.participants, l.observers`;
const FROM = sql`from live_matches l join servers s on s.key = l.server_key`;

/** The matches of all servers by the order of the servers. `since`: epoch milliseconds; reports received earlier do not count. */
export async function listLiveMatches(db: Queryable, since: number): Promise<ListedLiveMatch[]> {
  const rows = await db.all<ListedLiveMatch & { name: string; order: number }>(sql`
    select ${HEAD}, s.name, s.sort_order as "order", l.team_heads as "teamHeads", l.team_count as "teamCount",
      l.largest_team as "largestTeam" ${FROM}
    where l.received >= ${since} and s.removed is null`);
  return rows.sort(byOrder).map(({ name: _name, order: _order, ...match }) => match);
}

const toLiveMatch = rowReader<LiveMatch>({ teams: json, objectives: json });

export async function liveMatchOf(db: Queryable, serverKey: number, since: number): Promise<LiveMatch | undefined> {
  const row = await db.get(sql`
    select ${HEAD}, l.teams, l.objectives ${FROM}
    where l.server_key = ${serverKey} and l.received >= ${since} and s.removed is null`);
  return row && toLiveMatch(row);
}

/**
 * The unreported matches of a server, newest first, with its running match if that has no report since the timestamp.
 */
export const unreportedMatchesOf = (db: Queryable, serverKey: number, since: number): Promise<UnreportedMatch[]> =>
  db.all(sql`
    select started, time as seen, map, gamemode from live_matches
    where server_key = ${serverKey} and received < ${since} and started is not null
    union all
    select started, seen, map, gamemode from unreported_matches where server_key = ${serverKey}
    order by started desc limit ${MAX_UNREPORTED}`);

/** A report of the present match of a server. */
export interface LiveReport extends Omit<LiveMatch, 'server'> {
  eventId: string;
  received: number;
}

/** The newest stored report of a server. */
interface NewestReport {
  event_id: string;
  time: number;
  started: number | null;
}

export const newestReport = (tx: Queryable, serverKey: number): Promise<NewestReport | undefined> =>
  tx.get(sql`select event_id, time, started from live_matches where server_key = ${serverKey}`);

/** Stores a report that is newer than the stored one. A match that it replaces becomes an unreported match. */
export async function storeReport(tx: Queryable, report: LiveReport, before: NewestReport | undefined): Promise<void> {
  const { serverKey, started } = report;
  if (before !== undefined && isReplaced(before, report)) await addUnreported(tx, serverKey);
  const { teams, objectives } = report;
  await tx.run(sql`
    insert into live_matches (server_key, event_id, time, received, phase, started, map, gamemode, participants, observers,
      teams, team_heads, team_count, largest_team, objectives)
    values (${serverKey}, ${report.eventId}, ${report.time}, ${report.received}, ${report.phase}, ${started},
      ${report.map}, ${report.gamemode}, ${report.participants}, ${report.observers}, ${JSON.stringify(teams)},
      ${JSON.stringify(teams.map(toTeamHead))}, ${teams.length}, ${largestTeamSize(teams)}, ${JSON.stringify(objectives)})
    on conflict (server_key) do update set
      event_id = excluded.event_id, time = excluded.time, received = excluded.received, phase = excluded.phase,
      started = excluded.started, map = excluded.map, gamemode = excluded.gamemode,
      participants = excluded.participants, observers = excluded.observers, teams = excluded.teams,
      team_heads = excluded.team_heads, team_count = excluded.team_count, largest_team = excluded.largest_team,
      objectives = excluded.objectives`);
}

/** The statement that replaces what the stored report of a server says about players. */
export function replacePlayers(
  serverKey: number,
  {
    teams,
    objectives,
    participants,
    observers,
  }: Pick<LiveReport, 'teams' | 'objectives' | 'participants' | 'observers'>,
): Sql {
  return sql`
    update live_matches set teams = ${JSON.stringify(teams)}, team_heads = ${JSON.stringify(teams.map(toTeamHead))},
      team_count = ${teams.length}, largest_team = ${largestTeamSize(teams)}, objectives = ${JSON.stringify(objectives)},
      participants = ${participants}, observers = ${observers}
    where server_key = ${serverKey}`;
}

const largestTeamSize = (teams: readonly LiveTeam[]): number =>
  Math.max(0, ...teams.map(({ players }) => players.length));

const toTeamHead = ({ name, color = '', score, kill_count, death_count }: LiveTeam): LiveTeamHead => {
  return { name, score, kill_count, death_count, color };
};

/**
 * Whether a report is about another match. The first own report of a server has a more exact beginning of the same
 * match.
 */
function isReplaced(
  { event_id, time, started: began }: NewestReport,
  { eventId, started, time: now }: LiveReport,
): boolean {
  if (began === null || began === started) return false;
  const isOtherSource = event_id.startsWith(WATCH_EVENT) !== eventId.startsWith(WATCH_EVENT);
  return started === null || !isOtherSource || !isSameMatch([began, time], [started, now]);
}

/** Copies the match of a server to its unreported ones, of which the newest are kept. */
async function addUnreported(tx: Queryable, serverKey: number): Promise<void> {
  await tx.run(sql`
    insert into unreported_matches (server_key, started, seen, received, map, gamemode)
    select server_key, started, time, received, map, gamemode from live_matches where server_key = ${serverKey}
    on conflict (server_key, started) do update set
      seen = excluded.seen, received = excluded.received, map = excluded.map, gamemode = excluded.gamemode`);
  await tx.run(sql`
    delete from unreported_matches where server_key = ${serverKey} and started <= (
      select started from unreported_matches where server_key = ${serverKey} order by started desc limit 1 offset ${MAX_UNREPORTED})`);
}

/**
 * Whether one of the newest matches with a result is the match that began at `started` and was still played at `time`.
 */
export async function hasResult(tx: Queryable, serverKey: number, started: number, time: number): Promise<boolean> {
  const rows = await tx.tuples(sql`
    select started, finished from matches where server_key = ${serverKey} order by server_key desc, key desc limit 5`);
  return (rows as [number, number][]).some((match) => isSameMatch(match, [started, time]));
}

/** A match with a result. */
export interface FinishedMatch {
  serverKey: number;
  started: number;
  finished: number;
}

/** Deletes the running and unreported matches whose results are known now. */
export async function removeSeen(tx: Queryable, finished: readonly FinishedMatch[]): Promise<void> {
  const servers = list([...new Set(finished.map(({ serverKey }) => serverKey))]);
  const rows = await tx.tuples(sql`
    select server_key, started, time from live_matches where server_key in (${servers}) and started is not null
    union all
    select server_key, started, seen from unreported_matches where server_key in (${servers})`);
  const seen = (rows as [number, number, number][]).filter(([server, started, time]) =>
    finished.some(
      (match) => match.serverKey === server && isSameMatch([match.started, match.finished], [started, time]),
    ),
  );
  await tx.runAll(
    seen.flatMap(([server, started]) => [
      sql`delete from live_matches where server_key = ${server} and started = ${started}`,
      sql`delete from unreported_matches where server_key = ${server} and started = ${started}`,
    ]),
  );
}

/** Deletes the reports of a server's matches, all or those since a timestamp. */
export async function forgetSeen(tx: Queryable, serverKey: number, since = 0): Promise<void> {
  await tx.run(sql`delete from live_matches where server_key = ${serverKey} and received >= ${since}`);
  await tx.run(sql`delete from unreported_matches where server_key = ${serverKey} and received >= ${since}`);
}

/** Deletes teams and objectives with one of these players. The next report has them under other names. */
export async function forgetPlayersOfLiveMatches(tx: Queryable, uuids: readonly string[]): Promise<void> {
  for (const uuid of uuids) {
    await tx.run(sql`
      update live_matches set teams = '[]', team_heads = '[]', team_count = 0, largest_team = 0, objectives = '[]'
      where teams like ${`%${uuid}%`} or objectives like ${`%${uuid}%`}`);
  }
}

/**
 * The servers of these whose own report of a match was received since the timestamp, so that no poll has to report it.
 */
export async function reportingMatches(
  db: Queryable,
  serverKeys: readonly number[],
  since: number,
): Promise<ReadonlySet<number>> {
  if (serverKeys.length === 0) return new Set();
  const rows = await db.tuples(sql`
    select server_key from live_matches
    where server_key in (${list(serverKeys)}) and received >= ${since} and event_id not like ${`${WATCH_EVENT}%`}`);
  return new Set(rows.map(([key]) => key as number));
}
