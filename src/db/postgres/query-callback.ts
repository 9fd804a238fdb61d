import type pg from 'pg';

export type CallbackQuery = string | pg.QueryConfig | pg.QueryArrayConfig;

/** A connection, or a pool of them. */
type Connection = Pick<pg.ClientBase, 'query'>;

/** As pg's types have it: rows are arrays where the question says so, and objects else. */
export interface QueryCallback {
  rows: unknown[];
  rowCount: number | null;
}

/**
 * The answer to a statement, without the promise that pg makes where it is given no callback. pg assigns that promise's
 * function to the statement as it writes it (`query.callback = () => …`), and V8 takes a function that is assigned so for
 * part of a class and makes it old at once: all that the statement leaves behind would hang on it, and grow old too, until
 * everything is swept.
 *
 * An error was made where the server's word was read, and does not tell who asked.
 */
export function queryWithCallback(client: Connection, asked: CallbackQuery): Promise<QueryCallback> {
  const { promise, resolve, reject } = Promise.withResolvers<QueryCallback>();
  client.query(asked as pg.QueryConfig, (error: Error | null | undefined, result: QueryCallback) => {
    if (error) reject(error);
    else resolve(result);
  });
  return promise;
}
