import type { Context } from 'hono';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { codingFor } from '#http/content-coding.ts';
import { requestLanguage } from '#http/cookies.ts';
import { rateLimited } from '#http/errors.ts';
import { ByteCache } from './byte-cache.ts';
import { type Deps, type LivePage, PageRequest, type LiveParts } from './page-request.ts';
import type { SiteLimits } from './request-limits.ts';
import { html } from 'hono/html';
import { hash } from 'node:crypto';
import type { Html } from '#http/page.ts';

/** A page is rendered at most once in this time, for all browsers that show it. */
const FRESH_MS = 1_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** The live parts of a page, in one language. They are public: no session is read for them. */
interface Copy {
  etag: string;
  body: string;
  compressed?: Promise<Uint8Array<ArrayBuffer>>;
  /** When it was rendered, in epoch milliseconds. */
  time: number;
}

/** Handles a request for a page that follows what it shows. */
export type LivePageHandler = (request: PageRequest) => Promise<LivePage>;

/** `/live/…`: visible pages ask again for their live parts (`script/live.js`). */
export class Live {
  readonly #deps: Deps;
  readonly #limits: SiteLimits;
  readonly #copies = new ByteCache<Copy>(MAX_BYTES, ({ body }) => 2 * body.length);

  constructor(deps: Deps, limits: SiteLimits) {
    this.#deps = deps;
    this.#limits = limits;
  }

  /** @throws HttpError 404 if the page does not exist, 429 */
  async respond(c: Context, page: LivePageHandler, address: string): Promise<Response> {
    const request = pageRequest(c, this.#deps);
    const name = `${request.language} ${request.url.href}`;
    const known = c.req.header('if-none-match');
    const fresh = this.#fresh(name);
    if (fresh !== undefined && fresh.etag === known) return notModified(c, fresh, request);
    const seconds = await this.#limits.secondsToWaitForLive(address);
    if (seconds !== undefined) throw rateLimited(request.text.error.tooMany(String(seconds)), seconds * 1000);
    const copy = fresh ?? (await this.#limits.runPage(address, () => this.#current(name, page, request)));
    if (copy.etag === known) return notModified(c, copy, request);
    const headers = { ...headersOf(copy, request), 'content-type': 'application/json; charset=utf-8' };
    if (codingFor(c.req.header('accept-encoding'), ['gzip']) === undefined) return c.body(copy.body, 200, headers);
    const bytes = await (copy.compressed ??= compress(copy.body));
    return c.body(bytes, 200, { ...headers, 'content-encoding': 'gzip' });
  }

  #fresh(name: string): Copy | undefined {
    const copy = this.#copies.get(name);
    return copy !== undefined && Math.abs(this.#deps.clock.now() - copy.time) < FRESH_MS ? copy : undefined;
  }

  /** A fresh copy: one from memory, one that another request renders, or a new one. */
  async #current(name: string, page: LivePageHandler, request: PageRequest): Promise<Copy> {
    const render = async (): Promise<Copy> => {
      const time = request.now;
      const rendered = await renderParts((await page(request)).live);
      const etag = `W/"${rendered.version}"`;
      const before = this.#copies.get(name);
      return before?.etag === etag ? { ...before, time } : { etag, body: JSON.stringify(rendered), time };
    };
    return this.#fresh(name) ?? (await this.#copies.make(name, render));
  }
}

/** A request for the page itself, with the one parameter on which a part depends. */
function pageRequest(c: Context, deps: Deps): PageRequest {
  const language = requestLanguage(c.req.header(), c.req.query('lang'));
  const url = new URL(c.req.path.slice('/live'.length), deps.config.SITE_URL);
  const players = c.req.query('players') ?? '';
  if (/^\d{1,4}$/.test(players)) url.searchParams.set('players', players);
  return new PageRequest(deps, language, url, c.req.param());
}

const headersOf = ({ etag }: Copy, { language }: PageRequest): Record<string, string> => ({
  etag,
  'cache-control': 'public, max-age=0, must-revalidate',
  'content-language': language,
  vary: 'Accept-Language, Cookie, Accept-Encoding',
});

const notModified = (c: Context, copy: Copy, request: PageRequest): Response =>
  c.body(null, 304, headersOf(copy, request));

const compress = promisify(gzip);

/** `LiveParts` as text. Equal versions have equal parts. */
async function renderParts({ parts, says }: LiveParts) {
  const names = Object.keys(parts);
  const texts = await Promise.all(names.map(async (name) => (await parts[name])!.toString()));
  const rendered = Object.fromEntries(names.map((name, index) => [name, texts[index]!]));
  return { parts: rendered, says, version: hash('sha256', JSON.stringify(rendered), 'base64url').slice(0, 16) };
}

/**
 * Tells `script/live.js` which page to follow. It also announces changes.
 * @param path the path of the page with the query that its parts depend on
 */
export async function liveStatus(path: string, live: LiveParts): Promise<Html> {
  const { version } = await renderParts(live);
  return html`<p
    class="hidden"
    role="status"
    data-live="${path}"
    data-version="${version}"
    data-says="${live.says}"
  ></p>`;
}
