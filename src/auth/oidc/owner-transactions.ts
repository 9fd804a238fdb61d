import type { Db, Queryable } from '#db/db.ts';
import { lockTokens, type TokenOwner } from '#store/applications/live-tokens.ts';

/** The work that one transaction combines at most, so that it holds neither the lock nor the thread for long. */
const MAX_GROUP = 32;

type Work = (tx: Queryable) => Promise<void>;

interface PendingWork {
  work: Work;
  durable: boolean;
  settle: () => void;
  fail: (error: unknown) => void;
}

/**
 * Runs the transactions that lock the tokens of an owner. What arrives while one of them runs is combined into the next
 * one, so that an owner occupies one connection of the pool: its own requests would only wait for the lock on the others,
 * and all other requests for a connection.
 */
export class OwnerTransactions {
  readonly #db: Pick<Db, 'transaction'>;
  /** The pending work of each owner with a running transaction. */
  readonly #pending = new Map<string, PendingWork[]>();

  constructor(db: Pick<Db, 'transaction'>) {
    this.#db = db;
  }

  /**
   * Runs the work after `lockTokens`, in one transaction with other work of this owner, which fails as a whole: use it for
   * statements that fail only together with the database.
   * @param durable see `TransactionOptions`
   */
  run(owner: TokenOwner, durable: boolean, work: Work): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const name = `${owner.clientId ?? ''} ${owner.accountId ?? ''}`;
    const next: PendingWork = { work, durable, settle: resolve, fail: reject };
    const pending = this.#pending.get(name);
    if (pending === undefined) void this.#runFrom(name, owner, next);
    else pending.push(next);
    return promise;
  }

  async #runFrom(name: string, owner: TokenOwner, first: PendingWork): Promise<void> {
    const pending = [first];
    this.#pending.set(name, pending);
    while (pending.length > 0) await this.#transact(owner, pending.splice(0, MAX_GROUP));
    this.#pending.delete(name);
  }

  async #transact(owner: TokenOwner, group: readonly PendingWork[]): Promise<void> {
    const durable = group.some((each) => each.durable);
    const runAll = async (tx: Queryable): Promise<void> => {
      await lockTokens(tx, owner);
      for (const { work } of group) await work(tx);
    };
    try {
      await this.#db.transaction(runAll, { durable });
      for (const { settle } of group) settle();
    } catch (error) {
      for (const { fail } of group) fail(error);
    }
  }
}
