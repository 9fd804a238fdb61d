import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { codingFor } from './content-coding.ts';

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.jpg': 'image/jpeg',
  '.woff2': 'font/woff2',
};

const COMPRESSED = /^(text|image\/svg)/;

interface Asset {
  href: string;
  type: string;
  bytes: Uint8Array<ArrayBuffer>;
  compressed: Partial<Record<'br' | 'gzip', Promise<Uint8Array<ArrayBuffer>>>>;
}

/** Static files of pages. The URL of each contains a hash of its content, so that browsers may cache it forever. */
export class Assets {
  readonly #root: string;
  readonly #byName = new Map<string, Asset>();
  readonly #byHref = new Map<string, Asset>();

  /** @param root the path prefix of all URLs */
  constructor(root = '/assets/') {
    this.#root = root;
  }

  /** Adds a file. Its URL contains the name; the extension of the name determines the content type. */
  addFile(name: string, file: URL | string): this {
    return this.add(name, readFileSync(file));
  }

  add(name: string, content: string | Uint8Array): this {
    const bytes = Buffer.from(content);
    const extension = extname(name);
    const version = hash('sha256', bytes, 'base64url').slice(0, 12);
    const href = `${this.#root}${name.slice(0, -extension.length)}.${version}${extension}`;
    const asset: Asset = { href, type: TYPES[extension] ?? 'application/octet-stream', bytes, compressed: {} };
    this.#byName.set(name, asset);
    this.#byHref.set(href, asset);
    return this;
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  /** @throws Error if no file was added under the name */
  href(name: string): string {
    const asset = this.#byName.get(name);
    if (asset === undefined) throw new Error(`There is no asset ${name}`);
    return asset.href;
  }

  /** The response with the file at a path, compressed if `Accept-Encoding` allows it; undefined if there is none. */
  async answer(path: string, acceptEncoding: string | undefined): Promise<Response | undefined> {
    const asset = this.#byHref.get(path);
    if (asset === undefined) return undefined;
    const headers = new Headers({
      'content-type': asset.type,
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'same-origin',
    });
    if (!COMPRESSED.test(asset.type)) return new Response(asset.bytes, { headers });
    headers.set('vary', 'Accept-Encoding');
    const coding = codingFor(acceptEncoding, ['br', 'gzip']);
    if (coding === undefined) return new Response(asset.bytes, { headers });
    headers.set('content-encoding', coding);
    return new Response(await (asset.compressed[coding] ??= CODINGS[coding](asset.bytes)), { headers });
  }
}

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };
const CODINGS = {
  gzip: promisify(gzip),
  br: (bytes: Uint8Array) => promisify(brotliCompress)(bytes, BROTLI),
};
