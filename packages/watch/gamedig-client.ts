import { isIPv4 } from 'node:net';
import { Worker } from 'node:worker_threads';
import type { GamedigReply, GamedigRequest } from './gamedig-worker.ts';
import { type GameStatus, PollFailed } from './status.ts';

// A missing package fails here, and not in the thread, which would look like servers that do not answer.
import.meta.resolve('gamedig');

const MEMORY_MB = 128;
/** Added to the timeout of a poll, so that the thread can report its own timeouts. */
const GRACE_MS = 2_000;

interface AddressesRequest extends Omit<GamedigRequest, 'id' | 'host'> {
  addresses: readonly string[];
}

interface Waiting {
  resolve(status: GameStatus): void;
  reject(error: PollFailed): void;
  timer: NodeJS.Timeout;
}

/**
 * Polls by the library gamedig in a separate thread, which starts with the first poll: its parsers, one of which
 * decompresses, read untrusted input. A thread that does not answer in time is stopped, and the next poll starts
 * another one.
 */
export class GamedigClient implements AsyncDisposable {
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #nextId = 0;

  /** Polls the addresses one after another until one answers. @throws PollFailed */
  async poll({ addresses, timeoutMs, ...request }: AddressesRequest): Promise<GameStatus> {
    // The library sends from an IPv4 socket.
    const usable = addresses.filter(isIPv4);
    let failure = new PollFailed('unreachable');
    for (const host of usable) {
      try {
        return await this.#pollAddress({ ...request, host, timeoutMs: timeoutMs / usable.length });
      } catch (error) {
        if (!(error instanceof PollFailed)) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  async #pollAddress(request: Omit<GamedigRequest, 'id'>): Promise<GameStatus> {
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<GameStatus>();
    const timer = setTimeout(() => void this.#stop(), request.timeoutMs + GRACE_MS);
    this.#waiting.set(id, { resolve, reject, timer });
    this.#worker ??= this.#start();
    this.#worker.postMessage({ id, ...request } satisfies GamedigRequest, []);
    return await promise;
  }

  #start(): Worker {
    const worker = new Worker(new URL('./gamedig-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    worker.on('message', (reply: GamedigReply) => this.#answer(reply));
    // The event `exit` follows.
    worker.on('error', () => undefined);
    worker.on('exit', () => this.#ended(worker));
    worker.unref();
    return worker;
  }

  #answer(reply: GamedigReply): void {
    const waiting = this.#waiting.get(reply.id);
    if (waiting === undefined) return;
    this.#waiting.delete(reply.id);
    clearTimeout(waiting.timer);
    if ('status' in reply) waiting.resolve(reply.status);
    else waiting.reject(new PollFailed(reply.error));
  }

  #ended(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const waiting of this.#waiting.values()) {
      clearTimeout(waiting.timer);
      waiting.reject(new PollFailed('timeout'));
    }
    this.#waiting.clear();
  }

  async #stop(): Promise<void> {
    await this.#worker?.terminate();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
  }
}
