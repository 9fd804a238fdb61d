import { counterByKey, deleteCounter, listCounters, saveCounter } from '#store/game/counters/counters.ts';
import { createJob } from '#store/jobs.ts';
import { type Effects, PLAIN_EFFECT } from './event-effect.ts';
import type { DataOf } from '../schema/index.ts';
import { type COUNTER_EVENTS, MAX_COUNTERS } from '../schema/counters.ts';
import { type EventContext, EventRejected } from '../ledger/unit-of-work.ts';
import { recountChunk, type RecountParams } from './recount.ts';

/**
 * Adds or changes a counter. If its aggregate or its modes change, all earlier reports are counted again: the first chunk
 * in this transaction, the others by a job.
 */
async function applyCounterDeclared(
  context: EventContext,
  { modes, ...data }: DataOf<'counter.declared'>,
): Promise<undefined> {
  const { work, key: event } = context;
  await work.flush();
  const before = await counterByKey(work.tx, data.key);
  if (before === undefined && (await listCounters(work.tx)).length >= MAX_COUNTERS)
    throw new EventRejected(
      'data.key',
      `is one more than the ${MAX_COUNTERS} counters of a network; remove another one`,
    );
  const sorted = [...new Set(modes)].sort();
  const isCounted = before?.aggregate === data.aggregate && before.modes.join() === sorted.join();
  const { id, counted } = isCounted ? before : { id: event, counted: 0 };
  await saveCounter(work.tx, { ...data, modes: sorted, id, counted });
  work.counters.forget();
  if (!isCounted) await recount(context, { key: data.key, id, dropped: before?.id });
}

/** Removes a counter with its sums. The reports stay: declaring it again counts them again. */
async function applyCounterRemoved(context: EventContext, { key }: DataOf<'counter.removed'>): Promise<undefined> {
  const { work } = context;
  await work.flush();
  const before = await counterByKey(work.tx, key);
  if (before === undefined) throw new EventRejected('data.key', 'is no counter of this network');
  await deleteCounter(work.tx, key);
  work.counters.forget();
  await recount(context, { key, dropped: before.id });
}

/** Does the first chunk of a recount, and adds a job for the rest. */
async function recount({ work }: EventContext, params: RecountParams): Promise<void> {
  const { isComplete } = await recountChunk(work, params);
  await work.flush();
  if (isComplete) return;
  await createJob(work.tx, work.now, { kind: 'counters', label: params.key, params });
}

export const COUNTER_EFFECTS: Effects<typeof COUNTER_EVENTS> = {
  'counter.declared': {
    ...PLAIN_EFFECT,
    apply: applyCounterDeclared,
    changes: [],
    retract: { reversedBy: 'counter.removed' },
  },
  'counter.removed': {
    ...PLAIN_EFFECT,
    apply: applyCounterRemoved,
    changes: [],
    retract: { reversedBy: 'counter.declared' },
  },
};
