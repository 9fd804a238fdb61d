import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import type { ResourceKind } from '#store/game/changes.ts';
import type { UnitOfWork } from '../ledger/unit-of-work.ts';
import { LEDGER, type LedgerRow } from '../ledger/ledger-rows.ts';

/**
 * A kind of aggregate: rows whose content depends on the order of events. Retracting one of the events rebuilds the rows
 * from the others. A ledger row refers to its aggregate by the prefix of the kind, a space and a name.
 */
export interface AggregateKind {
  prefix: string;
  /** The kind of public resources that its rows are. */
  changes: readonly ResourceKind[];
  /** Deletes the rows of an aggregate. */
  reset(work: UnitOfWork, name: string): Promise<unknown>;
  /** The events from which the rows are rebuilt, in their order. */
  events(tx: Queryable, reference: string, name: string): Promise<LedgerRow[]>;
}

export const allEvents = (tx: Queryable, reference: string): Promise<LedgerRow[]> =>
  tx.all<LedgerRow>(sql`${LEDGER} where l.aggregate = ${reference} and l.withdrawn is null order by l.key`);
