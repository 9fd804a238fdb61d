import type { Clock } from '#platform/clock.ts';
import type { Transactional } from '#db/db.ts';
import type { WireEvent } from '#events/schema/index.ts';
import { ingestEvents, rolledBack } from '#events/ingest/ingest-events.ts';
import type { Receipt } from '#events/ledger/receipts.ts';
import type { Checkpoint, Finding, Where } from '#importers/index.ts';
import { keep } from './state.ts';

export interface Outcome {
  taken: number;
  unchanged: number;
  refused: number;
}

export interface Listener {
  refused(where: Where, reason: string): void;
  noted(where: Where, note: string): void;
  /** Called after each batch. */
  progressed?(outcome: Outcome, file: string): void;
}

/** Maximum total weight of the events of one transaction. A map weighs more than other events because of its image. */
const BATCH_WEIGHT = 400;
const MAP_WEIGHT = 20;

const IMPORTER = { kind: 'operator', isImport: true } as const;

/** Ingests all events of an importer as the operator, in batches of one transaction each. */
export async function runImport(
  db: Transactional,
  clock: Clock,
  findings: AsyncIterable<Finding<WireEvent>>,
  listener: Listener,
): Promise<Outcome> {
  const importing = new Importing(db, clock, listener);
  for await (const finding of findings) await importing.add(finding);
  await importing.flush();
  return importing.outcome;
}

/**
 * Does the same in one transaction and rolls it back. It is one transaction because events may depend on earlier ones.
 * Other writers wait until it ends.
 */
export const tryImport: typeof runImport = (db, clock, findings, listener) =>
  rolledBack(db, (tx) => runImport(tx, clock, findings, listener));

/** Collects the findings of one import and ingests their events in batches. */
class Importing {
  readonly #db: Transactional;
  readonly #clock: Clock;
  readonly #listener: Listener;
  readonly outcome: Outcome = { taken: 0, unchanged: 0, refused: 0 };
  #batch: (Where & { event: WireEvent; isKnownById?: boolean })[] = [];
  #weight = 0;
  /** The ids of the events that were refused since the last checkpoint. */
  #refused = new Set<string>();

  constructor(db: Transactional, clock: Clock, listener: Listener) {
    this.#db = db;
    this.#clock = clock;
    this.#listener = listener;
  }

  async add(finding: Finding<WireEvent>): Promise<void> {
    if ('refusal' in finding) this.#refuse(finding, finding.refusal);
    else if ('note' in finding) this.#listener.noted(finding, finding.note);
    else if ('unchanged' in finding) this.outcome.unchanged++;
    else if ('checkpoint' in finding) await this.#pass(finding.checkpoint);
    else {
      this.#batch.push(finding);
      this.#weight += finding.weight ?? (finding.event?.type === 'map.published' ? MAP_WEIGHT : 1);
      if (this.#weight >= BATCH_WEIGHT) await this.flush();
    }
  }

  async flush(): Promise<void> {
    const batch = this.#batch;
    const events = batch.map(({ event }) => event);
    const receipts = events.length === 0 ? [] : await ingestEvents(this.#db, this.#clock, IMPORTER, events);
    for (const [index, receipt] of receipts.entries()) this.#count(batch[index]!, receipt);
    this.#listener.progressed?.(this.outcome, batch.at(-1)?.file ?? '');
    this.#batch = [];
    this.#weight = 0;
  }

  async #pass(checkpoint: Checkpoint): Promise<void> {
    await this.flush();
    await this.#db.transaction((tx) => keep(tx, checkpoint, this.#refused, this.#clock.now()));
    this.#refused = new Set();
  }

  #refuse(where: Where, reason: string): void {
    this.outcome.refused++;
    this.#listener.refused(where, reason);
  }

  #count(where: Where & { isKnownById?: boolean }, receipt: Receipt): void {
    const isStored = receipt.status === 'duplicate' || (where.isKnownById === true && isOfStored(receipt));
    if (isStored) this.outcome.unchanged++;
    else if (receipt.status === 'rejected') {
      this.#refused.add(receipt.id);
      this.#refuse(where, receipt.reason);
    } else {
      this.outcome.taken++;
      if (receipt.note !== undefined) this.#listener.noted(where, receipt.note);
      for (const { reason } of receipt.warnings ?? []) this.#listener.noted(where, reason);
    }
  }
}

/** Whether another event with the id is stored. */
const isOfStored = (receipt: Receipt): boolean => receipt.status === 'rejected' && receipt.receipt !== undefined;
