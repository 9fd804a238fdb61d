import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.jpg': 'image/jpeg',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};

const COMPRESSED = /^(text|application\/json|image\/svg)/;

interface Asset {
  href: string;
  type: string;
  bytes: Uint8Array<ArrayBuffer>;
  coded: Partial<Record<'br' | 'gzip', Promise<Uint8Array<ArrayBuffer>>>>;
}

/** Files that pages refer to, each at an address that changes with its content, so that browsers keep it for good. */
export class Assets {
  readonly #root: string;
  readonly #byName = new Map<string, Asset>();
  readonly #byHref = new Map<string, Asset>();

  /** @param root the path below which all addresses lie */
  constructor(root = '/assets/') {
    this.#root = root;
  }

  /** Adds a file under a name, which its address shows; its end says the type. */
  addFile(name: string, file: URL | string): this {
    return this.add(name, readFileSync(file));
  }

  add(name: string, content: string | Uint8Array): this {
    const bytes = Uint8Array.from(typeof content === 'string' ? Buffer.from(content) : content);
    const end = extname(name);
    const href = `${this.#root}${name.slice(0, -end.length)}.${hash('sha256', bytes, 'base64url').slice(0, 12)}${end}`;
    const asset: Asset = { href, type: TYPES[end] ?? 'application/octet-stream', bytes, coded: {} };
    this.#byName.set(name, asset);
    this.#byHref.set(href, asset);
    return this;
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  /** @throws where no such file was added: a fault of ours */
  href(name: string): string {
    const asset = this.#byName.get(name);
    if (asset === undefined) throw new Error(`There is no asset ${name}`);
    return asset.href;
  }

  /** The answer to a request for a path; undefined where there is nothing. */
  async answer(path: string, acceptEncoding: string | undefined): Promise<Response | undefined> {
    const asset = this.#byHref.get(path);
    if (asset === undefined) return undefined;
    const headers = new Headers({
      'content-type': asset.type,
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    });
    if (!COMPRESSED.test(asset.type)) return new Response(asset.bytes, { headers });
    headers.set('vary', 'Accept-Encoding');
    const coding = (['br', 'gzip'] as const).find((name) => new RegExp(`\\b${name}\\b`).test(acceptEncoding ?? ''));
    if (coding === undefined) return new Response(asset.bytes, { headers });
    headers.set('content-encoding', coding);
    return new Response(await (asset.coded[coding] ??= CODINGS[coding](asset.bytes)), { headers });
  }
}

const compressed = { gzip: promisify(gzip), br: promisify(brotliCompress) };
const CODINGS = {
  gzip: async (bytes: Uint8Array) => Uint8Array.from(await compressed.gzip(bytes)),
  br: async (bytes: Uint8Array) =>
    Uint8Array.from(await compressed.br(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } })),
};
