import { hash } from 'node:crypto';
import { ByteCache } from '../byte-cache.ts';
import type { ShareCards } from '../page-request.ts';
import { Painter } from './painter.ts';

type Png = Uint8Array<ArrayBuffer>;

const CACHE_BYTES = 32 * 1024 * 1024;
/** Part of every entity tag; a change of font or renderer draws all cards again. */
const RENDER_VERSION = 1;

/** Share cards (Open Graph images), drawn once for each content and cached by it, so that a cached card is never stale. */
export class Cards implements ShareCards {
  readonly #painter = new Painter();
  readonly #cache = new ByteCache<Png>(CACHE_BYTES);
  readonly #drawings = new Map<string, Promise<Png>>();

  /** The response with a card, or 304 without drawing it. */
  async response(svg: string, ifNoneMatch: string | undefined): Promise<Response> {
    const etag = `"${hash('sha256', `${RENDER_VERSION} ${svg}`, 'base64url').slice(0, 22)}"`;
    const headers = { 'cache-control': 'public, max-age=3600', etag };
    if (ifNoneMatch === etag) return new Response(null, { status: 304, headers });
    const png = await this.#png(etag, svg);
    return new Response(png, { headers: { ...headers, 'content-type': 'image/png' } });
  }

  async close(): Promise<void> {
    await this.#painter.close();
  }

  /** Requests for a card that is being drawn wait for that drawing. */
  async #png(etag: string, svg: string): Promise<Png> {
    const cached = this.#cache.get(etag);
    if (cached !== undefined) return cached;
    const running = this.#drawings.get(etag);
    if (running !== undefined) return await running;
    const drawing = this.#painter.png(svg).finally(() => this.#drawings.delete(etag));
    this.#drawings.set(etag, drawing);
    const png = await drawing;
    this.#cache.set(etag, png, png.length);
    return png;
  }
}
