import type { MessagePort, Worker } from 'node:worker_threads';
import { Unavailable } from '#base/errors.ts';
import { type Intake, MOST_WAITING } from './intake.ts';
import type { Item, Items, TakeOptions } from './ledger.ts';
import type { ReadyPlayer } from './ready-match.ts';
import type { Receipt } from './receipts.ts';

/**
 * An intake that another thread holds: there events are written, here they are heard of, read and checked meanwhile.
 * Items go over as texts, which costs a fraction of what objects do.
 */

/** Texts of an item: who sent what, the data as it was told; of a finished match what is JSON in itself, and who played. */
const TEXTS = 5;

interface Parcel {
  number: number;
  dryRun: boolean;
  texts: string[];
}

type Outcome = { number: number } & ({ receipts: Receipt[] } | { error: unknown; isOutage: boolean });

/** Said by whoever holds the near end when nothing more will come. */
export const CLOSE = 'close';

interface Asked {
  count: number;
  answer: Promise<Receipt[]>;
  settle: (receipts: Receipt[]) => void;
  fail: (error: unknown) => void;
}

/** The near end. */
export class FarIntake implements Intake {
  readonly #port: MessagePort | Worker;
  readonly #sync: () => Promise<void>;
  readonly #asked = new Map<number, Asked>();
  #parcels: Parcel[] = [];
  #last = 0;
  #waits = 0;
  #through = 0;

  /** @param sync brings to the disk what the other thread has committed */
  constructor(port: MessagePort | Worker, sync: () => Promise<void>) {
    this.#port = port;
    this.#sync = sync;
    port.on('message', (outcomes: Outcome[]) => void this.#hear(outcomes));
  }

  get isFull(): boolean {
    return this.#waits >= MOST_WAITING;
  }

  get count(): number {
    return this.#through;
  }

  take(items: Items, { dryRun = false }: TakeOptions = {}): Promise<Receipt[]> {
    const { promise, resolve: settle, reject: fail } = Promise.withResolvers<Receipt[]>();
    const number = ++this.#last;
    this.#asked.set(number, { count: items.length, answer: promise, settle, fail });
    this.#waits += items.length;
    // What comes in one turn of the event loop goes over together.
    if (this.#parcels.length === 0) setImmediate(() => this.#send());
    this.#parcels.push({ number, dryRun, texts: Array.from(items, textsOf).flat() });
    return promise;
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#asked.values()].map(({ answer }) => answer));
  }

  #send(): void {
    this.#port.postMessage(this.#parcels, []);
    this.#parcels = [];
  }

  async #hear(outcomes: Outcome[]): Promise<void> {
    const lost = await this.#sync().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    for (const outcome of outcomes) {
      const { count, settle, fail } = this.#asked.get(outcome.number)!;
      this.#asked.delete(outcome.number);
      this.#waits -= count;
      this.#through += count;
      if ('isOutage' in outcome) fail(outcome.isOutage ? new Unavailable(outcome.error) : outcome.error);
      else if (lost !== undefined) fail(lost.error);
      else settle(outcome.receipts);
    }
  }
}

/** The far end: takes what comes until `CLOSE` does. */
export async function serveIntake(port: MessagePort, intake: Intake): Promise<void> {
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  let outcomes: Outcome[] = [];
  const tell = (outcome: Outcome): void => {
    // Those of one group become known one behind the other: they go back together.
    if (outcomes.length === 0) queueMicrotask(send);
    outcomes.push(outcome);
  };
  const send = (): void => {
    port.postMessage(outcomes, []);
    outcomes = [];
  };
  const take = ({ number, dryRun, texts }: Parcel): void => {
    intake.take(new Packed(texts), { dryRun }).then(
      (receipts) => tell({ number, receipts }),
      (error: unknown) => tell({ number, error, isOutage: error instanceof Unavailable }),
    );
  };
  const hear = (parcels: Parcel[] | typeof CLOSE): void => {
    if (parcels === CLOSE) close();
    else parcels.forEach(take);
  };
  port.on('message', hear);
  await closed;
  // Who listens keeps the thread alive.
  port.off('message', hear);
}

function textsOf({ sender, checked }: Item): string[] {
  if (!('event' in checked)) return [JSON.stringify({ sender, receipt: checked }), '', '', '', ''];
  const { event, told } = checked;
  if (event.type !== 'match.finished') return [JSON.stringify({ sender, event }), told, '', '', ''];
  const { teams, objectives, players, ...data } = event.data;
  const packed = { ...event, data: { ...data, players: players.map(packedOf) } };
  return [JSON.stringify({ sender, event: packed }), told, teams, objectives, JSON.stringify(players.map(personOf))];
}

/** The items of a parcel, made of their texts when they are asked for: as objects they would grow old while they wait. */
class Packed implements Items {
  readonly #texts: string[];

  constructor(texts: string[]) {
    this.#texts = texts;
  }

  get length(): number {
    return this.#texts.length / TEXTS;
  }

  *[Symbol.iterator](): Generator<Item> {
    for (let place = 0; place < this.#texts.length; place += TEXTS) {
      yield itemOf(this.#texts.slice(place, place + TEXTS));
    }
  }
}

function itemOf([json, told, teams, objectives, people]: string[]): Item {
  const { sender, event, receipt } = JSON.parse(json!);
  if (event === undefined) return { sender, checked: receipt };
  if (event.type === 'match.finished') {
    const persons: string[] = JSON.parse(people!);
    const players = event.data.players.map((packed: PackedPlayer, place: number) => unpacked(packed, persons[place]!));
    Object.assign(event.data, { teams, objectives, players });
  }
  return { sender, checked: { event, told: told! } };
}

const RESULTS = ['win', 'lose', 'draw'] as const;
const UUID_LENGTH = 36;

/** What is told of a player without words: the result is its place in `RESULTS`. */
type PackedPlayer = [result: number, score: number, kills: number, deaths: number, time: number, sums: number[]];

function packedOf([, , result, ...counts]: ReadyPlayer): PackedPlayer {
  return [RESULTS.indexOf(result), ...counts];
}

/**
 * UUID and name in one string: V8 looks up each string of JSON that is shorter than ten characters in the table of all its
 * strings, which names of players would fill.
 */
const personOf = ([uuid, name]: ReadyPlayer): string => uuid + name;

function unpacked([result, score, kills, deaths, time, sums]: PackedPlayer, person: string): ReadyPlayer {
  const [uuid, name] = [person.slice(0, UUID_LENGTH), person.slice(UUID_LENGTH)];
  return [uuid, name, RESULTS[result]!, score, kills, deaths, time, sums];
}
