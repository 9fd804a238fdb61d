import { idOf, keyOf } from '#base/ids.ts';
import { nameKey } from '#base/text.ts';
import type { Clock } from '#base/clock.ts';
import type { Db, Queryable } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';
import { Batch, type Context, Refused, type Taken } from './batch.ts';
import { type Event, readEvent, type WireEvent } from './events.ts';
import { applyStatistics } from './factions.ts';
import { applyPublished, applyRated, applyRotation } from './maps.ts';
import { applyLink } from './links.ts';
import { applyFinished, uuidsOf } from './matches.ts';
import { applyNamed, applySession } from './player-sessions.ts';
import { applyChanged, applyIssued, applyRevoked } from './punishments.ts';
import type { Receipt, Sender } from './receipts.ts';
import { underPseudonyms } from './pseudonyms.ts';
import { Keys } from './sequence.ts';
import { addServer, applyConfigured, applyPresence, removeServer, type Server, serverByName } from './servers.ts';

/**
 * The one way into the records: events, checked, each taken once, in one transaction. What is answered `accepted` is
 * committed and visible; what is refused has changed nothing and spoils nothing beside it.
 */

/** How far a sender's clock may be ahead. */
const CLOCK_SKEW_MS = 300_000;

export interface TakeOptions {
  /** Checks and receipts everything, keeps nothing. */
  dryRun?: boolean;
}

/** An event that passed its check, beside the data as it was sent, which is what the ledger keeps. */
interface Checked {
  event: Event;
  sent: WireEvent['data'];
}

/**
 * Takes events, as they were sent, in order.
 * @returns a receipt for each, in the same order
 */
export async function takeEvents(
  db: Pick<Db, 'transaction'>,
  clock: Clock,
  sender: Sender,
  inputs: readonly unknown[],
  { dryRun = false }: TakeOptions = {},
): Promise<Receipt[]> {
  const now = clock.now();
  const checked = inputs.map((input) => check(input, sender, now));
  const events = checked.filter((item) => 'event' in item);
  if (events.length === 0) return checked as Receipt[];
  const receipts = await receiptsFor(db, now, sender, events, dryRun);
  let next = 0;
  return checked.map((item) => ('event' in item ? receipts[next++]! : item));
}

async function receiptsFor(
  db: Pick<Db, 'transaction'>,
  now: number,
  sender: Sender,
  events: Checked[],
  dryRun: boolean,
): Promise<Receipt[]> {
  let receipts: Receipt[] = [];
  try {
    await db.transaction(async (tx) => {
      const keys = await Keys.lock(tx);
      const batch = new Batch(tx, keys, now, sender);
      receipts = await new Taking(batch).takeAll(await underPseudonyms(tx, events));
      await batch.flush();
      await keys.save();
      if (dryRun) throw new DryRun();
    });
  } catch (error) {
    if (!(error instanceof DryRun)) throw error;
  }
  return receipts;
}

class DryRun extends Error {}

function check(input: unknown, sender: Sender, now: number): Checked | Receipt {
  const id = idOfInput(input);
  const read = readEvent(input);
  if ('refusal' in read) return { id, status: 'rejected', ...read.refusal };
  const { event } = read;
  const refusal = checkTimes(event, now) ?? checkSender(event, sender);
  return refusal ? { id, status: 'rejected', ...refusal } : { event, sent: (input as WireEvent).data };
}

/** The sender's id, as far as it can be told, so that even a malformed event's receipt can be matched. */
function idOfInput(input: unknown): string {
  const id = (input as { id?: unknown } | null | undefined)?.id;
  return typeof id === 'string' ? id.slice(0, 128) : '';
}

function checkTimes(event: Event, now: number): { reason: string; place: string } | undefined {
  const latest = now + CLOCK_SKEW_MS;
  if (event.time > latest) return { place: 'time', reason: 'lies in the future; set the clock of the sender' };
  if (event.type !== 'match.finished' || event.data.finished <= latest) return undefined;
  return { place: 'data.finished', reason: 'lies in the future; set the clock of the sender' };
}

const NEEDS_SERVER: ReadonlySet<Event['type']> = new Set([
  'server.configured',
  'server.presence',
  'match.finished',
  'rotation.changed',
  'player.login',
  'player.logout', // prettier-ignore
]);

function checkSender(event: Event, sender: Sender): { reason: string; place: string } | undefined {
  if (sender.kind === 'operator') {
    if (event.server !== undefined || !NEEDS_SERVER.has(event.type)) return undefined;
    return { place: 'server', reason: `is missing: ${event.type} belongs to a server` };
  }
  if (event.type === 'server.configured') return { place: 'type', reason: 'server.configured is for operators only' };
  if (event.receipt !== undefined) return { place: 'receipt', reason: 'is for operators only' };
  if (event.server === undefined || nameKey(event.server) === nameKey(sender.serverName)) return undefined;
  return { place: 'server', reason: `must be ${sender.serverName}: a key speaks for its own server only` };
}

/** One run over checked events inside a batch. */
class Taking {
  readonly #batch: Batch;
  readonly #servers = new Map<string, Server>();
  /** Receipts of events known before this run or taken in it, by scope and the sender's id. */
  readonly #known = new Map<string, string>();

  constructor(batch: Batch) {
    this.#batch = batch;
  }

  async takeAll(events: Checked[]): Promise<Receipt[]> {
    await this.#load(events);
    const receipts: Receipt[] = [];
    for (const item of events) receipts.push(await this.#take(item));
    return receipts;
  }

  async #load(events: Checked[]): Promise<void> {
    const { tx, players } = this.#batch;
    for (const { event } of events) await this.#serverOf(event);
    const scopes = new Map<number, string[]>();
    for (const { event } of events) {
      const scope = this.#scope(event) ?? 0;
      scopes.set(scope, [...(scopes.get(scope) ?? []), event.id]);
    }
    for (const [scope, ids] of scopes) await this.#loadKnown(tx, scope, ids);
    await players.load(events.flatMap(({ event }) => uuidsIn(event)));
  }

  async #loadKnown(tx: Queryable, scope: number, ids: string[]): Promise<void> {
    for (let start = 0; start < ids.length; start += 256) {
      const some = ids.slice(start, start + 256);
      const rows = await tx.tuples(
        sql`select event_id, key from ledger where scope_key = ${scope} and event_id in (${list(some)})`,
      );
      for (const [id, key] of rows as [string, number][]) this.#known.set(`${scope} ${id}`, idOf(key));
    }
  }

  async #take({ event, sent }: Checked): Promise<Receipt> {
    const server = await this.#serverOf(event);
    const known = this.#known.get(identityOf(server, event));
    if (known !== undefined) return { id: event.id, status: 'duplicate', receipt: known };
    const isNew = server === undefined && event.server !== undefined;
    try {
      return await this.#accept(event, sent, server);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (isNew) await this.#forgetServer(event.server!);
      return { id: event.id, status: 'rejected', reason: error.message, place: error.place };
    }
  }

  async #accept(event: Event, sent: unknown, known: Server | undefined): Promise<Receipt> {
    const { keys, now } = this.#batch;
    const resumed = event.receipt === undefined ? undefined : keyOf(event.receipt);
    const key = resumed !== undefined && keys.resume(resumed) ? resumed : keys.next(now);
    const server = known ?? (event.server === undefined ? undefined : await this.#newServer(event.server));
    const taken = await apply({ batch: this.#batch, key, time: event.time, server }, event);
    const receipt = idOf(key);
    if (event.type !== 'server.presence') {
      this.#known.set(identityOf(server, event), receipt);
      this.#keep(event, sent, key, server);
    }
    return { id: event.id, status: 'accepted', receipt, ...taken };
  }

  /** Heartbeats are not kept: the newest replaces all before it. A picture is kept with its map, a link's code not at all. */
  #keep(event: Event, sent: unknown, key: number, server: Server | undefined): void {
    const { rows, now } = this.#batch;
    const data = { ...(sent as object), image: undefined, code: undefined };
    rows.push(sql`
      insert into ledger (key, scope_key, event_id, type, time, received, body)
      values (${key}, ${server?.key ?? 0}, ${event.id}, ${event.type}, ${event.time}, ${now}, ${JSON.stringify(data)})`);
  }

  async #serverOf(event: Event): Promise<Server | undefined> {
    const { sender, tx } = this.#batch;
    if (sender.kind === 'server') return { key: sender.serverKey, name: sender.serverName };
    if (event.server === undefined) return undefined;
    const key = nameKey(event.server);
    const known = this.#servers.get(key) ?? (await serverByName(tx, event.server));
    if (known !== undefined) this.#servers.set(key, known);
    return known;
  }

  #scope(event: Event): number | undefined {
    const { sender } = this.#batch;
    if (sender.kind === 'server') return sender.serverKey;
    return event.server === undefined ? undefined : this.#servers.get(nameKey(event.server))?.key;
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
    if (server !== undefined) await removeServer(this.#batch.tx, server.key);
  }
}

const identityOf = (server: Server | undefined, { id }: Event): string => `${server?.key ?? 0} ${id}`;

function uuidsIn(event: Event): string[] {
  switch (event.type) {
    case 'match.finished':
      return uuidsOf(event.data);
    case 'player.login':
    case 'player.logout':
    case 'player.named':
    case 'player.statistics':
      return [event.data.player.uuid];
    default:
      return [];
  }
}

/** Hands an event to its noun. What needs rows that still wait in the batch gets them written first. */
async function apply(context: Context, event: Event): Promise<Taken> {
  switch (event.type) {
    case 'match.finished':
      return applyFinished(context, event.data);
    case 'player.login':
      return applySession(context, event.data, true);
    case 'player.logout':
      return applySession(context, event.data, false);
    case 'player.named':
      return applyNamed(context, event.data);
    case 'player.statistics':
      return applyStatistics(context, event.data);
    case 'account.link':
      return await applyLink(context, event.data);
    case 'server.configured':
      return await applyConfigured(context, event.data);
    case 'server.presence':
      return await applyPresence(context, event.id, event.data);
    case 'map.published':
      return await applyPublished(context, event.data);
    case 'rotation.changed':
      return await applyRotation(context, event.data);
    case 'map.rated':
      return await applyRated(context, event.data);
    case 'punishment.issued':
      return await applyIssued(context, event.data);
    case 'punishment.changed':
      return await applyChanged(context, event.data);
    case 'punishment.revoked':
      return await applyRevoked(context, event.data);
  }
}
