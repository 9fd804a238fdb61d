import { z } from 'zod';
import { AGGREGATES } from '#store/game/counters/counters.ts';
import type { CounterValues } from '#store/game/counters/player-counters.ts';
import { METRICS } from '#store/game/leaderboards/leaderboards.ts';
import { COUNTERS, GROUP_NAMES } from '#store/game/statistics-groups.ts';
import { eventType, PLAIN } from './event-type.ts';
import { count, text } from './members.ts';

/** The form of a counter's key: `best_streak`. */
export const COUNTER_KEY = /^[a-z][a-z0-9_]{0,31}$/;
/** Maximum counters per player and event. */
export const MAX_COUNTERS = 64;
/** The largest plausible value in one event, if the declaration gives none. */
export const DEFAULT_MOST = 1_000_000;

const FORM = 'must begin with a small letter and have at most 32 small letters, digits and underscores';

/** Keys that a counter must not have: members of players, teams and field groups. */
const RESERVED: ReadonlySet<string> = new Set([
  ...Object.values(COUNTERS).flatMap(({ wire, from }) => (from === 'objectives' ? [] : wire)),
  // The orders of leaderboards.
  ...METRICS,
  ...['total', ...GROUP_NAMES],
]);

const key = z.string().regex(COUNTER_KEY, FORM);

export const counterValues = z
  .record(z.string(), count)
  .superRefine((values, ctx) => {
    const keys = Object.keys(values);
    if (keys.length > MAX_COUNTERS)
      ctx.addIssue({ code: 'custom', message: `must not have more than ${MAX_COUNTERS} members` });
    const wrong = keys.find((name) => !COUNTER_KEY.test(name));
    if (wrong !== undefined) ctx.addIssue({ code: 'custom', path: [wrong], message: FORM });
  })
  .meta({
    description: "Values of the network's own counters by key; those of unknown keys are stored, but not counted",
    propertyNames: { pattern: COUNTER_KEY.source },
    maxProperties: MAX_COUNTERS,
  });

/** The values of one player in an event, and the path to them. */
export interface ReportedCounters {
  uuid: string;
  path: string;
  values: CounterValues;
}

/** The rows of a player's values: one for the report, and two small ones (its mode, and all modes) for each value. */
export const rowsOfCounters = (values: CounterValues | undefined): number =>
  values === undefined ? 0 : 1 + Object.keys(values).length;

/** The values without zeros, which change nothing; undefined if none is left. */
export function withoutZeros(values: CounterValues): CounterValues | undefined {
  const entries = Object.entries(values).filter(([, value]) => value > 0);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

const declared = z.strictObject({
  key: key
    .refine((value) => !RESERVED.has(value), 'must not be the name of a fixed counter or of a field group')
    .meta({ description: 'The name of the counter in events and in the data API' }),
  label: z
    .strictObject({ en: text(64, 1), ja: text(64).default('') })
    .meta({ description: 'What players read, by language; without a Japanese one the English one' }),
  aggregate: z
    .enum(AGGREGATES)
    .default('sum')
    .meta({ description: 'sum: values are added up; max: the largest one counts' }),
  modes: z
    .array(z.enum(GROUP_NAMES as [(typeof GROUP_NAMES)[number], ...typeof GROUP_NAMES]))
    .max(GROUP_NAMES.length)
    .default([])
    .meta({ description: 'The field groups for whose gamemodes the counter counts; empty: all' }),
  most: count.min(1).default(DEFAULT_MOST).meta({ description: 'The largest value that is plausible in one event' }),
  order: z.int().min(-1_000_000).max(1_000_000).default(0).meta({ description: 'The place among all counters' }),
});

const removed = z.strictObject({ key });

export const COUNTER_EVENTS = {
  'counter.declared': eventType({
    description: 'A counter of the network, new or changed; from operators only',
    data: declared,
    example: { key: 'best_streak', label: { en: 'Best kill streak' }, aggregate: 'max' },
    ...PLAIN,
    sender: 'operators',
  }),
  'counter.removed': eventType({
    description: 'A counter that the network no longer has; from operators only',
    data: removed,
    example: { key: 'best_streak' },
    ...PLAIN,
    sender: 'operators',
  }),
};
