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

/** A value with its name, for a `<dl>`. @param more further `<dd>` elements */
export function figure(value: string, name: string, more: Html | '' = ''): Html {
  return html`<div class="figure">
    <dt>${name}</dt>
    <dd>${value}</dd>
    ${more}
  </div>`;
}

/** The address of a page, which `script/site.js` gives to the device to share, or copies. */
export const shareLink = ({ text, deps }: PageRequest, path: string): Html =>
  html`<a class="share" href="${deps.config.SITE_URL}${path}" data-share data-copied="${text.copied}" aria-live="polite"
    >${text.share}</a
  >`;

const time =
  (kind: 'ago' | 'local') =>
  ({ formats }: PageRequest, epochMs: number): Html =>
    html`<time datetime="${new Date(epochMs).toISOString()}" data-as="${kind}" title="${formats.exact(epochMs)}"
      >${formats.timestamp(epochMs)}</time
    >`;

/** A time in a list, in the network's time zone; `script/site.js` replaces it with a relative time (`5 minutes ago`). */
export const ago = time('ago');

/**
 * A prominent time in the network's time zone. `script/site.js` shows it in the reader's; the tooltip has the exact time in
 * the network's.
 */
export const timestamp = time('local');

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** A duration in milliseconds as `12:34` or `1:02:03`. */
export function stopwatch(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  return hours > 0
    ? `${hours}:${twoDigits(minutes)}:${twoDigits(seconds % 60)}`
    : `${minutes}:${twoDigits(seconds % 60)}`;
}
