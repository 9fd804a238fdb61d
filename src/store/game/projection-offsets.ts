import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** What is worked out behind the ingest, match after match in the order of their keys. */
export type Projection = 'boards';

/** How far it has come: the last match that is in, and what it was made for (days of a zone). */
export interface ProjectionOffset {
  last: number;
  made_for: string;
}

/** Takes the lock under which one at a time moves the state, or takes out what is in. */
export async function lockProjection(tx: Queryable, name: Projection): Promise<ProjectionOffset> {
  const state = await tx.get<ProjectionOffset>(
    sql`update projections set last = last where name = ${name} returning last, made_for`,
  );
  return state!;
}

export async function advanceProjection(
  tx: Queryable,
  name: Projection,
  { last, made_for }: ProjectionOffset,
): Promise<void> {
  await tx.run(sql`update projections set last = ${last}, made_for = ${made_for} where name = ${name}`);
}
