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
import { addServer, forgetServer } from './handlers/servers.ts';
import { type Server, serverByName } from '#store/game/servers.ts';

/**
 * The one way into the records: events, checked, each taken once, in one transaction. What is answered `accepted` is
 * committed and visible; what is refused has changed nothing and spoils nothing beside it.
 */

export interface IngestOptions {
  /** Checks and receipts everything, keeps nothing. */
  dryRun?: boolean;
}

type Transactions = Pick<Db, 'transaction'>;

/** An event, or the receipt of one that has failed its check, and who sent it. */
export interface Item {
  sender: Sender;
  checked: Checked | Receipt;
}

/**
 * Takes events, as they were sent, in order.
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

/** As `ingestEvents`, for events of several senders that have been checked. */
export async function ingestItems(
  db: Transactions,
  clock: Clock,
  items: Iterable<Item>,
  { dryRun = false }: IngestOptions = {},
): Promise<Receipt[]> {
  if (!Iterator.from(items).some(writes)) return Array.from(items, ({ checked }) => checked as Receipt);
  try {
    return await db.transaction(async (tx) => {
      const receipts = await ingestOne(tx, clock.now(), items);
      if (dryRun) throw new DryRun(receipts);
      return receipts;
    });
  } catch (error) {
    if (error instanceof DryRun) return error.receipts;
    throw error;
  }
}

class DryRun extends Error {
  readonly receipts: Receipt[];

  constructor(receipts: Receipt[]) {
    super('Nothing is kept.');
    this.receipts = receipts;
  }
}

/** What is refused of a server is kept for whoever writes its plugin; an operator reads the receipts at once. */
const writes = ({ sender, checked }: Item): boolean => 'event' in checked || sender.kind === 'server';

async function ingestOne(tx: Queryable, now: number, items: Iterable<Item>): Promise<Receipt[]> {
  const keys = await Keys.lock(tx);
  const batch = new Batch(tx, keys, now);
  const accepting = new IngestRun(batch);
  await accepting.takeAll(await renamed(tx, [...items]));
  await batch.flush();
  await trimRejections(tx, accepting.refused);
  await keys.save();
  return accepting.receipts;
}

/** The items with players who have a pseudonym under it. */
async function renamed(tx: Queryable, items: readonly Item[]): Promise<readonly Item[]> {
  const events = items.flatMap(({ checked }) => ('event' in checked ? checked : []));
  const under = await applyPseudonyms(tx, events);
  if (under === events) return items;
  let next = 0;
  return items.map((item) => ('event' in item.checked ? { ...item, checked: under[next++]! } : item));
}

/** What is known of an event with this id: its receipt, and whether it was withdrawn. */
interface ExistingReceipt {
  receipt: string;
  withdrawn: boolean;
}

/** One run over items inside a batch. */
class IngestRun {
  readonly #batch: Batch;
  readonly #servers = new Map<string, Server>();
  /** Events known before this run or taken in it, by scope and the sender's id. */
  readonly #known = new Map<string, ExistingReceipt>();
  /** Of the players that the items at hand speak of. */
  #uuids: string[] = [];
  #isRenumbered = false;
  readonly receipts: Receipt[] = [];
  /** Servers of which something was refused. */
  readonly refused = new Set<number>();

  constructor(batch: Batch) {
    this.#batch = batch;
  }

  async takeAll(items: readonly Item[]): Promise<void> {
    await this.#load(items);
    for (const { sender, checked } of items) {
      const receipt = 'event' in checked ? await this.#take(sender, checked) : checked;
      if (receipt.status === 'rejected') this.#refuse(sender, receipt);
      this.receipts.push(receipt);
    }
  }

  /** What is refused of a server is kept for its receipts. */
  #refuse(sender: Sender, receipt: Rejected): void {
    if (sender.kind === 'operator') return;
    recordRejection(this.#batch, sender.serverKey, receipt);
    this.refused.add(sender.serverKey);
  }

  async #load(items: readonly Item[]): Promise<void> {
    const asked: Identity[] = [];
    this.#uuids = [];
    for (const { sender, checked } of items) {
      if (!('event' in checked)) continue;
      const server = await this.#serverOf(sender, checked.event);
      if (!isNew(server, checked.event)) asked.push([server?.key ?? 0, checked.event.id]);
      this.#uuids.push(...playersOf(checked.event));
    }
    const { tx } = this.#batch;
    const rows = await Promise.all(knownAmong(asked).map((query) => tx.tuples(query)));
    for (const [scope, id, key, withdrawn] of rows.flat() as [...Identity, number, number | null][]) {
      this.#known.set(`${scope} ${id}`, { receipt: idOf(key), withdrawn: withdrawn !== null });
    }
    await this.#batch.load(this.#uuids);
  }

  async #take(sender: Sender, checked: Checked): Promise<Receipt> {
    const { event } = checked;
    const server = await this.#serverOf(sender, event);
    const known = this.#known.get(identityOf(server, event));
    if (known !== undefined) return receiptOf(event, known);
    try {
      return await this.#accept(sender, checked, server);
    } catch (error) {
      if (!(error instanceof EventRejected)) throw error;
      if (isNew(server, event)) await this.#forgetServer(event.server!);
      const refusal = { reason: error.message, place: error.place };
      return { id: event.id, status: 'rejected', ...refusal, ...(error.early ? { retry: true } : {}) };
    }
  }

  async #accept(sender: Sender, { event, raw }: Checked, known: Server | undefined): Promise<Receipt> {
    const { keys, now } = this.#batch;
    const resumed = event.receipt === undefined ? undefined : keyOf(event.receipt);
    const key = resumed !== undefined && keys.resume(resumed) ? resumed : keys.next(now);
    const server = known ?? (event.server === undefined ? undefined : await this.#newServer(event.server));
    const accepted = await apply({ batch: this.#batch, sender, key, time: event.time, server, again: false }, event);
    if (event.type === 'player.merged') await this.#regroup(accepted?.stale ?? []);
    const receipt = idOf(key);
    if (accepted?.known) return { id: event.id, status: 'duplicate', receipt };
    const note = resumed === undefined || key === resumed ? accepted?.note : this.#renumbered(accepted?.note);
    if (event.type !== 'server.presence') {
      this.#known.set(identityOf(server, event), { receipt, withdrawn: false });
      this.#keep(sender, event, raw, key, server?.key ?? 0);
    }
    return { id: event.id, status: 'accepted', receipt, ...(note === undefined ? {} : { note }) };
  }

  /** Said once of all that come together, of which none may have kept its id. */
  #renumbered(note: string | undefined): string | undefined {
    if (this.#isRenumbered) return note;
    this.#isRenumbered = true;
    return 'has another id than before, as may all behind it: this network has newer events already';
  }

  /** Who is whom has changed, for the events behind this one too. */
  async #regroup(stale: readonly string[]): Promise<void> {
    for (const aggregate of stale) await rebuild(this.#batch, aggregate);
    await this.#batch.load(this.#uuids);
  }

  /** Heartbeats are not kept: the newest replaces all before it. */
  #keep(sender: Sender, event: PreparedEvent, raw: string, key: number, scope: number): void {
    const { rows, now } = this.#batch;
    const credential = sender.kind === 'server' ? sender.credential : 0;
    const { id, type, time } = event;
    rows.add('ledger', [key, scope, id, type, time, now, raw, aggregateOf(event, scope), credential]);
  }

  async #serverOf(sender: Sender, event: PreparedEvent): Promise<Server | undefined> {
    if (sender.kind === 'server') return { key: sender.serverKey, name: sender.serverName };
    if (event.server === undefined) return undefined;
    const key = nameKey(event.server);
    const known = this.#servers.get(key) ?? (await serverByName(this.#batch.tx, event.server));
    if (known !== undefined) this.#servers.set(key, known);
    return known;
  }

  /** The operator's events make a server known that is not; its key follows the event's own. */
  async #newServer(name: string): Promise<Server> {
    const server = await addServer(this.#batch.tx, this.#batch.keys.following(), name);
    this.#servers.set(nameKey(name), server);
    return server;
  }

  async #forgetServer(name: string): Promise<void> {
    const server = this.#servers.get(nameKey(name));
    this.#servers.delete(nameKey(name));
    if (server !== undefined) await forgetServer(this.#batch.tx, server.key);
  }
}

/** Whose an event is, and the sender's id of it. */
type Identity = [scope: number, id: string];

const READ_BATCH_SIZE = 256;

/** One scope a statement: PostgreSQL finds its events by the index whatever it believes of the size of the table. */
function knownAmong(asked: readonly Identity[]): Sql[] {
  return [...Map.groupBy(asked, ([scope]) => scope)].flatMap(([scope, events]) =>
    [...chunksOf(events, READ_BATCH_SIZE)].map(
      (some) => sql`
        select scope_key, event_id, key, withdrawn from ledger
        where scope_key = ${scope} and event_id in (${list(some.map(([, id]) => id))})`,
    ),
  );
}

/** Whether an event names a server that is not known yet: nothing was taken of it so far. */
const isNew = (server: Server | undefined, event: PreparedEvent): boolean =>
  server === undefined && event.server !== undefined;

const identityOf = (server: Server | undefined, event: PreparedEvent): string =>
  isNew(server, event) ? `new ${event.id}` : `${server?.key ?? 0} ${event.id}`;

function receiptOf({ id }: PreparedEvent, { receipt, withdrawn }: ExistingReceipt): Receipt {
  if (!withdrawn) return { id, status: 'duplicate', receipt };
  return { id, status: 'rejected', place: 'id', reason: 'was taken once and then withdrawn by the operator' };
}
