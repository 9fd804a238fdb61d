import { COUNTER_EVENTS } from '#events/schema/counters.ts';
import { reportAsOperator } from '#events/ingest/operator-events.ts';
import type { Counter } from '#store/game/counters/counters.ts';
import { withoutFields } from './fields.ts';
import { operation, rejection } from './operation.ts';

/** Declares a counter, or changes one. */
export const setCounter = operation({
  name: 'counter.set',
  subject: (_: undefined, __: unknown, { key, label }: { key: string; label: { en: string } }) => ({
    subject: key,
    label: label.en,
  }),
  fields: COUNTER_EVENTS['counter.declared'].data,
  who: 'operator',
  loss: 'none',
  reauthenticate: 'never',
  changes: [],
  impact: undefined,
  run: async ({ tx, clock }, _: undefined, data) =>
    rejection(await reportAsOperator(tx, clock, { type: 'counter.declared', data })),
  detail: ({ aggregate, modes, most, order, label }) => ({
    ...{ aggregate, modes: modes.join(','), most, order, label_ja: label.ja },
  }),
});

/** Removes a counter; its reported values stay stored. */
export const deleteCounter = operation({
  name: 'counter.delete',
  subject: ({ key, label }: Counter) => ({ subject: key, label: label.en }),
  ...withoutFields,
  who: 'operator',
  loss: 'restorable',
  reauthenticate: 'never',
  changes: [],
  impact: undefined,
  run: async ({ tx, clock }, { key }) =>
    rejection(await reportAsOperator(tx, clock, { type: 'counter.removed', data: { key } })),
});
