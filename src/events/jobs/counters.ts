import { recountPortion, type RecountParams } from '../handlers/recount.ts';
import type { Work } from '../ledger/portion.ts';

/** Counts the reports of earlier events for a counter that was declared since, and deletes the sums of a removed one. */
export const countersPortion: Work = async (batch, job) => {
  const { changes, isComplete } = await recountPortion(batch, JSON.parse(job.params) as RecountParams);
  return { cursor: {}, done: changes, isComplete, mayPause: true };
};
