import { Socket } from 'node:net';
import pg from 'pg';
import { type QueryCallback, type CallbackQuery, queryWithCallback } from './query-callback.ts';

interface Line {
  client: pg.Client;
  socket: Socket;
}

/**
 * Two connections on which short reads follow each other without waiting for answers: a third of the CPU time of a pool
 * that hands connections out and back. A read that takes long would hold up those behind it, so it belongs on the pool.
 */
export class Pipeline {
  readonly #config: pg.ClientConfig;
  readonly #lines: (Promise<Line> | undefined)[] = [undefined, undefined];
  #turn = 0;

  constructor(config: pg.ClientConfig) {
    this.#config = { ...config, pipeline: true };
  }

  async query(asked: CallbackQuery): Promise<QueryCallback> {
    this.#turn = (this.#turn + 1) % this.#lines.length;
    const { client, socket } = await (this.#lines[this.#turn] ??= this.#connect(this.#turn));
    sendTogether(socket);
    return await queryWithCallback(client, asked);
  }

  async close(): Promise<void> {
    const open = this.#lines.splice(0).filter((line) => line !== undefined);
    await Promise.allSettled(open.map(async (line) => (await line).client.end()));
  }

  async #connect(place: number): Promise<Line> {
    const forget = (): void => void (this.#lines[place] = undefined);
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

/** What is written in one turn of the event loop goes out in one piece. */
function sendTogether(socket: Socket): void {
  if (socket.writableCorked > 0) return;
  socket.cork();
  setImmediate(() => socket.uncork());
}
