import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** Counts end here, so that each reads a few rows of an index. */
export const MAX_COUNTED = 100;

/** What waits for operators, each number at most `MAX_COUNTED`. */
export interface WaitingTasks {
  /** Requests, changes and suspended applications. */
  decisions: number;
  /** Jobs that run, wait, are paused or have failed. */
  jobs: number;
}

export async function countWaitingTasks(db: Queryable): Promise<WaitingTasks> {
  const [requests, changes, suspended, jobs] = (await db.tuple(sql`
    select
      (select count(*) from (select 1 from access_requests where state = 'waiting' limit ${MAX_COUNTED}) r),
      (select count(*) from (select 1 from application_changes limit ${MAX_COUNTED}) c),
      (select count(*) from (select 1 from applications where suspended is not null limit ${MAX_COUNTED}) s),
      (select count(*) from (select 1 from jobs where finished is null limit ${MAX_COUNTED}) j)`)) as number[];
  return { decisions: Math.min(requests! + changes! + suspended!, MAX_COUNTED), jobs: jobs! };
}
