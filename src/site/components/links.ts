import { hash } from 'node:crypto';
import { html } from 'hono/html';
import { HIDDEN } from '#store/game/hidden-in-matches.ts';
import type { Html } from '#http/page.ts';
import type { PageRequest } from '../page-request.ts';
import { hueClass } from './colours.ts';
import { idOf } from '#platform/ids.ts';
import type { MapSummary } from '#store/game/maps/maps.ts';

interface LinkedPlayer {
  uuid: string;
  name: string;
}

/** A player's name and picture, as a link to the player's page; for a hidden player a word. */
export function playerLink(request: PageRequest, { uuid, name }: LinkedPlayer, size = 24): Html {
  if (uuid === HIDDEN.uuid) return html`<span class="player soft">${request.text.player.hidden}</span>`;
  return html`<a class="player" href="/players/${uuid}">${playerIcon(request, uuid, size)}<bdi>${name}</bdi></a>`;
}

/** Marks a player against whom a ban is in force, beside the name. */
export const bannedBadge = ({ text }: PageRequest): Html => html` <span class="banned">${text.player.banned}</span>`;

/** The picture of a player: the head if the network shows heads (`HEADS_URL`), else an identicon. */
export function playerIcon({ deps }: PageRequest, uuid: string, size: number): Html {
  if (deps.config.HEADS_URL === '') return identicon(uuid, size);
  return html`<img
    class="identicon"
    src="/heads/${uuid}"
    width="${size}"
    height="${size}"
    alt=""
    loading="lazy"
    decoding="async"
  />`;
}

const SIDE = 7;

/** The filled cells of a UUID's identicon, which is mirrored at its middle column. */
export function identiconCells(uuid: string): [column: number, row: number][] {
  const bytes = hash('sha1', uuid, 'buffer');
  const cells: [number, number][] = [];
  for (let row = 0; row < SIDE; row++) {
    for (let column = 0; column < 4; column++) {
      const bit = row * 4 + column;
      if (((bytes[bit >> 3]! >> (bit & 7)) & 1) === 0) continue;
      cells.push([column, row]);
      if (column < 3) cells.push([SIDE - 1 - column, row]);
    }
  }
  return cells;
}

export function identicon(uuid: string, size: number): Html {
  const path = identiconCells(uuid).map(([column, row]) => `M${column} ${row}h1v1h-1z`);
  return html`<svg
    class="identicon ${hueClass(uuid)}"
    width="${size}"
    height="${size}"
    viewBox="-1 -1 9 9"
    aria-hidden="true"
  >
    <path class="back" d="M-1-1h9v9h-9z" />
    <path d="${path.join('')}" />
  </svg>`;
}

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
