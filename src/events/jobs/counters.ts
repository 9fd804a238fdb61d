import { recountChunk, type RecountParams } from '../handlers/recount.ts';
import type { ChunkRunner } from '../ledger/chunk.ts';

/** Counts the reports of earlier events for a newly declared counter, and deletes the sums of a removed one. */
export const countersChunk: ChunkRunner = async (work, job) => {
  const { changes, isComplete } = await recountChunk(work, JSON.parse(job.params) as RecountParams);
  return { cursor: {}, done: changes, isComplete, mayPause: true };
};
