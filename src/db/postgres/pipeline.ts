import type { Socket } from 'node:net';
import type { Client } from './connections.ts';
import { type QueryResult, type CallbackQuery, queryWithCallback } from './query-callback.ts';

interface Place {
  connection: Promise<Client> | undefined;
  /** The number of queries without a result. */
  queries: number;
  /** Ends the connection if no result arrives for this time while a query waits. */
  readonly deadline: NodeJS.Timeout;
}

/**
 * Sends short reads over two connections without waiting for earlier results (pipelining), which takes a third of the CPU
 * time of checking connections out of a pool. A slow read would delay those behind it, so it belongs on the pool. The second
 * connection opens with the first read that would wait for another one.
 *
 * The queries of a connection share one timer: `query_timeout` of pg takes a timer and a function for each query, which is
 * a tenth of the CPU time of a small read.
 */
export class Pipeline {
  readonly #open: () => Client;
  readonly #places: readonly [Place, Place];
  #isClosed = false;

  constructor(open: () => Client, timeoutMs: number) {
    this.#open = open;
    this.#places = [this.#place(timeoutMs), this.#place(timeoutMs)];
  }

  /** @throws Error after `close`: another connection would never be closed, and keep the process alive */
  async query(query: CallbackQuery): Promise<QueryResult> {
    if (this.#isClosed) throw new Error('A query was sent after the database was closed.');
    const [first, second] = this.#places;
    const place = second.queries < first.queries ? second : first;
    if (place.queries++ === 0) place.deadline.refresh();
    try {
      const client = await (place.connection ??= this.#connect(place));
      corkForThisTurn(client.socket);
      return await queryWithCallback(client, query);
    } finally {
      place.queries--;
      place.deadline.refresh();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const open = this.#places.map(({ connection }) => connection).filter((connection) => connection !== undefined);
    for (const place of this.#places) {
      clearTimeout(place.deadline);
      place.connection = undefined;
    }
    await Promise.allSettled(open.map(async (connection) => (await connection).end()));
  }

  #place(timeoutMs: number): Place {
    const end = async (): Promise<void> => {
      if (place.queries > 0) (await place.connection)?.socket.destroy(new Error('Query read timeout'));
    };
    const deadline = setTimeout(() => void end().catch(() => undefined), timeoutMs).unref();
    const place: Place = { connection: undefined, queries: 0, deadline };
    return place;
  }

  #connect(place: Place): Promise<Client> {
    const client = this.#open();
    const connection = client.connect().then(() => client);
    // Not a newer connection: this one may end after it was replaced.
    const forget = (): void => {
      if (place.connection === connection) place.connection = undefined;
    };
    client.on('error', forget);
    client.on('end', forget);
    connection.catch(forget);
    return connection;
  }
}

/** Sends the queries of one event-loop turn in one write. */
function corkForThisTurn(socket: Socket): void {
  if (socket.writableCorked > 0) return;
  socket.cork();
  setImmediate(() => socket.uncork());
}
