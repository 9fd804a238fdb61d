import type { Socket } from 'node:net';
import { type QueryResult, type CallbackQuery, queryWithCallback } from './query-callback.ts';
import type { SupervisedClient } from './supervisor.ts';

interface Place {
  connection: Promise<SupervisedClient> | undefined;
  /** The number of queries without a result. */
  queries: number;
}

/**
 * Sends short reads over two connections without waiting for earlier results (pipelining), which takes a third of the CPU
 * time of checking connections out of a pool. A slow read would delay those behind it, so it belongs on the pool. The second
 * connection opens with the first read that would wait for another one.
 */
export class Pipeline {
  readonly #open: () => SupervisedClient;
  readonly #places: readonly [Place, Place] = [
    { connection: undefined, queries: 0 },
    { connection: undefined, queries: 0 },
  ];

  /** @param open returns a client in pipeline mode */
  constructor(open: () => SupervisedClient) {
    this.#open = open;
  }

  async query(query: CallbackQuery): Promise<QueryResult> {
    const [first, second] = this.#places;
    const place = second.queries < first.queries ? second : first;
    place.queries++;
    try {
      const client = await (place.connection ??= this.#connect(place));
      corkForThisTurn(client.socket);
      return await queryWithCallback(client, query);
    } finally {
      place.queries--;
    }
  }

  async close(): Promise<void> {
    const open = this.#places.map(({ connection }) => connection).filter((connection) => connection !== undefined);
    for (const place of this.#places) place.connection = undefined;
    await Promise.allSettled(open.map(async (connection) => (await connection).end()));
  }

  #connect(place: Place): Promise<SupervisedClient> {
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
