import { html } from 'hono/html';
import { mix, readableOn } from '#platform/text/colours.ts';
import type { Html } from '#http/page.ts';
import { hueColours, hueClass } from '#site/components/colours.ts';
import { identiconCells } from '#site/components/player-link.ts';
import { CARD_SIZE, type PageRequest } from '../page-request.ts';
import { fitted, FONT_FAMILY } from './font.ts';

export const BACKGROUND = '#151925';
export const FOREGROUND = '#f4f1ea';
export const SOFT = '#a9b2c1';
export const MARGIN = 48;
export const INNER_WIDTH = CARD_SIZE.width - 2 * MARGIN;

/** From this size on, lines of one pixel of the font look thin; a stroke makes them bold. */
const BOLD_SIZE = 64;

interface Line {
  x: number;
  /** The baseline. */
  y: number;
  width: number;
  colour: string;
  /** Largest first, multiples of 16. */
  sizes: readonly number[];
}

/** One line of text in the largest size that fits. */
export function line(text: string, { x, y, width, colour, sizes }: Line): Html {
  const { text: shown, size } = fitted(text, width, sizes);
  const stroke = size >= BOLD_SIZE ? html` stroke="${colour}" stroke-width="${size / 24}"` : '';
  return html`<text x="${x}" y="${y}" font-size="${size}" fill="${colour}" ${stroke}>${shown}</text>`;
}

export function box(x: number, y: number, width: number, height: number, colour: string): Html {
  return html`<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${colour}" />`;
}

/** A card with the network's name and a border in its accent colour around the content. */
export async function frame({ deps: { config } }: PageRequest, content: Html, withName = true): Promise<string> {
  const accent = readableOn([BACKGROUND], config.ACCENT_COLOR);
  const { width, height } = CARD_SIZE;
  const squares = Array.from({ length: width / 30 }, (_, column) => {
    const [upper, lower] =
      column % 2 === 0 ? [accent, mix(accent, BACKGROUND, 0.6)] : [mix(accent, BACKGROUND, 0.35), accent];
    return html`${box(column * 30, 0, 30, 15, upper)}${box(column * 30, 15, 30, 15, lower)}`;
  });
  const name = { x: MARGIN, y: 104, width: INNER_WIDTH, colour: accent, sizes: [48, 32] };
  const svg = await html`<svg
    xmlns="http://www.w3.org/2000/svg"
    width="${width}"
    height="${height}"
    font-family="${FONT_FAMILY}"
  >
    ${box(0, 0, width, height, BACKGROUND)}${squares}${withName ? line(config.NETWORK_NAME, name) : ''}${content}
  </svg>`;
  return svg.toString();
}

export function identiconOn(uuid: string, left: number, top: number, side: number): Html {
  const { front, behind } = hueColours(hueClass(uuid));
  const cells = identiconCells(uuid).map(([column, row]) =>
    box(left + (column + 1) * side, top + (row + 1) * side, side, side, front),
  );
  return html`${box(left, top, 9 * side, 9 * side, behind)}${cells}`;
}
