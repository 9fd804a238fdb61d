import type { MessagePort, Worker } from 'node:worker_threads';
import { BusyTime } from '#base/busy-time.ts';
import { Unavailable } from '#base/errors.ts';
import { NumbersOf, textOfNumbers } from '#base/numbers.ts';
import { type Intake, MOST_WAITING } from './intake.ts';
import type { Item, Items, TakeOptions } from './ledger.ts';
import type { ReadyPlayer } from './ready-match.ts';
import type { Receipt } from './receipts.ts';

/**
 * An intake that another thread holds: there events are written, here they are heard of, read and checked meanwhile.
 * Items go over as texts, which costs a fraction of what objects do.
 */

/**
 * Texts of an item: who sent what, the data as it was told; of a finished match what is JSON in itself, who played, by UUID
 * and by name, and how they did in numbers.
 */
const TEXTS = 7;
const NONE = Array<string>(TEXTS - 2).fill('');

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
  readonly #busy = new BusyTime();

  /** @param sync brings to the disk what the other thread has committed */
  constructor(port: MessagePort | Worker, sync: () => Promise<void>) {
    this.#port = port;
    this.#sync = sync;
    port.on('message', (outcomes: Outcome[]) => void this.#hear(outcomes));
  }

  get isFull(): boolean {
    return this.#waits >= MOST_WAITING;
  }

  get busyMs(): number {
    return this.#busy.ms;
  }

  take(items: Items, { dryRun = false }: TakeOptions = {}): Promise<Receipt[]> {
    const { promise, resolve: settle, reject: fail } = Promise.withResolvers<Receipt[]>();
    const number = ++this.#last;
    this.#busy.begin();
    this.#asked.set(number, { count: items.length, answer: promise, settle, fail });
    this.#waits += items.length;
    // What is told at one moment goes over together.
    if (this.#parcels.length === 0) queueMicrotask(() => this.#send());
    const texts: string[] = [];
    for (const item of items) texts.push(...textsOf(item));
    this.#parcels.push({ number, dryRun, texts });
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
      if ('isOutage' in outcome) fail(outcome.isOutage ? new Unavailable(outcome.error) : outcome.error);
      else if (lost !== undefined) fail(lost.error);
      else settle(outcome.receipts);
    }
    if (this.#asked.size === 0) this.#busy.end();
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
  if (!('event' in checked)) return [JSON.stringify({ sender, receipt: checked }), '', ...NONE];
  const { event, told } = checked;
  if (event.type !== 'match.finished') return [JSON.stringify({ sender, event }), told, ...NONE];
  const { teams, objectives, players, ...data } = event.data;
  const json = JSON.stringify({ sender, event: { ...event, data } });
  const uuids = JSON.stringify(players.map(([uuid]) => uuid));
  return [json, told, teams, objectives, uuids, namesOf(players), numbersOf(players)];
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

function itemOf([json, told, teams, objectives, uuids, names, numbers]: string[]): Item {
  const { sender, event, receipt } = JSON.parse(json!);
  if (event === undefined) return { sender, checked: receipt };
  if (event.type === 'match.finished')
    Object.assign(event.data, { teams, objectives, players: playersOf(uuids!, names!, numbers!) });
  return { sender, checked: { event, told: told! } };
}

const RESULTS = ['win', 'lose', 'draw'] as const;
/** No name holds it, see `isShownText`. */
const BETWEEN_NAMES = '\n';

/**
 * Names are no JSON: V8 looks up each string of it that is shorter than ten characters in the table of all its strings,
 * which names of players would fill. UUIDs are, which makes each a string by itself: as parts of a longer one they would
 * take twice as long to be looked up.
 */
const namesOf = (players: readonly ReadyPlayer[]): string => players.map(([, name]) => name).join(BETWEEN_NAMES);

function numbersOf(players: readonly ReadyPlayer[]): string {
  const numbers: number[] = [];
  for (const [, , result, score, kills, deaths, time, sums] of players) {
    numbers.push(RESULTS.indexOf(result), score, kills, deaths, time, sums.length);
    for (const sum of sums) numbers.push(sum);
  }
  return textOfNumbers(numbers);
}

function playersOf(uuids: string, names: string, text: string): ReadyPlayer[] {
  const numbers = new NumbersOf(text);
  const called = names.split(BETWEEN_NAMES);
  return (JSON.parse(uuids) as string[]).map((uuid, place) => [
    uuid,
    called[place]!,
    RESULTS[numbers.next()]!,
    numbers.next(),
    numbers.next(),
    numbers.next(),
    numbers.next(),
    sumsFrom(numbers),
  ]);
}

function sumsFrom(numbers: NumbersOf): number[] {
  const sums: number[] = [];
  for (let left = numbers.next(); left > 0; left--) sums.push(numbers.next());
  return sums;
}
