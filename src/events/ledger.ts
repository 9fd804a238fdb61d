import { idOf, keyOf } from '#platform/ids.ts';
import { chunksOf } from '#platform/chunks.ts';
import { nameKey } from '#platform/text.ts';
import type { Clock } from '#platform/clock.ts';
import type { Db, Queryable } from '#db/db.ts';
import { list, type Sql, sql } from '#db/sql.ts';
import { apply, playersOf, aggregateOf } from './apply.ts';
import { Batch, EventRejected } from './unit-of-work.ts';
import { type Checked, checkEvent, type PreparedEvent } from './validation.ts';
import { applyPseudonyms } from './anonymise.ts';
import type { Receipt, Sender } from './receipts.ts';
import { rebuild } from './rebuild.ts';
import { recordRejection, type Rejected, trimRejections } from './rejections.ts';
import { Keys } from '#store/sequence.ts';
import { addServer, undoAddServer } from './handlers/servers.ts';
import { type Server, serverByName } from '#store/game/servers.ts';

/**
 * Ingests events: the only code path that adds events to the ledger and to the tables derived from it. A call runs in one
 * transaction and accepts each event once. An event with the receipt `accepted` is committed and visible; a rejected
 * event changes nothing and does not affect the other events of the call.
 */

export interface IngestOptions {
  /** Check the events and return receipts, but roll the transaction back. */
  dryRun?: boolean;
}

type Transactions = Pick<Db, 'transaction'>;

/** A checked event, or the receipt of an event that failed its check, with its sender. */
export interface Item {
  sender: Sender;
  checked: Checked | Receipt;
}

/**
 * Checks and ingests events of one sender, in order.
 * @param inputs the parsed JSON of the events, not checked yet
 * @returns a receipt for each, in the same order
 */
export async function ingestEvents(
  db: Transactions,
  clock: Clock,
  sender: Sender,
  inputs: readonly unknown[],
  options: IngestOptions = {},
): Promise<Receipt[]> {
  const now = clock.now();
  const items = inputs.map((input) => ({ sender, checked: checkEvent(input, sender, now) }));
  return await ingestItems(db, clock, items, options);
}

/** Like `ingestEvents`, for checked events of several senders. */
export async function ingestItems(
  db: Transactions,
  clock: Clock,
  items: Iterable<Item>,
  { dryRun = false }: IngestOptions = {},
): Promise<Receipt[]> {
  if (!Iterator.from(items).some(needsTransaction)) return Array.from(items, ({ checked }) => checked as Receipt);
  try {
    return await db.transaction(async (tx) => {
      const receipts = await ingestInTransaction(tx, clock.now(), items);
      if (dryRun) throw new DryRunRollback(receipts);
      return receipts;
    });
  } catch (error) {
    if (error instanceof DryRunRollback) return error.receipts;
    throw error;
  }
}

/** Rolls the transaction of a dry run back and carries its receipts out of it. */
class DryRunRollback extends Error {
  readonly receipts: Receipt[];

  constructor(receipts: Receipt[]) {
    super('A dry run stores nothing.');
    this.receipts = receipts;
  }
}

/**
 * Accepted events are written, and so are the rejections of a server, for `GET /receipts`. The rejections of an operator
 * are only returned.
 */
const needsTransaction = ({ sender, checked }: Item): boolean => 'event' in checked || sender.kind === 'server';

async function ingestInTransaction(tx: Queryable, now: number, items: Iterable<Item>): Promise<Receipt[]> {
  const keys = await Keys.lock(tx);
  const batch = new Batch(tx, keys, now);
  const run = new IngestRun(batch);
  await run.ingest(await pseudonymised(tx, [...items]));
  await batch.flush();
  await trimRejections(tx, run.serversWithRejections);
  await keys.save();
  return run.receipts;
}

/** Replaces players who have a pseudonym in the events of the items. */
async function pseudonymised(tx: Queryable, items: readonly Item[]): Promise<readonly Item[]> {
  const events = items.flatMap(({ checked }) => ('event' in checked ? checked : []));
  const replaced = await applyPseudonyms(tx, events);
  if (replaced === events) return items;
  let next = 0;
  return items.map((item) => ('event' in item.checked ? { ...item, checked: replaced[next++]! } : item));
}

/** The receipt of an event in the ledger. */
interface ExistingReceipt {
  receipt: string;
  withdrawn: boolean;
}

/** Ingests the items of one transaction. */
class IngestRun {
  readonly #batch: Batch;
  /** Servers by name key; filled by the operator's events, which name their server. */
  readonly #servers = new Map<string, Server>();
  /** Events of the ledger, and of this run, by `identityOf`. */
  readonly #existing = new Map<string, ExistingReceipt>();
  /** The players in the items. */
  #uuids: string[] = [];
  #isRenumbered = false;
  readonly receipts: Receipt[] = [];
  /** Keys of the servers that sent rejected events. */
  readonly serversWithRejections = new Set<number>();

  constructor(batch: Batch) {
    this.#batch = batch;
  }

  async ingest(items: readonly Item[]): Promise<void> {
    await this.#load(items);
    for (const { sender, checked } of items) {
      const receipt = 'event' in checked ? await this.#ingestOne(sender, checked) : checked;
      if (receipt.status === 'rejected') this.#recordRejection(sender, receipt);
      this.receipts.push(receipt);
    }
  }

  /** Rejections of servers are stored for `GET /receipts`. */
  #recordRejection(sender: Sender, receipt: Rejected): void {
    if (sender.kind === 'operator') return;
    recordRejection(this.#batch, sender.serverKey, receipt);
    this.serversWithRejections.add(sender.serverKey);
  }

  /** Reads the existing receipts and the players of all items, in few statements. */
  async #load(items: readonly Item[]): Promise<void> {
    const identities: Identity[] = [];
    this.#uuids = [];
    for (const { sender, checked } of items) {
      if (!('event' in checked)) continue;
      const server = await this.#serverOf(sender, checked.event);
      if (!namesNewServer(server, checked.event)) identities.push([server?.key ?? 0, checked.event.id]);
      this.#uuids.push(...playersOf(checked.event));
    }
    const { tx } = this.#batch;
    const rows = await Promise.all(existingQueries(identities).map((query) => tx.tuples(query)));
    for (const [scope, id, key, withdrawn] of rows.flat() as [...Identity, number, number | null][]) {
      this.#existing.set(`${scope} ${id}`, { receipt: idOf(key), withdrawn: withdrawn !== null });
    }
    await this.#batch.load(this.#uuids);
  }

  async #ingestOne(sender: Sender, checked: Checked): Promise<Receipt> {
    const { event } = checked;
    const server = await this.#serverOf(sender, event);
    const existing = this.#existing.get(identityOf(server, event));
    if (existing !== undefined) return receiptOf(event, existing);
    try {
      return await this.#accept(sender, checked, server);
    } catch (error) {
      if (!(error instanceof EventRejected)) throw error;
      if (namesNewServer(server, event)) await this.#removeNewServer(event.server!);
      const refusal = { reason: error.message, place: error.place };
      return { id: event.id, status: 'rejected', ...refusal, ...(error.early ? { retry: true } : {}) };
    }
  }

  async #accept(sender: Sender, { event, raw }: Checked, existing: Server | undefined): Promise<Receipt> {
    const { keys, now } = this.#batch;
    const requested = event.receipt === undefined ? undefined : keyOf(event.receipt);
    const key = requested !== undefined && keys.resume(requested) ? requested : keys.next(now);
    const server = existing ?? (event.server === undefined ? undefined : await this.#newServer(event.server));
    const result = await apply({ batch: this.#batch, sender, key, time: event.time, server, isReplay: false }, event);
    if (event.type === 'player.merged') await this.#afterMerge(result?.stale ?? []);
    const receipt = idOf(key);
    if (result?.isDuplicate) return { id: event.id, status: 'duplicate', receipt };
    const note = requested === undefined || key === requested ? result?.note : this.#renumberedNote(result?.note);
    if (event.type !== 'server.presence') {
      this.#existing.set(identityOf(server, event), { receipt, withdrawn: false });
      const aggregate = result?.aggregate ?? aggregateOf(event, server?.key ?? 0);
      this.#addToLedger(sender, event, raw, key, { scope: server?.key ?? 0, aggregate });
    }
    return { id: event.id, status: 'accepted', receipt, ...(note === undefined ? {} : { note }) };
  }

  /**
   * The note for an event that could not get the receipt it asked for. Only the first of a run carries it, since an import
   * into a network with newer events renumbers all of them.
   */
  #renumberedNote(note: string | undefined): string | undefined {
    if (this.#isRenumbered) return note;
    this.#isRenumbered = true;
    return 'got a new id, and so may all events after it, because this network already has newer events';
  }

  /** Rebuilds the aggregates that a merge of players made stale, and reloads the players for the following events. */
  async #afterMerge(stale: readonly string[]): Promise<void> {
    for (const aggregate of stale) await rebuild(this.#batch, aggregate);
    await this.#batch.load(this.#uuids);
  }

  #addToLedger(
    sender: Sender,
    event: PreparedEvent,
    raw: string,
    key: number,
    { scope, aggregate }: { scope: number; aggregate: string | null },
  ): void {
    const { rows, now } = this.#batch;
    const credential = sender.kind === 'server' ? sender.credential : 0;
    const { id, type, time } = event;
    rows.add('ledger', [key, scope, id, type, time, now, raw, aggregate, credential]);
  }

  async #serverOf(sender: Sender, event: PreparedEvent): Promise<Server | undefined> {
    if (sender.kind === 'server') return { key: sender.serverKey, name: sender.serverName };
    if (event.server === undefined) return undefined;
    const key = nameKey(event.server);
    const server = this.#servers.get(key) ?? (await serverByName(this.#batch.tx, event.server));
    if (server !== undefined) this.#servers.set(key, server);
    return server;
  }

  /** Adds a server that an operator's event names for the first time; its key follows the event's own. */
  async #newServer(name: string): Promise<Server> {
    const server = await addServer(this.#batch.tx, this.#batch.keys.following(), name);
    this.#servers.set(nameKey(name), server);
    return server;
  }

  /** Undoes `#newServer` after the event was rejected. */
  async #removeNewServer(name: string): Promise<void> {
    const server = this.#servers.get(nameKey(name));
    this.#servers.delete(nameKey(name));
    if (server !== undefined) await undoAddServer(this.#batch.tx, server.key);
  }
}

/** The identity of an event: the key of its server (0 for the network itself) and the sender's id. */
type Identity = [scope: number, id: string];

const READ_BATCH_SIZE = 256;

/** One statement per scope: PostgreSQL then uses the index whatever its statistics say of the size of the table. */
function existingQueries(identities: readonly Identity[]): Sql[] {
  return [...Map.groupBy(identities, ([scope]) => scope)].flatMap(([scope, events]) =>
    [...chunksOf(events, READ_BATCH_SIZE)].map(
      (chunk) => sql`
        select scope_key, event_id, key, withdrawn from ledger
        where scope_key = ${scope} and event_id in (${list(chunk.map(([, id]) => id))})`,
    ),
  );
}

/** Whether an event names a server without a row. Such a server has no events in the ledger. */
const namesNewServer = (server: Server | undefined, event: PreparedEvent): boolean =>
  server === undefined && event.server !== undefined;

const identityOf = (server: Server | undefined, event: PreparedEvent): string =>
  namesNewServer(server, event) ? `new ${event.id}` : `${server?.key ?? 0} ${event.id}`;

function receiptOf({ id }: PreparedEvent, { receipt, withdrawn }: ExistingReceipt): Receipt {
  if (!withdrawn) return { id, status: 'duplicate', receipt };
  return {
    id,
    status: 'rejected',
    place: 'id',
    reason: 'was accepted before and then withdrawn by the operator; an event that is different needs a new id',
  };
}
