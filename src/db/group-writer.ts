import { type Batcher, batcher } from '#platform/streams/turns.ts';
import type { Db } from './db.ts';
import type { Sql } from './sql.ts';

/**
 * Group commit: combines the single-statement writes of concurrent requests into one transaction, which needs one fsync.
 * Each promise resolves when its statement is committed. Use it only for independent statements that do not fail
 * (inserts with random keys): one failing statement fails the whole group.
 */
export type GroupWriter = Pick<Batcher<Sql, void>, 'add'>;

export const groupWriter = (db: Db): GroupWriter =>
  batcher({
    async run(batch) {
      await db.runAll(batch.map(({ item }) => item));
      for (const { resolve } of batch) resolve();
    },
  });
