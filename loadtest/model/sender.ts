import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '#demo/network/random.ts';
import type { EventGenerator, ModelEvent } from './generated-events.ts';

/** The state of one of a sender's ids. */
export interface Sent {
  id: string;
  /** The events that were sent under the id, more than one for forgeries. */
  variants: ModelEvent[];
  firstSent: number;
  /** When the first receipt `accepted` or `duplicate` arrived. */
  acknowledged?: number;
  receipt?: string;
  /** The reason of the last rejection. */
  rejected?: string;
}

interface Receipt {
  id: string;
  status: 'accepted' | 'duplicate' | 'rejected';
  receipt?: string;
  reason?: string;
  retry?: boolean;
}

const MAX_BATCH = 20;
const MAX_RETRIES = 3;

/**
 * A game server that sends out of order and in parallel to either service, repeats events, and reuses ids. It resends
 * events until each has a receipt.
 */
export class ModelSender {
  readonly server: string;
  readonly sent = new Map<string, Sent>();
  readonly #key: string;
  readonly #ports: () => number[];
  readonly #random: Random;
  readonly #generator: EventGenerator;
  #pending: ModelEvent[] = [];
  readonly #retries = new Map<string, number>();

  constructor(server: string, key: string, ports: () => number[], generator: EventGenerator, random: Random) {
    this.server = server;
    this.#key = key;
    this.#ports = ports;
    this.#generator = generator;
    this.#random = random;
  }

  get generator(): EventGenerator {
    return this.#generator;
  }

  add(event: ModelEvent): void {
    const known = this.sent.get(event.id);
    if (known === undefined) this.sent.set(event.id, { id: event.id, variants: [event], firstSent: Infinity });
    else known.variants.push(event);
    this.#pending.push(event);
  }

  /** Sends an event once, whether or not a service answers: a report of the present is worthless later. */
  async sendOnce(event: ModelEvent): Promise<void> {
    await this.#request([event], false, this.#random.pick(this.#ports()));
  }

  /** Generates events and sends them, mixed with repetitions and forgeries. */
  async send(count: number): Promise<void> {
    for (let number = 0; number < count; number++) {
      this.add(this.#generator.next());
      if (this.#random.chance(0.1)) this.#pending.push(this.#earlier());
      if (this.#random.chance(0.03)) this.add(this.#generator.forgery(this.#earlier()));
    }
    await this.flush();
  }

  /** Sends until every event has a receipt. */
  async flush(): Promise<void> {
    for (let failures = 0; this.#pending.length > 0;) {
      const waiting = this.#random.shuffled(this.#pending);
      this.#pending = [];
      const batches: ModelEvent[][] = [];
      while (waiting.length > 0) batches.push(waiting.splice(0, 1 + this.#random.below(MAX_BATCH)));
      for (let start = 0; start < batches.length; start += 2) {
        const answered = await Promise.all(batches.slice(start, start + 2).map((batch) => this.#post(batch)));
        failures = answered.every(Boolean) ? 0 : failures + 1;
        if (failures > 0) await sleep(Math.min(1000, 50 * failures));
        if (failures > 100) throw new Error(`${this.server}: no service answers.`);
      }
    }
  }

  #earlier(): ModelEvent {
    return this.#random.pick([...this.sent.values()]).variants[0]!;
  }

  /** @returns whether a service answered; otherwise the events stay pending */
  async #post(events: ModelEvent[]): Promise<boolean> {
    const isStream = this.#random.chance(0.3);
    const port = this.#random.pick(this.#ports());
    const now = Date.now();
    for (const { id } of events) {
      const sent = this.sent.get(id)!;
      sent.firstSent = Math.min(sent.firstSent, now);
    }
    const receipts = await this.#request(events, isStream, port);
    events.forEach((event, place) => this.#receive(event, receipts[place]));
    return receipts.length === events.length;
  }

  /** @returns no receipts if no service answered */
  async #request(events: ModelEvent[], isStream: boolean, port: number): Promise<Receipt[]> {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/events`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${this.#key}`,
          'content-type': isStream ? 'application/x-ndjson' : 'application/json',
        },
        body: isStream ? events.map((event) => `${JSON.stringify(event)}\n`).join('') : JSON.stringify(events),
      });
      const text = await response.text();
      if (response.status === 200) return receiptsIn(text, isStream);
      if (response.status !== 503 && response.status !== 429)
        throw new Error(`POST /events: ${response.status} ${text}`);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
    return [];
  }

  #receive(event: ModelEvent, receipt: Receipt | undefined): void {
    const sent = this.sent.get(event.id)!;
    if (receipt === undefined) return void this.#pending.push(event);
    if (receipt.id !== event.id) throw new Error(`The receipt of ${event.id} names ${receipt.id}.`);
    if (receipt.status !== 'rejected') {
      sent.acknowledged ??= Date.now();
      if (receipt.receipt !== undefined) sent.receipt = receipt.receipt;
      return;
    }
    sent.rejected = receipt.reason ?? '';
    const retries = this.#retries.get(event.id) ?? 0;
    if (receipt.retry !== true || retries >= MAX_RETRIES) return;
    this.#retries.set(event.id, retries + 1);
    this.#pending.push(event);
  }
}

/** The receipts of the events in their order; an interrupted stream has fewer. */
function receiptsIn(text: string, isStream: boolean): Receipt[] {
  if (!isStream) return JSON.parse(text) as Receipt[];
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Receipt).filter(({ status }) => status !== undefined);
}
