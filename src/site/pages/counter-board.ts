import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import { pager } from '#http/pager.ts';
import { idOf } from '#platform/ids.ts';
import { type Counter, labelIn } from '#store/game/counters/counters.ts';
import { type CounterLeader, counterLeaders } from '#store/game/counters/player-counters.ts';
import { MODES } from '#store/game/leaderboards/leaderboards.ts';
import { boardFilters, boardStart } from '#site/components/board-filters.ts';
import { PAGE_SIZE } from '#site/components/pager.ts';
import { playerLink } from '#site/components/player-link.ts';
import type { PageContent, PageRequest } from '#site/page-request.ts';

/** `/leaderboards?by=KEY`: the players with the highest values of one of the network's own counters, of all time. */
export async function counterBoardPage(
  request: PageRequest,
  counter: Counter,
  declared: readonly Counter[],
): Promise<PageContent> {
  const { text, db, deps, language } = request;
  const mode = request.choice('mode', MODES);
  const start = boardStart(request);
  const found = await counterLeaders(db, { counter: counter.id, mode, after: start?.entry, limit: PAGE_SIZE + 1 });
  const rows = found.slice(0, PAGE_SIZE);
  const rank = start?.rank ?? 0;
  const last = rows.at(-1);
  const hasNext = found.length > PAGE_SIZE && last !== undefined;
  const next = hasNext ? `${last.value}.${idOf(last.key)}.${rank + PAGE_SIZE}` : undefined;
  const title = text.boards.counterTitle(labelIn(counter, language), text.boards.modes[mode]);
  return {
    title,
    description: text.boards.description(deps.config.NETWORK_NAME),
    path: request.link({}),
    section: 'leaderboards',
    noIndex: start !== undefined,
    kind: 'boards',
    main: html`<h1>${title}</h1>
      ${boardFilters(request, { mode, period: 'all', metric: counter.key, declared })}
      ${rows.length === 0 ? html`<p class="soft">${text.boards.none}</p>` : table(request, counter, rows, rank)}
      ${pager(request.url, text.pager, next, 'behind')}`,
  };
}

function table(request: PageRequest, counter: Counter, rows: readonly CounterLeader[], rank: number): Html {
  const { text, formats, language } = request;
  const label = labelIn(counter, language);
  return html`<div class="card scroll" tabindex="0" role="group" aria-label="${text.sections.leaderboards}">
    <table class="board lines">
      <thead>
        <tr>
          <th scope="col" class="n">#</th>
          <th scope="col">${text.columns.player}</th>
          <th scope="col" class="n"><bdi>${label}</bdi></th>
        </tr>
      </thead>
      <tbody>
        ${rows.map((row, index) => {
          const place = rank + index + 1;
          return html`<tr${place <= 3 ? html` class="top top-${place}"` : ''}><td class="n rank">${formats.number(place)}</td><th scope="row">${playerLink(request, row, 28)}</th><td class="n main" data-label="${label}">${formats.number(row.value)}</td></tr>\n`;
        })}
      </tbody>
    </table>
  </div>`;
}
