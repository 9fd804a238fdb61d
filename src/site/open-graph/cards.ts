import { hash } from 'node:crypto';
import { ByteCache } from '../byte-cache.ts';
import { Painter } from './painter.ts';

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
