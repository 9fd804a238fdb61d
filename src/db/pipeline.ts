import { Socket } from 'node:net';
import pg from 'pg';
import { messageSocket } from './whole-messages.ts';

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

  async query(query: pg.QueryArrayConfig): Promise<pg.QueryArrayResult> {
    this.#turn = (this.#turn + 1) % this.#lines.length;
    const { client, socket } = await (this.#lines[this.#turn] ??= this.#connect(this.#turn));
    sendTogether(socket);
    try {
      return await answerTo(client, query);
    } catch (error) {
      // It was made where the server's word was read; whoever looks for its cause looks for who asked.
      Error.captureStackTrace(error as Error);
      throw error;
    }
  }

  async close(): Promise<void> {
    const open = this.#lines.splice(0).filter((line) => line !== undefined);
    await Promise.allSettled(open.map(async (line) => (await line).client.end()));
  }

  async #connect(place: number): Promise<Line> {
    const forget = (): void => void (this.#lines[place] = undefined);
    let socket!: Socket;
    const stream = ({ ssl }: { ssl?: unknown }): Socket => (socket = ssl ? new Socket() : messageSocket());
    const client = new pg.Client({ ...this.#config, stream: stream as () => Socket });
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

/**
 * The answer to a read, without the promise that pg makes where it is given no callback. pg assigns that promise's function
 * to the read as it writes it (`query.callback = () => …`), and V8 takes a function that is assigned so for part of a class
 * and makes it old at once: all that a read leaves behind would hang on it, and grow old too, until everything is swept.
 */
function answerTo(client: pg.Client, query: pg.QueryArrayConfig): Promise<pg.QueryArrayResult> {
  const { promise, resolve, reject } = Promise.withResolvers<pg.QueryArrayResult>();
  client.query(query, (error: Error | null, result) => (error === null ? resolve(result) : reject(error)));
  return promise;
}

/** What is written in one turn of the event loop goes out in one piece. */
function sendTogether(socket: Socket): void {
  if (socket.writableCorked > 0) return;
  socket.cork();
  setImmediate(() => socket.uncork());
}
