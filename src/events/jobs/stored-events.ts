import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { BYTES_PER_CHUNK } from '../ledger/chunk.ts';
import type { NamingColumns } from '../ledger/pseudonyms.ts';
import type { EventName } from '../schema/index.ts';

/** Reads the stored events for jobs that replace names in them. */

export interface StoredEvent extends NamingColumns {
  key: number;
  type: EventName;
  time: number;
}

/** More than `ROWS_PER_CHUNK`, because most events do not mention the player and are only read. */
const EVENTS_PER_CHUNK = 500;

const STORED = sql`select key, type, time, event_id, aggregate, body, envelope from ledger`;

/** The next events, as many as one transaction parses. */
export async function readLedger(tx: Queryable, after: number): Promise<StoredEvent[]> {
  const sizes = await tx.tuples(sql`
    select key, octet_length(body) from ledger where key > ${after} order by key limit ${EVENTS_PER_CHUNK}`);
  const last = withinBytes(sizes as [number, number][]).at(-1) ?? after;
  return await tx.all<StoredEvent>(sql`${STORED} where key > ${after} and key <= ${last} order by key`);
}

export const readEvent = async (tx: Queryable, key: number): Promise<StoredEvent> =>
  (await tx.get<StoredEvent>(sql`${STORED} where key = ${key}`))!;

/** The first keys whose rows together have at most `BYTES_PER_CHUNK`, but at least one. */
export function withinBytes(rows: readonly [key: number, bytes: number][]): number[] {
  let bytes = 0;
  return rows.filter(([, size], place) => (bytes += size) <= BYTES_PER_CHUNK || place === 0).map(([key]) => key);
}
