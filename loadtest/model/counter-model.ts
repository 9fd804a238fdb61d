import type { Exported } from './exported.ts';

/** The report of an event about a player in a field group. */
export interface CounterReport {
  group: string;
  values: Record<string, number>;
}

interface Declared {
  aggregate: string;
  modes: string[];
}

/** The network's own counters: the last declaration of each applies to all reports, earlier ones too. */
export class CounterModel {
  readonly #declared = new Map<string, Declared>();

  constructor(events: readonly Exported[]) {
    for (const { type, data } of events) {
      if (type === 'counter.removed') this.#declared.delete(data.key as string);
      if (type !== 'counter.declared') continue;
      this.#declared.delete(data.key as string);
      this.#declared.set(data.key as string, data as Declared);
    }
  }

  /** The shown values of a match: those that count in its field group and are not zero. */
  shownIn(group: string, values: Record<string, number> = {}): Record<string, number> | undefined {
    const shown = Object.entries(values).filter(([key, value]) => value > 0 && this.#counts(key, group));
    return shown.length === 0 ? undefined : Object.fromEntries(shown);
  }

  /** The member `counters` of a player. */
  of(reports: readonly CounterReport[]): Record<string, Record<string, number>> {
    const groups = new Set(reports.map(({ group }) => group));
    const found: Record<string, Record<string, number>> = { total: {} };
    for (const group of ['total', ...groups]) {
      const values: Record<string, number> = {};
      for (const [key, { aggregate }] of this.#declared) {
        if (group !== 'total' && !this.#counts(key, group)) continue;
        const own = reports
          .filter((one) => (group === 'total' || one.group === group) && this.#counts(key, one.group))
          .map((one) => one.values[key] ?? 0);
        values[key] = aggregate === 'max' ? Math.max(0, ...own) : own.reduce((sum, value) => sum + value, 0);
      }
      if (group === 'total' || Object.values(values).some((value) => value > 0)) found[group] = values;
    }
    return found;
  }

  #counts(key: string, group: string): boolean {
    const counter = this.#declared.get(key);
    return counter !== undefined && (counter.modes.length === 0 || counter.modes.includes(group));
  }
}
