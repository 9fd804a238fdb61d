import type { Queryable } from '#db/db.ts';
import { reportsAbout, reportsBetween } from '#store/game/counters/counter-reports.ts';
import { type Counter, counterByKey, countsIn, listCounters, saveCounted } from '#store/game/counters/counters.ts';
import { deleteValues, replaceMaxima } from '#store/game/counters/player-counters.ts';
import type { UnitOfWork } from '../ledger/unit-of-work.ts';
import { CounterChanges } from '../ledger/counter-accumulator.ts';
import type { ChunkRunner } from '../ledger/chunk.ts';

export interface RecountParams {
  key: string;
  /** The id of the counter to count; undefined if it was removed. */
  id?: number | undefined;
  /** The id whose values are deleted. */
  dropped?: number | undefined;
}

/** Maximum reports in one transaction: each is two small rows, about 10 µs on SQLite. */
const REPORTS_PER_CHUNK = 512;

interface Recounted {
  /** The number of changed rows. */
  changes: number;
  isComplete: boolean;
}

export async function recountChunk(work: UnitOfWork, { key, id, dropped }: RecountParams): Promise<Recounted> {
  const deleted = dropped === undefined ? 0 : await deleteValues(work.tx, dropped, REPORTS_PER_CHUNK);
  if (deleted === REPORTS_PER_CHUNK) return { changes: deleted, isComplete: false };
  const counter = id === undefined ? undefined : await counterByKey(work.tx, key);
  // A later declaration has a new id and counts itself.
  if (counter?.id !== id || counter === undefined || counter.counted >= counter.id)
    return { changes: deleted, isComplete: true };
  const { changes, isComplete } = await countNext(work, counter);
  return { changes: deleted + changes, isComplete };
}

async function countNext({ tx, counters }: UnitOfWork, counter: Counter): Promise<Recounted> {
  const { key, id, counted } = counter;
  const { reports, isComplete } = await reportsBetween(tx, counted, id, REPORTS_PER_CHUNK);
  for (const report of reports) await counters.add(report, counter);
  await saveCounted(tx, key, isComplete ? id : reports.at(-1)!.event);
  return { changes: reports.length, isComplete };
}

const REPORTS_PER_READ = 500;

/**
 * The largest values of a player. Reports are read in pages, because a player may have a hundred thousand of them. Calling
 * `read` again reads the reports added since: their keys are greater.
 */
export class PlayerMaxima {
  readonly #player: number;
  readonly #counters: readonly Counter[];
  readonly #maxima = new CounterChanges('max');
  #last = 0;

  constructor(player: number, counters: readonly Counter[]) {
    this.#player = player;
    this.#counters = counters;
  }

  static async of(db: Queryable, player: number): Promise<PlayerMaxima> {
    const counters = (await listCounters(db)).filter(({ aggregate }) => aggregate === 'max');
    return new PlayerMaxima(player, counters);
  }

  /** Identifies the declarations of counters that were read. */
  get counters(): string {
    return this.#counters.map(({ id }) => id).join(' ');
  }

  /** @param turn awaited between pages */
  async read(db: Queryable, turn: () => Promise<unknown> = async () => {}): Promise<void> {
    for (;;) {
      const reports = await reportsAbout(db, this.#player, this.#last, REPORTS_PER_READ);
      for (const report of reports) {
        this.#last = report.event;
        for (const counter of this.#counters) {
          if (!countsIn(counter, report.mode)) continue;
          const values = report.values.map((one) => (Object.hasOwn(one, counter.key) ? one[counter.key]! : 0));
          const value = Math.max(...values);
          if (value > 0) this.#maxima.add(counter, report, value);
        }
      }
      if (reports.length < REPORTS_PER_READ) return;
      await turn();
    }
  }

  async write(tx: Queryable): Promise<void> {
    const ids = this.#counters.map(({ id }) => id);
    await replaceMaxima(tx, this.#player, ids, this.#maxima.take());
  }
}

/** Counts the reports of earlier events for a newly declared counter, and deletes the sums of a removed one. */
export const countersChunk: ChunkRunner = async (work, job) => {
  const { changes, isComplete } = await recountChunk(work, JSON.parse(job.params) as RecountParams);
  return { cursor: {}, done: changes, isComplete };
};
