import { UsageError } from '#platform/errors.ts';
import { COUNTER_EVENTS } from '#events/schema/counters.ts';
import { reportAsOperator } from '#events/ingest/operator-events.ts';
import { AGGREGATES, type Counter, counterByKey } from '#store/game/counters/counters.ts';
import { GROUP_NAMES } from '#store/game/statistics-groups.ts';
import { withoutFields } from './fields.ts';
import { ofOperators, operation, rejection, type Target } from './operation.ts';

const byKey: Target<Counter> = {
  option: 'key',
  value: 'VALUE',
  help: 'The key of the counter in events and in the data API, like best_streak',
  find: async (db, key) => {
    const counter = await counterByKey(db, key);
    if (counter === undefined) throw new UsageError(`There is no counter ${key}.`);
    return counter;
  },
};

export const setCounter = operation({
  ...ofOperators,
  name: 'counter.set',
  summary: 'Declare or change a counter; one that counts in another way then is counted again',
  subject: (_: undefined, __: unknown, { key, label }: { key: string; label: { en: string } }) => ({
    subject: key,
    label: label.en,
  }),
  fields: COUNTER_EVENTS['counter.declared'].data,
  options: {
    key: byKey.help,
    label: { value: 'TEXT', help: 'The name that players read, in English' },
    aggregate: { value: AGGREGATES.join('|'), help: 'sum (the default) adds values up; max keeps the largest one' },
    modes: {
      value: 'LIST',
      help: `The field groups for whose gamemodes it counts, with commas, or all (the default): ${GROUP_NAMES.join(', ')}`,
    },
    most: { value: 'N', help: 'The largest value that is plausible in one event (default: 1000000)' },
    order: { value: 'N', help: 'The position in lists (default: 0)' },
  },
  run: async ({ tx, clock }, _: undefined, data) =>
    rejection(await reportAsOperator(tx, clock, { type: 'counter.declared', data })),
  detail: ({ aggregate, modes, most, order, label }) => ({
    ...{ aggregate, modes: modes.join(','), most, order, label_ja: label.ja },
  }),
});

export const deleteCounter = operation({
  ...ofOperators,
  name: 'counter.delete',
  summary: 'Remove a counter; what servers reported stays stored, and declaring it again counts it again',
  target: byKey,
  subject: ({ key, label }: Counter) => ({ subject: key, label: label.en }),
  ...withoutFields,
  loss: 'restorable',
  run: async ({ tx, clock }, { key }) =>
    rejection(await reportAsOperator(tx, clock, { type: 'counter.removed', data: { key } })),
});
