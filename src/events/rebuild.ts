import type { Queryable } from '#db/db.ts';
import { withoutNoncharacters } from '#platform/text.ts';
import { sql } from '#db/sql.ts';
import { apply } from './apply.ts';
import { type Batch, EventRejected } from './unit-of-work.ts';
import { type PreparedEvent, prepareEvent } from './validation.ts';
import { readEvent } from './read-event.ts';
import { type Event, VERSION } from './schema.ts';
import { applyPseudonyms } from './anonymise.ts';
import type { Sender } from './receipts.ts';
import { punishmentOfAggregate } from './punishments/aggregate.ts';
import type { Server } from '#store/game/servers.ts';

/** An event of the ledger. */
export interface LedgerRow {
  key: number;
  scope_key: number;
  event_id: string;
  type: Event['type'];
  time: number;
  body: string;
  aggregate: string | null;
  credential: number;
  /** See `ReadEvent`; null where the event says no newer version. */
  envelope: string | null;
  /** The name of the server with the key `scope_key`; null for the network itself. */
  server: string | null;
}

export const LEDGER = sql`
  select l.key, l.scope_key, l.event_id, l.type, l.time, l.body, l.aggregate, l.credential, l.envelope, s.name as server
  from ledger l left join servers s on s.key = l.scope_key`;

/** Parses events of the ledger, with the check they passed when they were ingested, and applies pseudonyms. */
export async function eventsOf(tx: Queryable, rows: LedgerRow[]): Promise<{ row: LedgerRow; event: PreparedEvent }[]> {
  const events = rows.map((row) => ({ row, event: parseLedgerRow(row), raw: undefined }));
  return await applyPseudonyms(tx, events);
}

/** The ledger does not store the code of an `account.link`, so it is read as the name observation that it also is. */
export function parseLedgerRow({ key, event_id, type: storedType, time, body, envelope }: LedgerRow): PreparedEvent {
  const data = JSON.parse(withoutNoncharacters(body)) as unknown;
  const type = storedType === 'account.link' ? 'player.named' : storedType;
  const head = { ...envelopeOf(envelope), id: event_id, type, time: new Date(time).toISOString() };
  const read = readEvent({ ...head, data });
  if ('event' in read) return prepareEvent(read.event);
  const { reason } = read.problems[0]!;
  throw new Error(`Event ${key} of the ledger cannot be read: ${reason}`);
}

/** `version` of a stored event, and the unknown members beside `data`. */
export const envelopeOf = (envelope: string | null): { version: number } =>
  envelope === null ? { version: VERSION } : (JSON.parse(envelope) as { version: number });

/**
 * Rebuilds an aggregate (see `aggregateOf`): deletes its rows and applies its events again in their order, or only those of
 * one type.
 * @returns the cascaded events: those that cannot be applied because they depend on withdrawn ones
 */
export async function rebuild(batch: Batch, aggregate: string, type?: Event['type']): Promise<LedgerRow[]> {
  const rotation = /^rotation (\d+)$/.exec(aggregate);
  const rows =
    rotation === null
      ? await batch.tx.all<LedgerRow>(sql`
          ${LEDGER} where l.aggregate = ${aggregate} and l.withdrawn is null
            ${type === undefined ? sql`` : sql`and l.type = ${type}`} order by l.key`)
      : await rotationEvents(batch.tx, aggregate, Number(rotation[1]));
  await reset(batch.tx, aggregate);
  const cascaded: LedgerRow[] = [];
  for (const { row, event } of await eventsOf(batch.tx, rows)) {
    try {
      await apply(contextOf(batch, row), event);
    } catch (error) {
      if (!(error instanceof EventRejected)) throw error;
      cascaded.push(row);
    }
  }
  return cascaded;
}

/**
 * The events that decide a rotation: the newest one, which replaced all others, and a later removal of the server, which
 * ended it.
 */
async function rotationEvents(tx: Queryable, aggregate: string, server: number): Promise<LedgerRow[]> {
  const newest = await tx.get<LedgerRow>(sql`
    ${LEDGER} where l.aggregate = ${aggregate} and l.type = 'rotation.changed' and l.withdrawn is null
    order by l.aggregate desc, l.time desc, l.key desc limit 1`);
  if (newest === undefined) return [];
  const removal = await tx.get<LedgerRow>(sql`
    ${LEDGER} where l.type = 'server.removed' and l.scope_key = ${server} and l.key > ${newest.key} limit 1`);
  return removal === undefined ? [newest] : [newest, removal];
}

function contextOf(batch: Batch, { key, scope_key, time, credential, server }: LedgerRow) {
  const own: Server | undefined = scope_key === 0 ? undefined : { key: scope_key, name: server ?? '' };
  const sender: Sender =
    credential === 0 || own === undefined
      ? { kind: 'operator' }
      : { kind: 'server', serverKey: own.key, serverName: own.name, credential };
  return { batch, sender, key, time, server: own, isReplay: true };
}

async function reset(tx: Queryable, aggregate: string): Promise<void> {
  const [, kind, rest] = /^(\w+) (.*)$/s.exec(aggregate)!;
  if (kind === 'map') return void (await tx.run(sql`delete from maps where name_key = ${rest!}`));
  if (kind === 'rotation') {
    await tx.run(sql`delete from rotations where server_key = ${Number(rest)}`);
    return void (await tx.run(sql`delete from rotation_states where server_key = ${Number(rest)}`));
  }
  const { scope, reference } = punishmentOfAggregate(aggregate)!;
  await tx.run(sql`delete from punishments where scope_key = ${scope} and reference = ${reference}`);
}
