import { html } from 'hono/html';
import { idOf } from '#platform/ids.ts';
import type { Html } from '#http/page.ts';
import type { MapSummary } from '#store/game/map-summaries.ts';
import { hueOf } from './colours.ts';

/** The address of a map's picture, which changes with the picture. */
export function mapImagePath(key: number, hash: string): string {
  return `/maps/${idOf(key)}/image?v=${hash.slice(0, 12)}`;
}

/** A map's picture in a box of the stylesheet's size; a map without one has a box in a hue of its own. */
export function thumb(sign: MapSummary | undefined, size: 'small' | 'card' | 'hero', eager = false): Html {
  if (sign === undefined || sign.image === null) {
    return html`<span class="thumb ${size} ${hueOf(sign?.name ?? '?')}" aria-hidden="true"></span>`;
  }
  return html`<span class="thumb ${size}"
    ><img src="${mapImagePath(sign.key, sign.image)}" alt="" ${eager ? '' : html`loading="lazy" `}decoding="async"
  /></span>`;
}
