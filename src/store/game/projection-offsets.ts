import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** What is worked out behind the ingest, match after match in the order of their keys. */
export type Follower = 'boards';

/** How far it has come: the last match that is in, and what it was made for (days of a zone). */
export interface FollowState {
  last: number;
  made_for: string;
}

/** Takes the lock under which one at a time moves the state, or takes out what is in. */
export async function lockFollower(tx: Queryable, name: Follower): Promise<FollowState> {
  const state = await tx.get<FollowState>(
    sql`update projections set last = last where name = ${name} returning last, made_for`,
  );
  return state!;
}

export async function moveFollower(tx: Queryable, name: Follower, { last, made_for }: FollowState): Promise<void> {
  await tx.run(sql`update projections set last = ${last}, made_for = ${made_for} where name = ${name}`);
}
