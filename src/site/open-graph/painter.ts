import { Worker } from 'node:worker_threads';
import { unavailable } from '#http/errors.ts';

type Png = Uint8Array<ArrayBuffer>;

/** Maximum drawings that wait; further ones are refused. One takes some 70 ms. */
const MAX_WAITING = 32;
const DRAWING_TIMEOUT_MS = 10_000;
/** The thread holds the font and the renderer, some 100 MB, so it ends while no links are shared. */
const IDLE_MS = 60_000;

interface Waiting {
  resolve: (png: Png) => void;
  reject: (error: unknown) => void;
}

/** Draws SVG as PNG in a separate thread, which starts with the first drawing. */
export class Painter {
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastId = 0;
  readonly #waiting = new Map<number, Waiting>();

  /** @throws HttpError 503 if too many drawings wait or the thread fails */
  async png(svg: string): Promise<Png> {
    if (this.#waiting.size >= MAX_WAITING) throw unavailable();
    const { promise, resolve, reject } = Promise.withResolvers<Png>();
    const id = ++this.#lastId;
    this.#waiting.set(id, { resolve, reject });
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#endAfter(DRAWING_TIMEOUT_MS);
    this.#worker.postMessage({ id, svg }, []);
    return await promise;
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    const worker = this.#worker;
    this.#fail(worker);
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL('./painter-worker.ts', import.meta.url));
    worker.on('message', ({ id, png }: { id: number; png: Png }) => {
      this.#waiting.get(id)?.resolve(png);
      this.#waiting.delete(id);
      if (this.#waiting.size > 0) return this.#endAfter(DRAWING_TIMEOUT_MS);
      worker.unref();
      this.#endAfter(IDLE_MS);
    });
    worker.on('error', () => this.#fail(worker));
    worker.on('exit', () => this.#fail(worker));
    return worker;
  }

  /** Ends the thread unless something happens until then: it is idle, or a drawing never ends. */
  #endAfter(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.close(), ms).unref();
  }

  /** Forgets a thread that has ended or is about to; the next drawing starts another. */
  #fail(worker: Worker | undefined): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(unavailable());
    this.#waiting.clear();
  }
}
