import { setImmediate } from 'node:timers/promises';
import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { keyOf } from '#platform/ids.ts';
import { serverByName } from '#store/game/servers.ts';
import { UsageError } from '#platform/errors.ts';
import { chunksOf } from '#platform/streams/chunks.ts';
import { runChunk } from '#events/jobs/runner.ts';
import { createWithdrawal } from '#events/jobs/withdrawal.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import type { WireEvent } from '#events/schema/index.ts';
import { type Sample, sampleNetwork } from './network/index.ts';
import type { DemoFolder, DemoState } from './folder.ts';

const EVENTS_PER_BATCH = 400;

/**
 * Fills the database with the sample network unless it is complete. An interrupted run is resumed, because repeated
 * events change nothing. `goOn` gets the number of ingested matches and returns whether to continue.
 * @returns the network, whose history is complete unless it was stopped
 * @throws UsageError when the database contains something else
 */
export async function fill(
  db: Db,
  folder: DemoFolder,
  wanted: Omit<DemoState, 'filled'>,
  goOn: (matches: number) => boolean,
): Promise<Sample> {
  const isEmpty = (await db.get(sql`select key from ledger limit 1`)) === undefined;
  const known = folder.state();
  if (!isEmpty && known?.database_url !== wanted.database_url) {
    throw new UsageError(`${wanted.database_url} contains something other than the demo; name an empty database.`);
  }
  const state = isEmpty || known === undefined ? { ...wanted, filled: false } : known;
  folder.writeState({ ...state, process: wanted.process });
  const sample = sampleNetwork(state);
  if (state.filled) return sample;
  const last = await ingestAll(db, sample, goOn);
  if (last !== undefined) {
    await withdrawRepeated(db, last, wanted.now);
    folder.writeState({ ...state, filled: true, process: wanted.process });
  }
  return sample;
}

/**
 * Ingests each batch with the clock at its last event, so that ids ascend with the time of the events.
 * @returns the last match; undefined if it was stopped before
 */
async function ingestAll(db: Db, sample: Sample, goOn: (matches: number) => boolean): Promise<WireEvent | undefined> {
  let matches = 0;
  let last: WireEvent | undefined;
  for (const events of chunksOf(sample.events(), EVENTS_PER_BATCH)) {
    // SQLite is synchronous and never yields to the event loop; signals are handled here.
    await setImmediate();
    if (!goOn(matches)) return undefined;
    const received = Date.parse(events.at(-1)!.time);
    const receipts = await ingestEvents(db, { now: () => received }, { kind: 'operator', isImport: true }, events);
    const refused = receipts.find((receipt) => receipt.status === 'rejected');
    if (refused !== undefined)
      throw new Error(`An event of the sample network was refused: ${JSON.stringify(refused)}`);
    const finished = events.filter(({ type }) => type === 'match.finished');
    matches += finished.length;
    last = finished.at(-1) ?? last;
  }
  return last;
}

/**
 * A server has reported its match a second time, under another id, and the operator has withdrawn that report. Runs all jobs, so
 * that the first start already serves what they leave.
 */
async function withdrawRepeated(db: Db, match: WireEvent, now: number): Promise<void> {
  const clock = { now: () => now };
  const again = { ...match, id: `${match.id}-again` };
  const [receipt] = await ingestEvents(db, clock, { kind: 'operator' }, [again]);
  const server = (await serverByName(db, match.server!))!;
  if (receipt?.status === 'accepted')
    await createWithdrawal(db, clock, { server: server.key, keys: [keyOf(receipt.receipt)!] }, { label: server.name });
  while (await runChunk({ db, clock })) await setImmediate();
}
