import type { Queryable } from '#db/db.ts';
import { withoutNoncharacters } from '#text/text.ts';
import { sql } from '#db/sql.ts';
import { applyPseudonyms } from './pseudonyms.ts';
import { readEvent, type EventName, type PreparedEvent, prepareEvent, typeOf, VERSION } from '../schema/index.ts';

export interface LedgerRow {
  key: number;
  scope_key: number;
  event_id: string;
  type: EventName;
  time: number;
  body: string;
  aggregate: string | null;
  credential: number;
  /** See `ReadEvent`; null if the event has no newer version. */
  envelope: string | null;
  /** The name of the server with the key `scope_key`; null for the network itself. */
  server: string | null;
}

export const LEDGER = sql`
  select l.key, l.scope_key, l.event_id, l.type, l.time, l.body, l.aggregate, l.credential, l.envelope, s.name as server
  from ledger l left join servers s on s.key = l.scope_key`;

export interface StoredEvent<T extends EventName = EventName> {
  row: LedgerRow;
  event: PreparedEvent<T>;
}

/**
 * Parses events of the ledger, with the check they passed when they were ingested, and applies pseudonyms.
 * @template T the types that the rows have
 */
export async function parseStoredEvents<T extends EventName = EventName>(
  tx: Queryable,
  rows: readonly LedgerRow[],
): Promise<StoredEvent<T>[]> {
  const events = rows.map((row) => ({ row, event: parseLedgerRow(row), raw: undefined }));
  return (await applyPseudonyms(tx, events)) as unknown as StoredEvent<T>[];
}

/** The type with which an event of the ledger is parsed: see `Stored`. */
export function typeInLedger(type: EventName): EventName {
  const { stored } = typeOf(type);
  return typeof stored === 'object' ? (stored.as as EventName) : type;
}

export function parseLedgerRow<T extends EventName = EventName>(row: LedgerRow): PreparedEvent<T> {
  const { key, event_id, time, body, envelope } = row;
  const data = JSON.parse(withoutNoncharacters(body)) as unknown;
  const type = typeInLedger(row.type);
  const head = { ...parseEnvelope(envelope), id: event_id, type, time: new Date(time).toISOString() };
  const read = readEvent({ ...head, data });
  if ('event' in read) return prepareEvent(read.event) as PreparedEvent<T>;
  const { reason } = read.problems[0]!;
  throw new Error(`Event ${key} of the ledger cannot be read: ${reason}`);
}

/** `version` of a stored event, and the unknown members outside of `data`. */
export const parseEnvelope = (envelope: string | null): { version: number } =>
  envelope === null ? { version: VERSION } : (JSON.parse(envelope) as { version: number });
