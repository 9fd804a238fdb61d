import { isUuidLabel, uuidLabel } from '#text/text.ts';
import { list, sql } from '#db/sql.ts';
import { effectOf } from '../handlers/index.ts';
import type { StoredEvent } from '../ledger/ledger-rows.ts';
import { deleteObservation, markObservedStale, type Observed } from '../ledger/observations.ts';
import { NEVER_SEEN } from '#store/game/player-names.ts';
import type { UnitOfWork } from '../ledger/unit-of-work.ts';

/**
 * Retracts single events on behalf of an operator; `withdrawal.ts` chooses them, and retracts the large ones in chunks. The
 * derived tables are then as if the events had never been sent. The ledger marks the events as withdrawn, so that sending
 * them again does not restore them. Events that were rejected because of a retracted event stay rejected.
 */

/**
 * Marks events as withdrawn, deletes their rows and the names that they observed, and subtracts them from sums. The names of
 * their players are derived again later.
 * @returns the aggregates to derive again
 */
export async function withdrawEvents(work: UnitOfWork, events: readonly StoredEvent[]): Promise<string[]> {
  if (events.length === 0) return [];
  const players = events.flatMap((one) => playerIn(one)?.uuid ?? []);
  await work.load(players);
  const observed = events.flatMap((one) => observedIn(work, one) ?? []);
  await markObservedStale(work, observed);
  const keys = events.map(({ row }) => row.key);
  await work.tx.run(sql`update ledger set withdrawn = ${work.now} where key in (${list(keys)})`);
  const aggregates: string[] = [];
  for (const { row, event } of events) {
    const { retract, changes } = effectOf(row.type);
    work.changes.declare(changes);
    if (typeof retract !== 'object' || !('undo' in retract)) throw new Error(`${row.type} is not retracted at once`);
    const aggregate = await retract.undo(work, row, event.data);
    const player = playerIn({ row, event });
    if (player !== undefined) await deleteObservation(work, row.key, player.uuid);
    if (aggregate !== null) aggregates.push(aggregate);
  }
  return aggregates;
}

const playerIn = ({ row, event }: StoredEvent) => effectOf(row.type).observes?.(event.data);

/** The observation of an event; without a name, of the label of the UUID before all other observations. */
function observedIn({ players }: UnitOfWork, one: StoredEvent): Observed | undefined {
  const player = playerIn(one);
  if (player === undefined) return undefined;
  const { uuid, name, session } = player;
  if (name !== undefined && !isUuidLabel(name)) return { uuid, name, time: one.event.time, session };
  return { uuid, name: uuidLabel(players.find(uuid)!.uuid), time: NEVER_SEEN, session };
}
