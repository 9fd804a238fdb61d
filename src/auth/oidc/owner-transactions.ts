import { batcher } from '#platform/streams/batcher.ts';
import type { Db, Queryable } from '#db/db.ts';
import { lockTokens, type TokenOwner } from '#store/applications/live-tokens.ts';

/** Maximum work of one transaction, so that it holds neither the lock nor the thread for long. */
const MAX_GROUP = 32;

interface OwnerWork {
  owner: TokenOwner;
  work(tx: Queryable): Promise<void>;
  /** See `TransactionOptions`. */
  durable: boolean;
}

/**
 * Runs the transactions that lock the tokens of an owner. What arrives while one of them runs is combined into the next
 * one, so that an owner occupies one connection of the pool: its own requests would only wait for the lock on the others,
 * and all other requests for a connection.
 *
 * The work of a transaction fails as a whole: use it for statements that fail only together with the database.
 */
export function ownerTransactions(db: Pick<Db, 'transaction'>): (work: OwnerWork) => Promise<void> {
  return batcher<OwnerWork>({
    key: ({ owner }) => `${owner.clientId ?? ''} ${owner.accountId ?? ''}`,
    choose: (waiting) => waiting.slice(0, MAX_GROUP),
    async run(batch) {
      const durable = batch.some(({ item }) => item.durable);
      const runAll = async (tx: Queryable): Promise<void> => {
        await lockTokens(tx, batch[0]!.item.owner);
        for (const { item } of batch) await item.work(tx);
      };
      await db.transaction(runAll, { durable });
      for (const { resolve } of batch) resolve();
    },
  }).add;
}
