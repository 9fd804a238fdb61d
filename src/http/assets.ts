import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { codingFor } from './content-coding.ts';
import { inkOn, readableOn } from '#platform/text/colours.ts';
import type { Config } from '#platform/config/config.ts';
import { UsageError } from '#platform/errors.ts';

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

const IMAGE_EXTENSIONS = ['.png', '.svg', '.webp', '.jpg'];
const BASE = new URL('./style/', import.meta.url);
const FONT = '@fontsource-variable/bricolage-grotesque/files/bricolage-grotesque-latin-wght-normal.woff2';

/**
 * The assets that the pages of all services share: base stylesheet with its font, the network's colours, logo, favicon and the
 * script of copy buttons.
 * A service adds its own files.
 * @param root the path prefix of the files; `/assets/` when omitted
 * @throws UsageError if the logo cannot be read
 */
export function brandAssets(config: Config, root?: string): Assets {
  const assets = new Assets(root).addFile('font.woff2', new URL(import.meta.resolve(FONT)));
  const base = readFileSync(new URL('base.css', BASE), 'utf8').replace('FONT_URL', assets.href('font.woff2'));
  assets.add('base.css', `${base}\n${colourVariables(config)}`);
  assets.addFile('favicon.svg', new URL('favicon.svg', BASE));
  assets.addFile('touch-icon.png', new URL('touch-icon.png', BASE));
  assets.addFile('copy.js', new URL('script/copy.js', import.meta.url));
  if (config.LOGO !== '') assets.add(`logo${logoExtension(config.LOGO)}`, read(config.LOGO));
  return assets;
}

/** The URL of the network's logo; undefined if it has none. */
export function logoUrl(assets: Assets): string | undefined {
  const name = IMAGE_EXTENSIONS.map((extension) => `logo${extension}`).find((name) => assets.has(name));
  return name === undefined ? undefined : assets.href(name);
}

/** The background colours of pages and cards in base.css. */
const BACKGROUNDS = { light: ['#f6f3ec', '#fffdf8', '#ece7db'], dark: ['#12151c', '#1a1f29', '#242b38'] };

/** The colour of the header, which phones give to the bar of the browser above it. */
export const HEADER_COLOURS = { light: BACKGROUNDS.light[1]!, dark: BACKGROUNDS.dark[1]! };

/** CSS variables with the network's colours, adjusted if their contrast with the backgrounds is too low. */
export function colourVariables({ ACCENT_COLOR, SECOND_COLOR }: Config): string {
  const themes = Object.entries(BACKGROUNDS).map(([theme, backgrounds]) => {
    const accent = readableOn(backgrounds, ACCENT_COLOR);
    const second = readableOn(backgrounds, SECOND_COLOR);
    return `--accent-${theme}:${accent};--on-accent-${theme}:${inkOn(accent)};--second-${theme}:${second}`;
  });
  return `:root{${themes.join(';')}}`;
}

function logoExtension(path: string): string {
  const extension = extname(path).toLowerCase().replace('.jpeg', '.jpg');
  if (!IMAGE_EXTENSIONS.includes(extension))
    throw new UsageError(`LOGO must be a PNG, SVG, WebP or JPEG file (it is "${path}").`);
  return extension;
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`LOGO cannot be read: ${(error as Error).message}.`);
  }
}
