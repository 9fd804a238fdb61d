import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import { type Counter, countsIn, labelIn } from '#store/game/counters/counters.ts';
import type { CounterMode, CounterValues } from '#store/game/counters/player-counters.ts';
import { GROUP_NAMES } from '#store/game/statistics-groups.ts';
import type { PageRequest } from '../page-request.ts';
import { heading } from './labels.ts';

/** A player's values of the network's own counters, one row a counter and one column a mode; empty without any. */
export function playerCountersSection(
  request: PageRequest,
  declared: readonly Counter[],
  values: ReadonlyMap<CounterMode, CounterValues>,
): Html {
  const { text, language, formats } = request;
  const groups = GROUP_NAMES.filter((group) => values.has(group));
  const shown = declared.filter(({ key }) => (values.get('total')?.[key] ?? 0) > 0);
  if (shown.length === 0) return html``;
  const names = [text.boards.modes.total, ...(groups.length > 1 ? groups.map((group) => text.groups[group]) : [])];
  const cells = (counter: Counter): string[] => {
    const cell = (mode: CounterMode): string =>
      mode === 'total' || countsIn(counter, mode) ? formats.number(values.get(mode)?.[counter.key] ?? 0) : '–';
    return [cell('total'), ...(groups.length > 1 ? groups.map(cell) : [])];
  };
  return html`<section aria-labelledby="counters">
    ${heading('counters', text.player.counters)}
    <div class="card scroll" tabindex="0" role="group" aria-label="${text.player.counters}">
      <table class="stats lines">
        <thead>
          <tr>
            <th scope="col">${text.player.counter}</th>
            ${names.map((name) => html`<th scope="col" class="n">${name}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${shown.map(
            (counter) =>
              html`<tr>
                <th scope="row">
                  <a href="/leaderboards?period=all&amp;by=${counter.key}"><bdi>${labelIn(counter, language)}</bdi></a>
                </th>
                ${cells(counter).map((cell, index) => html`<td class="n" data-label="${names[index]!}">${cell}</td>`)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}
