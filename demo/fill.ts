import { setImmediate } from 'node:timers/promises';
import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { UsageError } from '#platform/errors.ts';
import { chunksOf } from '#platform/chunks.ts';
import { ingestEvents } from '#events/ledger.ts';
import { type Sample, sampleNetwork } from './network/index.ts';
import type { DemoFolder, DemoState } from './folder.ts';

const EVENTS_PER_BATCH = 400;

export interface Filling {
  sample: Sample;
  /** Whether anything had to be filled in. */
  isNew: boolean;
}

/**
 * Sees to it that the database holds the sample network, all of it, once. A filling that was broken off goes on where it
 * stopped: events that are there already change nothing. `goOn` hears how many matches are in and says whether to go on.
 * @throws UsageError when the database holds something else
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
    throw new UsageError(`${wanted.database_url} holds something else than the demo: name an empty database.`);
  }
  const state = isEmpty || known === undefined ? { ...wanted, filled: false } : known;
  folder.writeState({ ...state, process: wanted.process! });
  const sample = sampleNetwork(state);
  if (state.filled) return { sample, isNew: false };
  if (await ingestAll(db, sample, goOn)) folder.writeState({ ...state, filled: true, process: wanted.process! });
  return { sample, isNew: true };
}

/** Takes the season as if it were happening: each event is received when it is told, so ids grow through the season. */
async function ingestAll(db: Db, sample: Sample, goOn: (matches: number) => boolean): Promise<boolean> {
  let matches = 0;
  for (const events of chunksOf(sample.events(), EVENTS_PER_BATCH)) {
    // SQLite answers without letting anything else have its turn: signals come through here.
    await setImmediate();
    if (!goOn(matches)) return false;
    const received = Date.parse(events.at(-1)!.time);
    const receipts = await ingestEvents(db, { now: () => received }, { kind: 'operator' }, events);
    const refused = receipts.find((receipt) => receipt.status === 'rejected');
    if (refused !== undefined) throw new Error(`The sample network is refused: ${JSON.stringify(refused)}`);
    matches += events.filter(({ type }) => type === 'match.finished').length;
  }
  return true;
}
