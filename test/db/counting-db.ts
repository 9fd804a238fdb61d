import { setImmediate } from 'node:timers/promises';
import type { Db, Queryable, Transaction } from '#db/db.ts';
import { isSelect, type Sql } from '#db/sql.ts';

export interface Counted {
  db: Db;
  /** The number of rows that each transaction changed. */
  changes: number[];
  /** The number of rows that writing statements of each transaction returned. */
  returned: number[];
  /** Transactions that began in the same turn of the event loop as the one before. */
  withoutYield: number;
}

/** Counts the rows that transactions change, and whether the event loop had a turn between them. */
export function counting(db: Db): Counted {
  const counted: Counted = { db, changes: [], returned: [], withoutYield: 0 };
  let hadTurn = true;
  const countRun = (tx: Queryable, query: Sql): Promise<number> =>
    tx.run(query).then((changed) => (counted.changes.push(counted.changes.pop()! + changed), changed));
  const countingTx = (tx: Transaction): Transaction =>
    new Proxy(tx, {
      get(target, name) {
        if (name === 'run') return (query: Sql) => countRun(target, query);
        if (name === 'runAll') {
          return async (queries: readonly Sql[]) => {
            await Promise.all(queries.map((query) => countRun(target, query)));
          };
        }
        if (name === 'tuples') {
          return async (query: Sql) => {
            const rows = await target.tuples(query);
            if (!isSelect(query)) counted.returned.push(counted.returned.pop()! + rows.length);
            return rows;
          };
        }
        if (name === 'transaction')
          return (work: Parameters<Transaction['transaction']>[0]) => work(countingTx(target));
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  const transaction: Db['transaction'] = (work) => {
    counted.changes.push(0);
    counted.returned.push(0);
    if (!hadTurn) counted.withoutYield++;
    hadTurn = false;
    void setImmediate().then(() => (hadTurn = true));
    return db.transaction((tx) => work(countingTx(tx)));
  };
  counted.db = new Proxy(db, {
    get(target, name) {
      if (name === 'transaction') return transaction;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return counted;
}
