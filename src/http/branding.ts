import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { Assets } from './assets.ts';
import { inkOn, readableOn } from '#platform/colours.ts';
import type { Config } from '#platform/config.ts';
import { UsageError } from '#platform/errors.ts';

const IMAGE_ENDS = ['.png', '.svg', '.webp', '.jpg'];
const BASE = new URL('./style/', import.meta.url);
const FONT = '@fontsource-variable/bricolage-grotesque/files/bricolage-grotesque-latin-wght-normal.woff2';

/**
 * What every door's pages look the same by: the base stylesheet with its font, the network's colours, logo and favicon.
 * A door adds its own files.
 * @param root the path below which the files lie; `/assets/` when left out
 * @throws UsageError where the logo cannot be read
 */
export function brandAssets(config: Config, root?: string): Assets {
  const assets = new Assets(root).addFile('font.woff2', new URL(import.meta.resolve(FONT)));
  const base = readFileSync(new URL('base.css', BASE), 'utf8').replace('FONT_URL', assets.href('font.woff2'));
  assets.add('base.css', `${base}\n${coloursOf(config)}`);
  assets.addFile('favicon.svg', new URL('favicon.svg', BASE));
  if (config.LOGO !== '') assets.add(`logo${endOf(config.LOGO)}`, read(config.LOGO));
  return assets;
}

/** The address of the network's logo; undefined where it has none. */
export function logoOf(assets: Assets): string | undefined {
  const name = IMAGE_ENDS.map((end) => `logo${end}`).find((name) => assets.has(name));
  return name === undefined ? undefined : assets.href(name);
}

/** What the stylesheet paints pages and cards on, in the light and in the dark. */
const GROUNDS = { light: ['#f6f3ec', '#fffdf8', '#ece7db'], dark: ['#12151c', '#1a1f29', '#242b38'] };

/** The network's colours as the stylesheet's variables, made readable where they are not. */
export function coloursOf({ ACCENT_COLOR, SECOND_COLOR }: Config): string {
  const themes = Object.entries(GROUNDS).map(([theme, grounds]) => {
    const accent = readableOn(grounds, ACCENT_COLOR);
    const second = readableOn(grounds, SECOND_COLOR);
    return `--accent-${theme}:${accent};--on-accent-${theme}:${inkOn(accent)};--second-${theme}:${second}`;
  });
  return `:root{${themes.join(';')}}`;
}

function endOf(path: string): string {
  const end = extname(path).toLowerCase().replace('.jpeg', '.jpg');
  if (!IMAGE_ENDS.includes(end)) throw new UsageError(`LOGO must be a PNG, SVG, WebP or JPEG file (it is "${path}").`);
  return end;
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`LOGO cannot be read: ${(error as Error).message}.`);
  }
}
