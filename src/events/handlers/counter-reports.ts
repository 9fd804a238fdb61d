import { deleteReports, readReports, reportText } from '#store/game/counters/counter-reports.ts';
import { type CounterValues, valuesOfPlayers } from '#store/game/counters/player-counters.ts';
import type { Group } from '#store/game/statistics-groups.ts';
import type { ReportedCounters } from '../schema/counters.ts';
import { type Problem, problemOf } from '../schema/problems.ts';
import type { EventContext, UnitOfWork } from '../ledger/unit-of-work.ts';
import { markStale } from '#store/jobs.ts';

const MAX_WARNINGS = 5;

/**
 * Stores and counts the reports of an event. Values of unknown counters are stored with the event, so that declaring the
 * counter later counts them.
 * @returns warnings about unknown counters and implausible values
 */
export async function applyReports(
  { work, key }: Pick<EventContext, 'work' | 'key'>,
  mode: Group,
  reported: readonly ReportedCounters[],
): Promise<Problem[] | undefined> {
  const byPlayer = new Map<number, CounterValues[]>();
  for (const { uuid, values } of reported) {
    const player = work.players.find(uuid)!.key;
    byPlayer.set(player, [...(byPlayer.get(player) ?? []), values]);
  }
  for (const [player, values] of byPlayer) {
    work.rows.add('counter_reports', [key, player, mode, reportText(values)]);
    await work.counters.add({ event: key, player, mode, values });
  }
  return await warningsAbout(work, reported);
}

/** Whether a value is larger than the declaration of its counter allows. */
export async function exceedsDeclared(
  { counters }: EventContext['work'],
  reported: readonly ReportedCounters[],
): Promise<boolean> {
  const declared = await counters.declared();
  return reported.some(({ values }) =>
    Object.entries(values).some(([key, value]) => value > (declared.get(key)?.most ?? Infinity)),
  );
}

export async function warningsAbout(
  { counters }: EventContext['work'],
  reported: readonly ReportedCounters[],
): Promise<Problem[] | undefined> {
  const declared = await counters.declared();
  const warnings = new Map<string, Problem>();
  for (const { path, values } of reported) {
    for (const [key, value] of Object.entries(values)) {
      if (warnings.size === MAX_WARNINGS) break;
      const most = declared.get(key)?.most;
      if (warnings.has(key) || (most !== undefined && value <= most)) continue;
      const predicate = most === undefined ? unknown(key) : implausible(value, most);
      warnings.set(key, problemOf(predicate, `${path}.${key}`));
    }
  }
  return warnings.size === 0 ? undefined : [...warnings.values()];
}

const unknown = (key: string): string =>
  `is no counter of this network, so its values are stored but not counted; an operator declares it in the console under Counters or with: scorehall counter set --key ${key} --label TEXT`;

const implausible = (value: number, most: number): string =>
  `is ${value}, more than the ${most} that the declaration of the counter allows; check the unit, or raise the limit`;

/**
 * Withdraws the counters that an event reported of some players: subtracts them from sums, and marks the maxima of players
 * as stale if the event may have set one.
 * @param players by default all that the event reports
 */
export async function withdrawReports(work: UnitOfWork, event: number, players?: readonly number[]): Promise<void> {
  const { tx, counters } = work;
  const reports = await readReports(tx, event, players);
  if (reports.length === 0) return;
  const maxima = new Map<number, ReadonlyMap<number, number>>();
  for (const report of reports) maxima.set(report.player, await counters.subtract(report));
  const ids = new Set(maxima.values().flatMap((values) => values.keys()));
  const present = await valuesOfPlayers(tx, [...ids], [...maxima.keys()]);
  const stale = present.filter(([counter, , player, value]) => maxima.get(player)?.get(counter) === value);
  await markStale(
    tx,
    'counters',
    stale.map(([, , player]) => player),
  );
  await deleteReports(tx, event, [...maxima.keys()]);
}
