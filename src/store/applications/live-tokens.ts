import { batcher } from '#platform/streams/turns.ts';
import type { Db, Queryable } from '#db/db.ts';
import { type Sql, sql } from '#db/sql.ts';

/**
 * The tokens of one kind that an application has for itself (`accountId` null) or for one account; with `clientId` null, the
 * sessions of an account.
 */
export interface TokenOwner {
  kind: string;
  clientId: string | null;
  accountId: string | null;
}

/**
 * Maximum tokens deleted per statement, so that a database with far more than the limit reaches it in short
 * transactions.
 */
const BATCH_SIZE = 100;

/**
 * Locks the tokens of an application and account until the transaction ends, so that concurrent transactions do not
 * both count the same tokens. Lock them before any row of `tokens`.
 */
export async function lockTokens(tx: Queryable, { clientId, accountId }: TokenOwner): Promise<void> {
  // SQLite runs one writing transaction at a time. PostgreSQL has no row to lock before the first token.
  if (tx.remote)
    await tx.tuple(sql`
      select pg_advisory_xact_lock(hashtextextended(${`tokens ${clientId ?? ''} ${accountId ?? ''}`}, 0))`);
}

/**
 * Deletes the tokens beyond the limit, first those that expire first; of a grant all tokens. Call it after
 * `lockTokens`.
 * @param newest the hash of the token that has just been stored, which stays even if it expires before all others
 */
export async function endExcessTokens(
  tx: Queryable,
  { kind, clientId, accountId }: TokenOwner,
  newest: string,
  limit: number,
): Promise<void> {
  const client: Sql = clientId === null ? sql`client_id is null` : sql`client_id = ${clientId}`;
  const account: Sql = accountId === null ? sql`account_id is null` : sql`account_id = ${accountId}`;
  const ended = await endExcess(tx, sql`${client} and kind = ${kind} and ${account}`, newest, limit);
  if (kind !== 'Grant') return;
  for (const { hash } of ended) await tx.run(sql`delete from tokens where grant_id = ${hash}`);
}

/** The same for the unfinished requests that a network or an application has opened. */
export async function endExcessRequests(tx: Queryable, opener: string, newest: string, limit: number): Promise<void> {
  await endExcess(tx, sql`opener = ${opener}`, newest, limit);
}

const endExcess = (tx: Queryable, counted: Sql, newest: string, limit: number): Promise<{ hash: string }[]> =>
  tx.all(sql`
    delete from tokens where (hash, kind) in (
      select hash, kind from tokens where ${counted} and hash <> ${newest}
      order by expires desc limit ${BATCH_SIZE} offset ${limit - 1})
    returning hash`);

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
