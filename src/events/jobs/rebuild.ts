import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { effectOf } from '../handlers/index.ts';
import { LEDGER, type LedgerRow, parseStoredEvents } from '../ledger/ledger-rows.ts';
import type { Sender } from '../ledger/receipts.ts';
import { type EventContext, EventRejected, type UnitOfWork } from '../ledger/unit-of-work.ts';
import type { Server } from '#store/game/servers.ts';
import { PUNISHMENTS } from '../handlers/punishment-aggregate.ts';
import type { AggregateKind } from '../handlers/event-effect.ts';
import { MAPS } from '../handlers/maps.ts';
import { ROTATIONS } from '../handlers/servers.ts';

const KINDS: readonly AggregateKind[] = [MAPS, ROTATIONS, PUNISHMENTS];

/** The kind and the name of the aggregate to which a ledger row refers. */
export function aggregateNamed(reference: string): { kind: AggregateKind; name: string } {
  const end = reference.indexOf(' ');
  const kind = KINDS.find(({ prefix }) => prefix === reference.slice(0, end));
  if (kind === undefined) throw new Error(`No kind of aggregate has the reference ${reference}`);
  return { kind, name: reference.slice(end + 1) };
}

const allEvents = (tx: Queryable, reference: string): Promise<LedgerRow[]> =>
  tx.all(sql`${LEDGER} where l.aggregate = ${reference} and l.withdrawn is null order by l.key`);

/**
 * Rebuilds an aggregate: deletes its rows and applies its events again in their order.
 * @param events by default all
 * @returns the cascaded events: those that cannot be applied because they depend on withdrawn ones
 */
export async function rebuild(work: UnitOfWork, aggregate: string, events?: LedgerRow[]): Promise<LedgerRow[]> {
  const { kind, name } = aggregateNamed(aggregate);
  const rows = events ?? (await (kind.events ?? allEvents)(work.tx, aggregate, name));
  work.changes.declare(kind.changes);
  await kind.reset(work, name);
  const cascaded: LedgerRow[] = [];
  for (const { row, event } of await parseStoredEvents(work.tx, rows)) {
    try {
      const effect = effectOf(event.type);
      work.changes.declare(effect.changes);
      await effect.apply(replayContext(work, row), event.data);
    } catch (error) {
      if (!(error instanceof EventRejected)) throw error;
      cascaded.push(row);
    }
  }
  return cascaded;
}

function replayContext(work: UnitOfWork, row: LedgerRow): EventContext {
  const { key, event_id: eventId, scope_key, time, credential, server } = row;
  const own: Server | undefined = scope_key === 0 ? undefined : { key: scope_key, name: server ?? '' };
  const sender: Sender =
    credential === 0 || own === undefined
      ? { kind: 'operator' }
      : { kind: 'server', serverKey: own.key, serverName: own.name, credential };
  return { work, sender, key, playerKeys: work.keys, eventId, time, server: own, isReplay: true };
}
