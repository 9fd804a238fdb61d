import { setImmediate } from 'node:timers/promises';
import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { UsageError } from '#platform/errors.ts';
import { chunksOf } from '#platform/streams/chunks.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { type Sample, sampleNetwork } from './network/index.ts';
import type { DemoFolder, DemoState } from './folder.ts';

const EVENTS_PER_BATCH = 400;

export interface Filling {
  sample: Sample;
  /** Whether events had to be ingested. */
  isNew: boolean;
}

/**
 * Fills the database with the sample network unless it is complete. An interrupted run is resumed, because repeated
 * events change nothing. `goOn` gets the number of ingested matches and returns whether to continue.
 * @throws UsageError when the database contains something else
 */
export async function fill(
  db: Db,
  folder: DemoFolder,
  wanted: Omit<DemoState, 'filled'>,
  goOn: (matches: number) => boolean,
): Promise<Filling> {
  const isEmpty = (await db.get(sql`select key from ledger limit 1`)) === undefined;
  const known = folder.state();
  if (!isEmpty && known?.database_url !== wanted.database_url) {
    throw new UsageError(`${wanted.database_url} contains something other than the demo; name an empty database.`);
  }
  const state = isEmpty || known === undefined ? { ...wanted, filled: false } : known;
  folder.writeState({ ...state, process: wanted.process });
  const sample = sampleNetwork(state);
  if (state.filled) return { sample, isNew: false };
  if (await ingestAll(db, sample, goOn)) folder.writeState({ ...state, filled: true, process: wanted.process });
  return { sample, isNew: true };
}

/** Ingests each batch with the clock at its last event, so that ids ascend with the time of the events. */
async function ingestAll(db: Db, sample: Sample, goOn: (matches: number) => boolean): Promise<boolean> {
  let matches = 0;
  for (const events of chunksOf(sample.events(), EVENTS_PER_BATCH)) {
    // SQLite is synchronous and never yields to the event loop; signals are handled here.
    await setImmediate();
    if (!goOn(matches)) return false;
    const received = Date.parse(events.at(-1)!.time);
    const receipts = await ingestEvents(db, { now: () => received }, { kind: 'operator' }, events);
    const refused = receipts.find((receipt) => receipt.status === 'rejected');
    if (refused !== undefined)
      throw new Error(`An event of the sample network was refused: ${JSON.stringify(refused)}`);
    matches += events.filter(({ type }) => type === 'match.finished').length;
  }
  return true;
}
