import { deleteReports, readReports } from '#store/game/counters/counter-reports.ts';
import { valuesOfPlayers } from '#store/game/counters/player-counters.ts';
import { markStale } from '#store/jobs.ts';
import type { UnitOfWork } from '../ledger/unit-of-work.ts';

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
