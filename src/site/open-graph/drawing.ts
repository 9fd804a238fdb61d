import { html } from 'hono/html';
import { mix, readableOn } from '#platform/text/colours.ts';
import type { UploadedImage } from '#platform/uploaded-image.ts';
import type { Html } from '#http/page.ts';
import { hueColours, hueClass } from '#site/components/colours.ts';
import { identiconCells } from '#site/components/links.ts';
import { CARD_SIZE, type PageRequest } from '../page-request.ts';
import { familyOf, fitted } from './font.ts';

export const BACKGROUND = '#151925';
export const FOREGROUND = '#f4f1ea';
export const SOFT = '#a9b2c1';
export const MARGIN = 48;
export const INNER_WIDTH = CARD_SIZE.width - 2 * MARGIN;

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
  return html`<text x="${x}" y="${y}" font-family="${familyOf(text)}" font-size="${size}" fill="${colour}"
    >${shown}</text
  >`;
}

export function box(x: number, y: number, width: number, height: number, colour: string): Html {
  return html`<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${colour}" />`;
}

interface Frame {
  /** A picture behind the content, darkened where words are. */
  behind?: UploadedImage | undefined;
  withName?: boolean;
}

/** A card with the network's name and a border in its accent colour around the content. */
export async function frame(
  { deps: { config } }: PageRequest,
  content: Html,
  { behind, withName = true }: Frame = {},
): Promise<string> {
  const accent = readableOn([BACKGROUND], config.ACCENT_COLOR);
  const { width, height } = CARD_SIZE;
  const squares = Array.from({ length: width / 30 }, (_, column) => {
    const [upper, lower] =
      column % 2 === 0 ? [accent, mix(accent, BACKGROUND, 0.6)] : [mix(accent, BACKGROUND, 0.35), accent];
    return html`${box(column * 30, 0, 30, 15, upper)}${box(column * 30, 15, 30, 15, lower)}`;
  });
  const name = { x: MARGIN, y: 96, width: INNER_WIDTH, colour: accent, sizes: [48, 32] };
  const svg = await html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    ${box(0, 0, width, height, BACKGROUND)}${behind === undefined ? '' : backdrop(behind)}${squares}${withName ? line(config.NETWORK_NAME, name) : ''}${content}
  </svg>`;
  return svg.toString();
}

const stop = (offset: number, opacity: number): Html =>
  html`<stop offset="${offset}" stop-color="${BACKGROUND}" stop-opacity="${opacity}" />`;

/** A picture that is dark at the left and at the bottom, where the words are. */
function backdrop(picture: UploadedImage): Html {
  const { width, height } = CARD_SIZE;
  return html`${pictureIn(picture, 0, 0, width, height)}
    <defs>
      <linearGradient id="left">${stop(0.2, 0.9)}${stop(0.9, 0.1)}</linearGradient>
      <linearGradient id="bottom" x2="0" y2="1">${stop(0.5, 0.1)}${stop(0.75, 0.9)}</linearGradient>
    </defs>
    ${box(0, 0, width, height, 'url(#left)')}${box(0, 0, width, height, 'url(#bottom)')}`;
}

const MAX_PIXELS = 2_048;

/** Whether the renderer can read a picture, and needs little memory for it: a PNG of at most 2048 pixels a side. */
export function isDrawable({ content_type, bytes }: UploadedImage): boolean {
  if (content_type !== 'image/png' || bytes.length < 24) return false;
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return [16, 20].every((place) => header.getUint32(place) <= MAX_PIXELS);
}

function pictureIn(
  { content_type, bytes }: UploadedImage,
  left: number,
  top: number,
  width: number,
  height: number,
): Html {
  const address = `data:${content_type};base64,${Buffer.from(bytes).toString('base64')}`;
  return html`<image
    x="${left}"
    y="${top}"
    width="${width}"
    height="${height}"
    preserveAspectRatio="xMidYMid slice"
    image-rendering="optimizeSpeed"
    href="${address}"
  />`;
}

/** The face of a player, a square: the head if the network shows heads, else the identicon. */
export async function face(
  { deps }: PageRequest,
  uuid: string,
  left: number,
  top: number,
  side: number,
): Promise<Html> {
  const head = deps.config.HEADS_URL === '' ? undefined : await deps.heads.of(uuid);
  if (head !== undefined && isDrawable(head)) return pictureIn(head, left, top, side, side);
  return identiconOn(uuid, left, top, side / 9);
}

function identiconOn(uuid: string, left: number, top: number, side: number): Html {
  const { front, behind } = hueColours(hueClass(uuid));
  const cells = identiconCells(uuid).map(([column, row]) =>
    box(left + (column + 1) * side, top + (row + 1) * side, side, side, front),
  );
  return html`${box(left, top, 9 * side, 9 * side, behind)}${cells}`;
}
