import { allAs, getAs, type Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import type { Group } from '../statistics-groups.ts';

/** The counters that a network declares in addition to the fixed ones. */

export const AGGREGATES = ['sum', 'max'] as const;
export type Aggregate = (typeof AGGREGATES)[number];

export interface CounterLabel {
  en: string;
  /** Empty if there is none. */
  ja: string;
}

export interface Counter {
  key: string;
  /** The key of the event that last declared its way of counting, which identifies its values. */
  id: number;
  /** Reports of events up to this key are counted, and those of events after `id`. */
  counted: number;
  label: CounterLabel;
  aggregate: Aggregate;
  /** The groups of gamemodes for which it counts; empty: all. */
  modes: Group[];
  /** The largest plausible value in one event. */
  most: number;
  order: number;
}

type CounterRow = Omit<Counter, 'label' | 'modes' | 'order'> &
  Record<'label_en' | 'label_ja' | 'modes', string> & { sort_order: number };

const COUNTERS = sql`
  select key, id, counted, label_en, label_ja, aggregate, modes, most, sort_order from counters`;

/** All counters in the order in which they are shown. */
export const listCounters = (db: Queryable): Promise<Counter[]> =>
  allAs(db, sql`${COUNTERS} order by sort_order, key`, toCounter);

export const counterByKey = (db: Queryable, key: string): Promise<Counter | undefined> =>
  getAs(db, sql`${COUNTERS} where key = ${key}`, toCounter);

function toCounter({ label_en: en, label_ja: ja, modes, sort_order: order, ...row }: CounterRow): Counter {
  return { ...row, label: { en, ja }, modes: modes === '' ? [] : (modes.split(',') as Group[]), order };
}

export async function saveCounter(tx: Queryable, counter: Counter): Promise<void> {
  const { key, id, counted, label, aggregate, modes, most, order } = counter;
  await tx.run(sql`
    insert into counters (key, id, counted, label_en, label_ja, aggregate, modes, most, sort_order)
    values (${key}, ${id}, ${counted}, ${label.en}, ${label.ja}, ${aggregate}, ${modes.join(',')}, ${most}, ${order})
    on conflict (key) do update set id = excluded.id, counted = excluded.counted, label_en = excluded.label_en,
      label_ja = excluded.label_ja, aggregate = excluded.aggregate, modes = excluded.modes, most = excluded.most,
      sort_order = excluded.sort_order`);
}

export async function deleteCounter(tx: Queryable, key: string): Promise<void> {
  await tx.run(sql`delete from counters where key = ${key}`);
}

export async function saveCounted(tx: Queryable, key: string, counted: number): Promise<void> {
  await tx.run(sql`update counters set counted = ${counted} where key = ${key}`);
}

export const countsIn = ({ modes }: Counter, mode: Group): boolean => modes.length === 0 || modes.includes(mode);

/**
 * Whether the values of an event are counted already, because a new counter counts earlier events one after another.
 */
export const hasCounted = ({ id, counted }: Counter, event: number): boolean => event > id || event <= counted;

/** The label in a language, or else in English. */
export const labelIn = ({ label }: Counter, language: string): string =>
  language === 'ja' && label.ja !== '' ? label.ja : label.en;
