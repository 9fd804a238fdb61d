import type { Clock } from '#platform/clock.ts';
import type { Db } from '#db/db.ts';
import type { WireEvent } from '#events/schema.ts';
import { ingestEvents } from '#events/ledger.ts';
import type { Receipt } from '#events/receipts.ts';
import type { Finding, Where } from './finding.ts';

/** What became of everything that an importer found. */
export interface Outcome {
  taken: number;
  unchanged: number;
  refused: number;
}

/** Hears of an import while it runs. */
export interface Listener {
  refused(where: Where, reason: string): void;
  noted(where: Where, note: string): void;
  /** Called after each batch. */
  progressed(outcome: Outcome, file: string): void;
}

/** How much is taken in one transaction. A map counts for many, since it may bring a picture. */
const BATCH_WEIGHT = 400;
const MAP_WEIGHT = 20;

type Ingest = (events: WireEvent[]) => Promise<Receipt[]>;

/** Takes all events of an importer as the operator, in batches, each whole or not at all. */
export async function runImport(
  db: Db,
  clock: Clock,
  items: AsyncIterable<Finding>,
  listener: Listener,
): Promise<Outcome> {
  return await run(items, (events) => ingestEvents(db, clock, { kind: 'operator' }, events), listener);
}

/**
 * Does the same and keeps nothing. One transaction holds all of it, since events may need those before them; writers
 * wait until it is over.
 */
export async function tryImport(
  db: Db,
  clock: Clock,
  items: AsyncIterable<Finding>,
  listener: Listener,
): Promise<Outcome> {
  let outcome: Outcome | undefined;
  try {
    await db.transaction(async (tx) => {
      const inside: Pick<Db, 'transaction'> = { transaction: (work) => work(tx) };
      outcome = await run(items, (events) => ingestEvents(inside, clock, { kind: 'operator' }, events), listener);
      throw new Enough();
    });
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
  }
  return outcome!;
}

/** Thrown to end a trial: nothing of it is to be kept. */
class Enough extends Error {}

async function run(items: AsyncIterable<Finding>, take: Ingest, listener: Listener): Promise<Outcome> {
  const outcome: Outcome = { taken: 0, unchanged: 0, refused: 0 };
  let batch: (Where & { event: WireEvent })[] = [];
  let weight = 0;
  const refuse = (where: Where, reason: string): void => {
    outcome.refused++;
    listener.refused(where, reason);
  };
  const flush = async (): Promise<void> => {
    const receipts = batch.length === 0 ? [] : await take(batch.map(({ event }) => event));
    for (const [index, receipt] of receipts.entries()) count(outcome, batch[index]!, receipt, refuse, listener);
    listener.progressed(outcome, batch.at(-1)?.file ?? '');
    batch = [];
    weight = 0;
  };
  for await (const item of items) {
    if ('refusal' in item) refuse(item, item.refusal);
    else if ('note' in item) listener.noted(item, item.note);
    else if ('unchanged' in item) outcome.unchanged++;
    else {
      batch.push(item);
      weight += item.weight ?? (item.event?.type === 'map.published' ? MAP_WEIGHT : 1);
      if (weight >= BATCH_WEIGHT) await flush();
    }
  }
  await flush();
  return outcome;
}

function count(
  outcome: Outcome,
  where: Where,
  receipt: Receipt,
  refuse: Listener['refused'],
  listener: Listener,
): void {
  if (receipt.status === 'duplicate') outcome.unchanged++;
  else if (receipt.status === 'rejected')
    refuse({ ...where, place: joined(where.place, receipt.place) }, receipt.reason);
  else {
    outcome.taken++;
    if (receipt.note !== undefined) listener.noted(where, receipt.note);
  }
}

function joined(...places: string[]): string {
  return places.filter((place) => place !== '').join(', ');
}
