import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import { type Counter, countsIn, labelIn } from '#store/game/counters/counters.ts';
import type { CounterMode, CounterValues } from '#store/game/counters/player-counters.ts';
import { counterTotal, type FactionStanding, type Stats } from '#store/game/player-stats.ts';
import { countersIn, countersOf, type Group, GROUP_NAMES } from '#store/game/statistics-groups.ts';
import type { PageRequest } from '../page-request.ts';
import { heading } from './labels.ts';
import { numberCells, numberHeads, table } from './table.ts';

export type Total = Record<'play' | 'win' | 'lose' | 'draw' | 'kill' | 'death' | 'time', number>;

/** The counters of a player, summed over all mode groups. */
export function totalOf(stats: Stats): Total {
  const [play, win, lose] = [counterTotal(stats, 'play'), counterTotal(stats, 'win'), counterTotal(stats, 'lose')];
  return {
    ...{ play, win, lose, draw: play - win - lose },
    kill: counterTotal(stats, 'kill'),
    death: counterTotal(stats, 'death'),
    time: counterTotal(stats, 'time'),
  };
}

/** Counters that only some groups have. */
const MODE_COUNTERS = countersIn('page');

/** A player's counters, one row per mode group with any non-zero counter. */
export function statsTable(request: PageRequest, stats: Stats, standing: FactionStanding): Html {
  const { text } = request;
  const { columns } = text;
  const groups = GROUP_NAMES.filter((group) => Object.values(stats[group]).some((count) => count !== 0));
  if (groups.length === 0) return html`<p class="soft">${text.player.noStats}</p>`;
  return table({
    label: text.player.byMode,
    kind: 'stats lines',
    head: html`<th scope="col">${columns.mode}</th>
      ${numberHeads(namesOf(request))}
      <th scope="col">${columns.others}</th>`,
    rows: groups.map((group) => row(request, group, stats[group], standing)),
  });
}

function namesOf({ text: { columns } }: PageRequest): string[] {
  return [
    ...[columns.matches, columns.wins, columns.draws, columns.winShare],
    ...[columns.kills, columns.deaths, columns.ratio, columns.time],
  ];
}

function row(request: PageRequest, group: Group, counts: Record<string, number>, standing: FactionStanding): Html {
  const { text, formats } = request;
  const names = namesOf(request);
  const { play, win, lose, kill, death, time = 0 } = counts;
  const number = (value: number | undefined): string => (value === undefined ? '–' : formats.number(value));
  const decided = win === undefined || lose === undefined ? 0 : win + lose;
  const draws = play === undefined ? undefined : play - decided;
  const winRate = decided === 0 ? '–' : formats.percent(win! / decided);
  const ratio = kill === undefined ? '–' : formats.ratio(kill / Math.max(1, death ?? 0));
  const cells = [
    ...[number(play), number(win), number(draws), winRate],
    ...[number(kill), number(death), ratio, formats.duration(time)],
  ];
  return html`<tr>
    <th scope="row">${text.groups[group]}</th>
    ${numberCells(names, cells)}
    <td class="small whole">${modeCounters(request, group, counts, standing)}</td>
  </tr>`;
}

/** The counters that only this mode group has; the faction and its power for factions. */
function modeCounters(
  request: PageRequest,
  group: Group,
  counts: Record<string, number>,
  standing: FactionStanding,
): Html {
  const { text, formats } = request;
  if (group === 'factions') {
    return html`<bdi>${standing.faction}</bdi>
      <span class="soft">${text.player.power} ${formats.number(standing.power)}</span>`;
  }
  const shown = MODE_COUNTERS.filter((counter) => countersOf(group).includes(counter));
  return html`${shown.map((counter) => text.modeCounters[counter](formats.number(counts[counter]!))).join(' · ')}`;
}

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
    ${table({
      label: text.player.counters,
      kind: 'stats lines',
      head: html`<th scope="col">${text.player.counter}</th>
        ${numberHeads(names)}`,
      rows: shown.map(
        (counter) =>
          html`<tr>
            <th scope="row">
              <a href="/leaderboards?period=all&amp;by=${counter.key}"><bdi>${labelIn(counter, language)}</bdi></a>
            </th>
            ${numberCells(names, cells(counter))}
          </tr>`,
      ),
    })}
  </section>`;
}
