import { html } from 'hono/html';
import { idOf } from '#platform/ids.ts';
import type { Html } from '#http/page.ts';
import type { MapSummary } from '#store/game/maps/maps.ts';
import { hueClass } from './colours.ts';

/** The start of an image's hash; in the address it lets clients cache the image permanently. */
export const imageVersion = (hash: string): string => hash.slice(0, 12);

/** The path of a map's image, which changes with the image; undefined for a map without one. */
export function mapImagePath(summary: MapSummary | undefined): string | undefined {
  if (summary === undefined || summary.image === null) return undefined;
  return `/maps/${idOf(summary.key)}/image?v=${imageVersion(summary.image)}`;
}

/** The name of a map, with a link if the map is known. */
export const mapLink = (name: string, summary: MapSummary | undefined): Html =>
  summary === undefined ? html`<bdi>${name}</bdi>` : html`<a href="/maps/${idOf(summary.key)}"><bdi>${name}</bdi></a>`;

/** A map's image in a box of the given size; for a map without an image, a box in the hue of its name. */
export function thumb(summary: MapSummary | undefined, size: 'small' | 'card' | 'hero', eager = false): Html {
  const path = mapImagePath(summary);
  if (path === undefined) {
    return html`<span class="thumb ${size} ${hueClass(summary?.name ?? '?')}" aria-hidden="true"></span>`;
  }
  return html`<span class="thumb ${size}"
    ><img src="${path}" alt="" ${eager ? '' : html`loading="lazy" `}decoding="async"
  /></span>`;
}
