import { allAs, json, type Queryable, rowReader } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';
import { isRewritten, asShownMatches } from '../merged-players.ts';
import type { Group } from '../statistics-groups.ts';
import type { CounterValues } from './player-counters.ts';

/** The counters that events report, by player, and those of a match as its page shows them. */

export interface CounterReport {
  event: number;
  player: number;
  mode: Group;
  /** One element, or several if merged players took part in the same event. */
  values: CounterValues[];
}

const REPORTS = sql`
  select event_key as event, player_key as player, mode, counters as "values" from counter_reports`;

const toReport = rowReader<CounterReport>({ values: json });

/** The stored values of a report, those of merged players in an order that does not depend on the merge. */
export function reportText(values: readonly CounterValues[]): string {
  if (values.length === 1) return JSON.stringify(values);
  return `[${values
    .map((one) => JSON.stringify(one))
    .sort()
    .join(',')}]`;
}

/** The reports of an event, about some players or all. */
export async function readReports(db: Queryable, event: number, players?: readonly number[]): Promise<CounterReport[]> {
  const ofPlayers = players === undefined ? sql`` : sql`and player_key in (${list(players)})`;
  return await allAs(db, sql`${REPORTS} where event_key = ${event} ${ofPlayers}`, toReport);
}

export async function deleteReports(tx: Queryable, event: number, players: readonly number[]): Promise<void> {
  await tx.run(sql`delete from counter_reports where event_key = ${event} and player_key in (${list(players)})`);
}

/** The next reports after `after` and before `before`, about `limit` of them, with all reports of each event. */
export async function reportsBetween(
  db: Queryable,
  after: number,
  before: number,
  limit: number,
): Promise<{ reports: CounterReport[]; isComplete: boolean }> {
  const page = sql`
    ${REPORTS} where event_key > ${after} and event_key < ${before} order by event_key, player_key limit ${limit}`;
  const reports = await allAs(db, page, toReport);
  if (reports.length < limit) return { reports, isComplete: true };
  const last = reports.at(-1)!.event;
  const whole = reports.filter(({ event }) => event < last);
  return { reports: whole.length > 0 ? whole : await readReports(db, last), isComplete: false };
}

/** The next reports about a player, in the order of events. */
export function reportsAbout(db: Queryable, player: number, after: number, limit: number): Promise<CounterReport[]> {
  const next = sql`${REPORTS} where player_key = ${player} and event_key > ${after} order by event_key limit ${limit}`;
  return allAs(db, next, toReport);
}

/** Moves the reports of some events from a merged player to the surviving one; joins them if both have one. */
export async function moveReports(tx: Queryable, events: readonly number[], from: number, into: number): Promise<void> {
  const rows = await tx.tuples(sql`
    select a.event_key, a.counters, b.counters from counter_reports a
    join counter_reports b on b.event_key = a.event_key and b.player_key = ${into}
    where a.player_key = ${from} and a.event_key in (${list(events)})`);
  for (const [event, own, others] of rows as [number, string, string][]) {
    const joined = [...(JSON.parse(others) as CounterValues[]), ...(JSON.parse(own) as CounterValues[])];
    await tx.runAll([
      sql`
        update counter_reports set counters = ${reportText(joined)}
        where event_key = ${event} and player_key = ${into}`,
      sql`delete from counter_reports where event_key = ${event} and player_key = ${from}`,
    ]);
  }
  await tx.run(sql`
    update counter_reports set player_key = ${into} where player_key = ${from} and event_key in (${list(events)})`);
}

/** What a player did for a team of a match. */
export interface MatchCounters {
  team: string;
  uuid: string;
  name: string;
  /** Also values of counters that are not declared. */
  counters: CounterValues;
}

/**
 * The counters of some matches by the key of the match; matches without any are absent, and those that are being withdrawn, whose
 * players are not known any more.
 */
export async function countersOfMatches(
  db: Queryable,
  matches: readonly number[],
): Promise<Map<number, MatchCounters[]>> {
  if (matches.length === 0) return new Map();
  const stored = await db.all<{ key: number; counters: string; rewritten: number }>(sql`
    select match_key as key, counters, ${isRewritten(sql`match_counters.match_key`)} from match_counters
    where match_key in (${list(matches)})
      and exists (select 1 from match_details d where d.match_key = match_counters.match_key)`);
  const shown = await asShownMatches(db, stored);
  return new Map(shown.map(({ key, counters }) => [key, JSON.parse(counters) as MatchCounters[]]));
}
