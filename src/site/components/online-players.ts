import { html } from 'hono/html';
import { nameSegment } from '#platform/text/name-segment.ts';
import type { Html } from '#http/page.ts';
import type { PageRequest } from '../page-request.ts';

const SHOWN_NAMES = 100;

/**
 * The players on a server, folded.
 * @param shown the maximum number of names
 */
export function onlinePlayers(
  { text, formats }: PageRequest,
  players: string[],
  playerCount: number,
  shown = SHOWN_NAMES,
): Html {
  const hidden = playerCount - Math.min(players.length, shown);
  return html`<details class="names">
    <summary class="small">${text.home.who}</summary>
    <ul>
      ${players.slice(0, shown).map(
        (name) =>
          html`<li data-key="${name}">
            <a href="/players/${nameSegment(name)}"><bdi>${name}</bdi></a>
          </li>`,
      )}${hidden > 0 ? html`<li class="soft">${text.home.others(formats.number(hidden))}</li>` : ''}
    </ul>
  </details>`;
}
