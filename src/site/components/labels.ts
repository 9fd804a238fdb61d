import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import { GAMEMODE_NAMES } from '#store/game/statistics-groups.ts';
import type { PageRequest } from '../page-request.ts';

/** The name of a gamemode in the reader's language; an unknown gamemode as the server reported it. */
export function modeName({ text }: PageRequest, gamemode: string): string {
  const translated = GAMEMODE_NAMES.find((mode) => mode === gamemode.toLowerCase());
  return translated === undefined ? gamemode : text.gamemodes[translated];
}

export function modeLabel(request: PageRequest, gamemode: string): Html {
  return html`<bdi>${modeName(request, gamemode)}</bdi>`;
}

/** "Red won". Only the name is isolated: a name from right to left would turn the words around. */
export function won({ text }: PageRequest, name: string): Html {
  const [before, after] = text.match.won;
  return html`${before}<bdi>${name}</bdi>${after}`;
}

/** A section heading, optionally with a link to the full list. */
export function heading(id: string, title: string, more?: { href: string; label: string }): Html {
  return html`<div class="heading">
    <h2 id="${id}">${title}</h2>
    ${more === undefined ? '' : html`<a href="${more.href}">${more.label}</a>`}
  </div>`;
}

/** A value with its name, for a `<dl>`. */
export function figure(value: string, name: string): Html {
  return html`<div class="figure">
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}
