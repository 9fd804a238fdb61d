import type { MigrationTx, Transaction } from './db.ts';

/** Runs work as a part of an open transaction. If it fails, what it changed is undone, and the rest of the transaction can continue. */
export async function asPart<T>(tx: MigrationTx, work: (tx: Transaction) => Promise<T>): Promise<T> {
  await tx.script('savepoint part');
  try {
    const result = await work(tx);
    await tx.script('release savepoint part');
    return result;
  } catch (error) {
    // Without effect if the whole transaction is over, as after the loss of the connection.
    await tx.script('rollback to savepoint part; release savepoint part').catch(() => undefined);
    throw error;
  }
}
