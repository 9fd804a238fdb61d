import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** Data that is derived from matches asynchronously, in the order of their keys. */
export type Projection = 'boards';

/** The position of a projection. */
export interface ProjectionOffset {
  /** The key of the last match that is counted. */
  last: number;
  /** The setting that the projection depends on: the time zone of its days. */
  made_for: string;
}

/** Takes the lock of a projection, which every transaction that counts or subtracts matches needs. */
export async function lockProjection(tx: Queryable, name: Projection): Promise<ProjectionOffset> {
  const offset = await tx.get<ProjectionOffset>(
    sql`update projections set last = last where name = ${name} returning last, made_for`,
  );
  return offset!;
}

export async function advanceProjection(
  tx: Queryable,
  name: Projection,
  { last, made_for }: ProjectionOffset,
): Promise<void> {
  await tx.run(sql`update projections set last = ${last}, made_for = ${made_for} where name = ${name}`);
}
