import type { KeyedHash } from '#db/db.ts';
import type { InvalidElement, RawEvent } from '#events/ingest/json.ts';
import { prepareItem } from '#events/ingest/prepare.ts';
import type { Receipt, Sender } from '#events/ledger/receipts.ts';
import type { Clock } from '#platform/clock.ts';
import type { RequestLimits } from './server-limits.ts';

export interface IngestDeps {
  clock: Clock;
  limits: RequestLimits;
  keyedHash: KeyedHash;
}

/** Who reports events, and how. */
export interface Report {
  sender: Sender;
  /** Check the events and return receipts, but store nothing. */
  dryRun: boolean;
}

/** Prepares the events of a request, or some of them, and passes them through the limits of their server to the event queue. */
export function acceptEvents(
  { clock, limits, keyedHash }: IngestDeps,
  { sender, dryRun }: Report,
  events: readonly (RawEvent | InvalidElement)[],
): Promise<Receipt[]> {
  const now = clock.now();
  return limits.accept(
    events.map((event) => prepareItem(event, sender, now, keyedHash)),
    { dryRun },
  );
}
