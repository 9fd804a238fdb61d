import { html } from 'hono/html';
import type { Html } from '#base/page.ts';
import type { Visit } from '../visit.ts';

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
export function modeName({ text }: Visit, gamemode: string): string {
  const known = GAMEMODES.find((mode) => mode === gamemode.toLowerCase());
  return known === undefined ? gamemode : text.gamemodes[known];
}

export function mode(visit: Visit, gamemode: string): Html {
  return html`<bdi>${modeName(visit, gamemode)}</bdi>`;
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
