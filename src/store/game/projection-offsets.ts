import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** The position of the leaderboards, which are derived from matches in the order of their keys. */
interface ProjectionOffset {
  /** The key of the last match that is counted. */
  last: number;
  /** The setting that the leaderboards depend on: the time zone of their days. */
  made_for: string;
}

/** Takes the lock of the leaderboards, which every transaction that counts or subtracts matches needs. */
export async function lockProjection(tx: Queryable): Promise<ProjectionOffset> {
  const offset = await tx.get<ProjectionOffset>(
    sql`update projections set last = last where name = 'boards' returning last, made_for`,
  );
  return offset!;
}

export async function advanceProjection(tx: Queryable, { last, made_for }: ProjectionOffset): Promise<void> {
  await tx.run(sql`update projections set last = ${last}, made_for = ${made_for} where name = 'boards'`);
}
