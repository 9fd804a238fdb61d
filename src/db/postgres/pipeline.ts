import { Socket } from 'node:net';
import pg from 'pg';
import { type QueryResult, type CallbackQuery, queryWithCallback } from './query-callback.ts';

interface PipelinedConnection {
  client: pg.Client;
  socket: Socket;
}

/**
 * Sends short reads over two connections without waiting for earlier results (pipelining), which takes a third of the CPU
 * time of checking connections out of a pool. A slow read would delay those behind it, so it belongs on the pool.
 */
export class Pipeline {
  readonly #config: pg.ClientConfig;
  readonly #connections: (Promise<PipelinedConnection> | undefined)[] = [undefined, undefined];
  #next = 0;

  constructor(config: pg.ClientConfig) {
    this.#config = { ...config, pipeline: true };
  }

  async query(query: CallbackQuery): Promise<QueryResult> {
    this.#next = (this.#next + 1) % this.#connections.length;
    const { client, socket } = await (this.#connections[this.#next] ??= this.#connect(this.#next));
    corkForThisTurn(socket);
    return await queryWithCallback(client, query);
  }

  async close(): Promise<void> {
    const open = this.#connections.splice(0).filter((connection) => connection !== undefined);
    await Promise.allSettled(open.map(async (connection) => (await connection).client.end()));
  }

  async #connect(place: number): Promise<PipelinedConnection> {
    const forget = (): void => void (this.#connections[place] = undefined);
    const socket = new Socket();
    const client = new pg.Client({ ...this.#config, stream: () => socket });
    client.on('error', forget);
    client.on('end', forget);
    try {
      await client.connect();
    } catch (error) {
      forget();
      throw error;
    }
    return { client, socket };
  }
}

/** Sends the queries of one event-loop turn in one write. */
function corkForThisTurn(socket: Socket): void {
  if (socket.writableCorked > 0) return;
  socket.cork();
  setImmediate(() => socket.uncork());
}
