import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { Assets } from './assets.ts';
import { inkOn, readableOn } from '#platform/text/colours.ts';
import type { Config } from '#platform/config/config.ts';
import { UsageError } from '#platform/errors.ts';

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
