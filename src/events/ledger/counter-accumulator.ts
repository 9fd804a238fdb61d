import type { Queryable } from '#db/db.ts';
import type { Sql } from '#db/sql.ts';
import type { CounterReport } from '#store/game/counters/counter-reports.ts';
import { type Aggregate, type Counter, countsIn, hasCounted, listCounters } from '#store/game/counters/counters.ts';
import { additions, type CounterMode, type CounterRow, subtractions } from '#store/game/counters/player-counters.ts';

/**
 * Accumulates the additions to the network's own counters in one transaction, to write each value once. The declarations
 * are read when the first event of the transaction reports such counters.
 */
export class CounterAccumulator {
  readonly #tx: Queryable;
  #declared: ReadonlyMap<string, Counter> | undefined;
  readonly #changes = { sum: new CounterChanges('sum'), max: new CounterChanges('max') };
  readonly #subtracted = new CounterChanges('sum');

  constructor(tx: Queryable) {
    this.#tx = tx;
  }

  /** The counters of the network by key. */
  async declared(): Promise<ReadonlyMap<string, Counter>> {
    return (this.#declared ??= new Map((await listCounters(this.#tx)).map((counter) => [counter.key, counter])));
  }

  /** Forgets the declarations, after one has changed. */
  forget(): void {
    this.#declared = undefined;
  }

  /** Counts a report for all counters, or for one of them. */
  async add(report: CounterReport, only?: Counter): Promise<void> {
    for (const [counter, value] of await this.#valuesIn(report, only)) {
      this.#changes[counter.aggregate].add(counter, report, value);
    }
  }

  /**
   * Subtracts a report from sums.
   * @returns the maxima that the report may have set: values by the id of the counter
   */
  async subtract(report: CounterReport): Promise<Map<number, number>> {
    const maxima = new Map<number, number>();
    for (const [counter, value] of await this.#valuesIn(report)) {
      if (!hasCounted(counter, report.event)) continue;
      if (counter.aggregate === 'sum') this.#subtracted.add(counter, report, value);
      else maxima.set(counter.id, Math.max(value, maxima.get(counter.id) ?? 0));
    }
    return maxima;
  }

  take(): Sql[] {
    const { sum, max } = this.#changes;
    return [...additions('sum', sum.take()), ...additions('max', max.take()), ...subtractions(this.#subtracted.take())];
  }

  async #valuesIn({ mode, values }: CounterReport, only?: Counter): Promise<[Counter, number][]> {
    const declared = await this.declared();
    return values.flatMap((one) =>
      Object.entries(one).flatMap(([key, value]): [Counter, number][] => {
        const counter = declared.get(key);
        if (counter === undefined || !countsIn(counter, mode)) return [];
        return only === undefined || only.key === key ? [[counter, value]] : [];
      }),
    );
  }
}

/** Sums or maxima by counter, mode and player. */
export class CounterChanges {
  readonly #aggregate: Aggregate;
  readonly #rows = new Map<string, CounterRow>();

  constructor(aggregate: Aggregate) {
    this.#aggregate = aggregate;
  }

  /** Adds a value to the mode of its report and to `total`. */
  add({ id }: Counter, { mode, player }: Pick<CounterReport, 'mode' | 'player'>, value: number): void {
    this.#addTo(id, mode, player, value);
    this.#addTo(id, 'total', player, value);
  }

  /** The rows in the order of their keys. */
  take(): CounterRow[] {
    const rows = [...this.#rows.values()].sort(([a, m, p], [b, n, q]) => a - b || p - q || (m < n ? -1 : 1));
    this.#rows.clear();
    return rows;
  }

  #addTo(id: number, mode: CounterMode, player: number, value: number): void {
    const name = `${id} ${mode} ${player}`;
    const row = this.#rows.get(name);
    if (row === undefined) this.#rows.set(name, [id, mode, player, value]);
    else row[3] = this.#aggregate === 'sum' ? row[3] + value : Math.max(row[3], value);
  }
}
