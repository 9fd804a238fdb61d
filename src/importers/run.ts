import type { Clock } from '#platform/clock.ts';
import type { Db } from '#db/db.ts';
import type { WireEvent } from '#events/schema.ts';
import { ingestEvents } from '#events/ledger.ts';
import type { Receipt } from '#events/receipts.ts';
import type { Finding, Where } from './finding.ts';

/** The totals of an import. */
export interface Outcome {
  taken: number;
  unchanged: number;
  refused: number;
}

/** Reports the progress of an import. */
export interface Listener {
  refused(where: Where, reason: string): void;
  noted(where: Where, note: string): void;
  /** Called after each batch. */
  progressed(outcome: Outcome, file: string): void;
}

/** The largest total weight of the events of one transaction. A map weighs more than other events because of its image. */
const BATCH_WEIGHT = 400;
const MAP_WEIGHT = 20;

type Ingest = (events: WireEvent[]) => Promise<Receipt[]>;

/** Ingests all events of an importer as the operator, in batches of one transaction each. */
export async function runImport(
  db: Db,
  clock: Clock,
  findings: AsyncIterable<Finding>,
  listener: Listener,
): Promise<Outcome> {
  return await run(findings, (events) => ingestEvents(db, clock, { kind: 'operator' }, events), listener);
}

/**
 * Does the same in one transaction and rolls it back. It is a single transaction because events may depend on earlier
 * ones; other writers wait until it ends.
 */
export async function tryImport(
  db: Db,
  clock: Clock,
  findings: AsyncIterable<Finding>,
  listener: Listener,
): Promise<Outcome> {
  let outcome: Outcome | undefined;
  try {
    await db.transaction(async (tx) => {
      const { keyedHash } = db;
      const sameTransaction: Pick<Db, 'transaction' | 'keyedHash'> = { keyedHash, transaction: (work) => work(tx) };
      outcome = await run(
        findings,
        (events) => ingestEvents(sameTransaction, clock, { kind: 'operator' }, events),
        listener,
      );
      throw new Rollback();
    });
  } catch (error) {
    if (!(error instanceof Rollback)) throw error;
  }
  return outcome!;
}

/** Thrown at the end of a dry run, so that its transaction is rolled back. */
class Rollback extends Error {}

async function run(findings: AsyncIterable<Finding>, ingest: Ingest, listener: Listener): Promise<Outcome> {
  const outcome: Outcome = { taken: 0, unchanged: 0, refused: 0 };
  let batch: (Where & { event: WireEvent })[] = [];
  let weight = 0;
  const refuse = (where: Where, reason: string): void => {
    outcome.refused++;
    listener.refused(where, reason);
  };
  const flush = async (): Promise<void> => {
    const receipts = batch.length === 0 ? [] : await ingest(batch.map(({ event }) => event));
    for (const [index, receipt] of receipts.entries()) count(outcome, batch[index]!, receipt, refuse, listener);
    listener.progressed(outcome, batch.at(-1)?.file ?? '');
    batch = [];
    weight = 0;
  };
  for await (const finding of findings) {
    if ('refusal' in finding) refuse(finding, finding.refusal);
    else if ('note' in finding) listener.noted(finding, finding.note);
    else if ('unchanged' in finding) outcome.unchanged++;
    else {
      batch.push(finding);
      weight += finding.weight ?? (finding.event?.type === 'map.published' ? MAP_WEIGHT : 1);
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
  else if (receipt.status === 'rejected') refuse(where, receipt.reason);
  else {
    outcome.taken++;
    if (receipt.note !== undefined) listener.noted(where, receipt.note);
    for (const { reason } of receipt.warnings ?? []) listener.noted(where, reason);
  }
}
