import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import type { PageRequest } from '../page-request.ts';

/** Gamemodes that have a name beside their short one. */
export const GAMEMODES = [
  'ctw',
  'dtc',
  'dtm',
  'ctf',
  'cp',
  'koth',
  'tdm',
  'blitz',
  'rage',
  'bowspleef',
  'tntrun',
  'paintball',
  'splatt',
] as const;

export type Gamemode = (typeof GAMEMODES)[number];

/** A gamemode by its name in the reader's language; one that is not known, as it was told. */
export function modeName({ text }: PageRequest, gamemode: string): string {
  const known = GAMEMODES.find((mode) => mode === gamemode.toLowerCase());
  return known === undefined ? gamemode : text.gamemodes[known];
}

export function mode(request: PageRequest, gamemode: string): Html {
  return html`<bdi>${modeName(request, gamemode)}</bdi>`;
}

/** A heading with a link to all of what stands below it. */
export function heading(id: string, words: string, more?: { href: string; words: string }): Html {
  return html`<div class="heading">
    <h2 id="${id}">${words}</h2>
    ${more === undefined ? '' : html`<a href="${more.href}">${more.words}</a>`}
  </div>`;
}

/** A figure with its name. */
export function figure(value: string, name: string): Html {
  return html`<div class="figure">
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}
