import { randomUUID } from 'node:crypto';
import type { Clock } from '#platform/clock.ts';
import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import type { WireEvent } from '../schema/index.ts';
import { ingestEvents } from './ingest-events.ts';
import type { Receipt } from '../ledger/receipts.ts';

/** Changes by operators, which are events so that the ledger records them. */

type OperatorEvent = {
  [T in WireEvent['type']]: Pick<Extract<WireEvent, { type: T }>, 'type' | 'server' | 'data'>;
}[WireEvent['type']];

const PREFIX = 'operator ';

/** A condition on ledger rows `l`: an operator sent the event, by a command or in the console. */
export const IS_OPERATOR_ACT = sql`(l.credential = 0 and l.event_id like ${`${PREFIX}%`})`;

/** Ingests one event of the operator, with the current time. */
export async function reportAsOperator(
  db: Pick<Db, 'transaction' | 'keyedHash'>,
  clock: Clock,
  event: OperatorEvent,
): Promise<Receipt> {
  const time = new Date(clock.now()).toISOString();
  const wire = { version: 1, id: `${PREFIX}${randomUUID()}`, time, ...event };
  return (await ingestEvents(db, clock, { kind: 'operator' }, [wire]))[0]!;
}
