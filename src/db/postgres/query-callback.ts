import type pg from 'pg';

export type CallbackQuery = (pg.QueryConfig | pg.QueryArrayConfig) & { query_timeout?: number };

/** A connection, or a pool of them. */
type Connection = Pick<pg.ClientBase, 'query'>;

/** A result of pg: rows are arrays if the query has `rowMode: 'array'`, else objects. */
export interface QueryResult {
  rows: unknown[];
  rowCount: number | null;
}

export type SendQuery = (query: CallbackQuery) => Promise<QueryResult>;

/**
 * Runs a query with a callback in place of the promise that pg makes without one. pg assigns that promise's resolver to
 * the query (`query.callback = () => …`), and V8 allocates a function that is assigned to a property like this in the old
 * generation, as if it were a method of a class. Everything that the query references would then also be promoted and
 * stay until a major garbage collection.
 *
 * The stack of an error begins where pg reads the server's message and does not show the caller.
 */
export function queryWithCallback(client: Connection, query: CallbackQuery): Promise<QueryResult> {
  const { promise, resolve, reject } = Promise.withResolvers<QueryResult>();
  client.query(query as pg.QueryConfig, (error: Error | null | undefined, result: QueryResult) => {
    if (error) reject(error);
    else resolve(result);
  });
  return promise;
}
