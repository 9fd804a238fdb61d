import { hash } from 'node:crypto';
import { ByteCache } from './byte-cache.ts';
import { Worker } from 'node:worker_threads';
import { unavailable } from '#http/errors.ts';

type Png = Uint8Array<ArrayBuffer>;

const CACHE_BYTES = 32 * 1024 * 1024;
/** Part of every entity tag; a change of font or renderer draws all cards again. */
const RENDER_VERSION = 2;

/** Share cards (Open Graph images), drawn once for each content and cached by it, so that a cached card is never stale. */
export class Cards {
  readonly #painter = new Painter();
  readonly #cache = new ByteCache<Png>(CACHE_BYTES, (png) => png.length);

  /** The response with a card, or 304 without drawing it. Other caches ask each time: people on it may be private or erased since. */
  async response(svg: string, ifNoneMatch: string | undefined): Promise<Response> {
    const etag = `"${hash('sha256', `${RENDER_VERSION} ${svg}`, 'base64url').slice(0, 22)}"`;
    const headers = { 'cache-control': 'public, max-age=0, must-revalidate', etag };
    if (ifNoneMatch === etag) return new Response(null, { status: 304, headers });
    const png = this.#cache.get(etag) ?? (await this.#cache.make(etag, () => this.#painter.png(svg)));
    return new Response(png, { headers: { ...headers, 'content-type': 'image/png' } });
  }

  async close(): Promise<void> {
    await this.#painter.close();
  }
}

/** Maximum drawings that wait; further ones are refused. One takes some 70 ms. */
const MAX_WAITING = 32;
const DRAWING_TIMEOUT_MS = 10_000;
/** The thread holds the font and the renderer, some 100 MB, so it ends while no links are shared. */
const IDLE_MS = 60_000;

/** Draws SVG as PNG in a separate thread, which starts with the first drawing. */
export class Painter {
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastId = 0;
  readonly #waiting = new Map<number, PromiseWithResolvers<Png>>();

  /** @throws HttpError 503 if too many drawings wait or the thread fails */
  async png(svg: string): Promise<Png> {
    if (this.#waiting.size >= MAX_WAITING) throw unavailable();
    const drawn = Promise.withResolvers<Png>();
    const id = ++this.#lastId;
    this.#waiting.set(id, drawn);
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#endAfter(DRAWING_TIMEOUT_MS);
    this.#worker.postMessage({ id, svg }, []);
    return await drawn.promise;
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    const worker = this.#worker;
    this.#fail(worker);
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL('./open-graph/painter-worker.ts', import.meta.url));
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
