import { amount } from '#text/amount.ts';
import { idOf, keyOf } from '#platform/ids.ts';
import { nameKey } from '#text/text.ts';
import type { Clock } from '#platform/clock.ts';
import type { Db, Queryable, Transaction } from '#db/db.ts';
import { effectOf } from '../handlers/index.ts';
import { UnitOfWork, EventRejected } from '../ledger/unit-of-work.ts';
import { type EventName, type PreparedEvent, typeOf } from '../schema/index.ts';
import type { IngestOptions, NewPlayerLimit } from './event-queue.ts';
import { type Item, prepareItem, type Checked } from './prepare.ts';
import { applyPseudonyms } from '../ledger/pseudonyms.ts';
import { FormerKeys } from './former-keys.ts';
import { withoutRemovedNames } from './removed-names.ts';
import { AcceptedEvents, type Identity, type LedgerPlace } from './accepted-events.ts';
import { problemOf } from '../schema/problems.ts';
import { rejectedFor, type Receipt, type Rejected, type Sender } from '../ledger/receipts.ts';
import { recordRejection, recordWarnings, trimRecords } from './rejections.ts';
import { Keys } from '#store/sequence.ts';
import { addServer, undoAddServer } from '../handlers/servers.ts';
import { type Server, serverByName } from '#store/game/servers.ts';

/**
 * Ingests events: the only code path that adds events to the ledger and to the tables derived from it. A call runs in one
 * transaction and accepts each event once. An event with the receipt `accepted` is committed and visible; a rejected
 * event changes nothing and does not affect the other events of the call.
 */

/**
 * Checks and ingests events of one sender, in order.
 * @param inputs the parsed JSON of the events, not checked yet
 * @returns a receipt for each, in the same order
 */
export async function ingestEvents(
  db: Pick<Db, 'transaction' | 'keyedHash'>,
  clock: Clock,
  sender: Sender,
  inputs: readonly unknown[],
): Promise<Receipt[]> {
  const now = clock.now();
  const items = inputs.map((input) => prepareItem({ input }, sender, now, db.keyedHash));
  return await ingestItems(db, clock, items);
}

/** Like `ingestEvents`, for checked events of several senders. */
export async function ingestItems(
  db: Pick<Db, 'transaction'>,
  clock: Clock,
  items: Iterable<Item>,
  { dryRun = false, newPlayers }: IngestOptions = {},
): Promise<Receipt[]> {
  if (!Iterator.from(items).some(needsTransaction)) return Array.from(items, ({ checked }) => checked as Receipt);
  const now = clock.now();
  const ingest = (tx: Transaction): Promise<IngestRun> => ingestInTransaction(tx, now, items, newPlayers);
  if (dryRun) return (await rolledBack(db, ingest)).receipts;
  const { receipts, added } = await db.transaction(ingest);
  newPlayers?.count(added, now);
  return receipts;
}

/** Runs work in a transaction, for a dry run, and rolls it back. @returns the result of the work */
export async function rolledBack<T>(db: Pick<Db, 'transaction'>, work: (tx: Transaction) => Promise<T>): Promise<T> {
  let result: T;
  try {
    await db.transaction(async (tx) => {
      result = await work(tx);
      throw new Rollback();
    });
  } catch (error) {
    if (!(error instanceof Rollback)) throw error;
  }
  return result!;
}

class Rollback extends Error {}

/**
 * Accepted events are written, and rejections of servers too, for `GET /receipts`. Rejections of operators are only
 * returned.
 */
const needsTransaction = ({ sender, checked }: Item): boolean => 'event' in checked || sender.kind === 'server';

async function ingestInTransaction(
  tx: Transaction,
  now: number,
  items: Iterable<Item>,
  newPlayers: NewPlayerLimit | undefined,
): Promise<IngestRun> {
  const keys = await Keys.lock(tx);
  const work = new UnitOfWork(tx, keys, now);
  const run = new IngestRun(work, newPlayers);
  for (const part of splitItems([...items]))
    await run.ingest(await withoutRemovedNames(work, await pseudonymised(tx, part)));
  await work.flush();
  await trimRecords(tx, run.serversWithRecords);
  await keys.save();
  return run;
}

/** Splits the items after each event that may change the player of a UUID, so that later events are looked up again. */
function splitItems(items: readonly Item[]): (readonly Item[])[] {
  const parts: (readonly Item[])[] = [];
  let start = 0;
  items.forEach(({ checked }, index) => {
    if (!('event' in checked) || !effectOf(checked.event.type).changesPlayers) return;
    parts.push(items.slice(start, index + 1));
    start = index + 1;
  });
  return start === 0 ? [items] : [...parts, items.slice(start)];
}

/** With the id as sent, for the receipt and for events that are not anonymised yet, if the event has another one now. */
type Sent = Item & { sentId?: string };

async function pseudonymised(tx: Queryable, items: readonly Item[]): Promise<readonly Sent[]> {
  const events = items.flatMap(({ checked }) => ('event' in checked ? checked : []));
  const replaced = await applyPseudonyms(tx, events);
  if (replaced === events) return items;
  let next = 0;
  return items.map((item) => {
    if (!('event' in item.checked)) return item;
    const { id } = item.checked.event;
    const checked = replaced[next++]!;
    return { ...item, checked, ...(checked.event.id === id ? {} : { sentId: id }) };
  });
}

class IngestRun {
  readonly #work: UnitOfWork;
  /** Servers by name key; filled by the operator's events, which name their server. */
  readonly #servers = new Map<string, Server>();
  /** Events of the ledger and of this run. */
  readonly #accepted: AcceptedEvents;
  readonly #newPlayers: NewPlayerLimit | undefined;
  readonly #formerKeys = new FormerKeys();
  #isRenumbered = false;
  readonly receipts: Receipt[] = [];
  /** Keys of the servers with rejected events or events with warnings. */
  readonly serversWithRecords = new Set<number>();
  /** New players by the server that added them. */
  readonly added = new Map<number, number>();

  constructor(work: UnitOfWork, newPlayers: NewPlayerLimit | undefined) {
    this.#work = work;
    this.#newPlayers = newPlayers;
    this.#accepted = new AcceptedEvents(work.tx);
  }

  async ingest(items: readonly Sent[]): Promise<void> {
    await this.#load(items);
    for (const item of items) {
      const { sender, checked, sentId } = item;
      const receipt = 'event' in checked ? await this.#ingestOne(sender, checked, sentId) : checked;
      if (receipt.status === 'rejected') this.#recordRejection(item, receipt);
      this.receipts.push(sentId === undefined ? receipt : { ...receipt, id: sentId });
    }
  }

  #recordRejection({ sender, checked, type }: Item, receipt: Rejected): void {
    if (sender.kind === 'operator') return;
    recordRejection(this.#work, sender.serverKey, 'event' in checked ? checked.event.type : type, receipt);
    this.serversWithRecords.add(sender.serverKey);
  }

  /** Reads the existing receipts and the players of all items, in few statements. */
  async #load(items: readonly Sent[]): Promise<void> {
    const identities: Identity[] = [];
    const players: string[] = [];
    const loaded: { type: EventName; scope: number; data: unknown }[] = [];
    for (const { sender, checked, sentId } of items) {
      if (!('event' in checked)) continue;
      const { type, id, data } = checked.event;
      const server = await this.#findServer(sender, checked.event);
      const scope = server?.key ?? 0;
      if (!namesNewServer(server, checked.event))
        for (const one of new Set([id, sentId ?? id])) identities.push([scope, one]);
      players.push(...typeOf(type).players(data));
      loaded.push({ type, scope, data });
    }
    await this.#accepted.load(identities);
    await this.#work.load(players);
    for (const [type, events] of Map.groupBy(loaded, ({ type }) => type))
      await effectOf(type).load?.(this.#work, events);
  }

  async #ingestOne(sender: Sender, checked: Checked, sentId = checked.event.id): Promise<Receipt> {
    const { event } = checked;
    const server = await this.#findServer(sender, event);
    const earlier =
      (await this.#accepted.earlierReceipt(eventIdentity(server, event), checked)) ??
      (await this.#accepted.earlierReceipt(eventIdentity(server, { ...event, id: sentId }), checked));
    if (earlier !== undefined) return earlier;
    try {
      const newPlayers = sender.kind === 'server' ? this.#countNewPlayers(sender.serverKey, event) : 0;
      const receipt = await this.#accept(sender, checked, server);
      if (newPlayers === 0 || sender.kind === 'operator') return receipt;
      this.added.set(sender.serverKey, newPlayers + (this.added.get(sender.serverKey) ?? 0));
      return receipt.status === 'accepted' ? { ...receipt, new_players: newPlayers } : receipt;
    } catch (error) {
      if (!(error instanceof EventRejected)) throw error;
      if (namesNewServer(server, event)) await this.#removeNewServer(event.server!);
      return rejectedFor(event.id, [problemOf(error.message, error.place)], error.early);
    }
  }

  /**
   * Counts the players of an event that are not known yet.
   * @throws EventRejected if the server may not add so many now
   */
  #countNewPlayers(serverKey: number, event: PreparedEvent): number {
    const { players, now } = this.#work;
    const unknown = typeOf(event.type)
      .players(event.data)
      .filter((uuid) => players.find(uuid) === undefined).length;
    const limit = this.#newPlayers;
    if (limit === undefined || limit.allows(serverKey, unknown, this.added.get(serverKey) ?? 0, now)) return unknown;
    throw new EventRejected(
      'data',
      `adds ${amount(unknown, 'player')}, but a game server may add only ${limit.perHour} an hour; send it again later`,
      true,
    );
  }

  async #accept(sender: Sender, checked: Checked, existing: Server | undefined): Promise<Receipt> {
    const { event } = checked;
    const { keys, now } = this.#work;
    const requested = event.receipt === undefined ? undefined : keyOf(event.receipt);
    const key = requested !== undefined && keys.resume(requested) ? requested : keys.next(now);
    const server = existing ?? (event.server === undefined ? undefined : await this.#newServer(event.server));
    const { id: eventId, time, type, data } = event;
    const effect = effectOf(type);
    this.#work.changes.declare(effect.changes);
    const { player_id } = event;
    const playerKeys = player_id === undefined ? keys : await this.#formerKeys.of(this.#work, player_id, key);
    const context = { work: this.#work, sender, key, playerKeys, eventId, time, server, isReplay: false };
    const result = await effect.apply(context, data);
    if (server !== undefined && existing === undefined) {
      this.#work.changes.declare(['server']);
      this.#work.changes.add('server', server.key, 'created');
    }
    const receipt = idOf(key);
    if (result?.duplicateOf !== undefined)
      return { id: event.id, status: 'duplicate', receipt: idOf(result.duplicateOf ?? key) };
    const note = requested === undefined || key === requested ? result?.note : this.#renumberedNote(result?.note);
    if (typeOf(type).stored !== 'never') {
      const scope = server?.key ?? 0;
      const place = { key, scope, aggregate: result?.aggregate ?? effect.aggregate?.(data, scope) ?? null };
      this.#accepted.add(eventIdentity(server, event), checked, place);
      const raw = result?.stored && JSON.stringify({ ...(JSON.parse(checked.raw) as object), ...result.stored });
      this.#addToLedger(sender, raw === undefined ? checked : { ...checked, raw }, place);
    }
    const warnings = [...(checked.warnings ?? []), ...(result?.warnings ?? [])];
    if (warnings.length > 0) {
      const scope = server?.key ?? 0;
      recordWarnings(this.#work, event, { key, scope }, warnings);
      this.serversWithRecords.add(scope);
    }
    return {
      ...{ id: event.id, status: 'accepted', receipt },
      ...(note === undefined ? {} : { note }),
      ...(warnings.length === 0 ? {} : { warnings }),
    };
  }

  /**
   * The note for an event that could not get the requested receipt. Only the first such event of a run has it, because an
   * import into a network with newer events renumbers all events.
   */
  #renumberedNote(note: string | undefined): string | undefined {
    if (this.#isRenumbered) return note;
    this.#isRenumbered = true;
    return 'got a new id, and so may all events after it, because this network already has newer events';
  }

  #addToLedger(sender: Sender, checked: Checked, { key, scope, aggregate }: LedgerPlace): void {
    const { rows, now } = this.#work;
    const { event, raw, hash, envelope = null } = checked;
    const credential = sender.kind === 'server' ? sender.credential : 0;
    const { id, type, time } = event;
    rows.add('ledger', [key, scope, id, type, time, now, raw, aggregate, credential, hash, envelope]);
  }

  async #findServer(sender: Sender, event: PreparedEvent): Promise<Server | undefined> {
    if (sender.kind === 'server') return { key: sender.serverKey, name: sender.serverName };
    if (event.server === undefined) return undefined;
    const key = nameKey(event.server);
    const server = this.#servers.get(key) ?? (await serverByName(this.#work.tx, event.server));
    if (server !== undefined) this.#servers.set(key, server);
    return server;
  }

  /** Adds a server that an operator's event names for the first time; its key follows the event's own. */
  async #newServer(name: string): Promise<Server> {
    const server = await addServer(this.#work.tx, this.#work.keys.following(), name);
    this.#servers.set(nameKey(name), server);
    return server;
  }

  /** Undoes `#newServer` after the event was rejected. */
  async #removeNewServer(name: string): Promise<void> {
    const server = this.#servers.get(nameKey(name));
    this.#servers.delete(nameKey(name));
    if (server !== undefined) await undoAddServer(this.#work.tx, server.key);
  }
}

/** Whether an event names a server without a row, which therefore has no events in the ledger. */
const namesNewServer = (server: Server | undefined, event: PreparedEvent): boolean =>
  server === undefined && event.server !== undefined;

const eventIdentity = (server: Server | undefined, event: PreparedEvent): string =>
  namesNewServer(server, event) ? `new ${event.id}` : `${server?.key ?? 0} ${event.id}`;
