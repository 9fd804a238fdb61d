import { html } from 'hono/html';
import { HttpError } from '#http/errors.ts';
import { idOf } from '#platform/ids.ts';
import type { Html } from '#http/page.ts';
import { pager } from '#http/pager.ts';
import { listCounters } from '#store/game/counters/counters.ts';
import { type Leader, leaders, type Metric, METRICS, MODES } from '#store/game/leaderboards/leaderboards.ts';
import { back, bucketStart, RETAINED_BUCKETS, type Period, PERIODS } from '#store/game/time-buckets.ts';
import { boardFilters, boardStart } from '#site/components/board-filters.ts';
import { PAGE_SIZE } from '#site/components/pager.ts';
import { playerLink } from '#site/components/player-link.ts';
import { counterBoardPage } from './counter-board.ts';
import type { PageContent, PageRequest } from '#site/page-request.ts';

const ORDERED_PERIODS: readonly Period[] = ['week', ...PERIODS.filter((period) => period !== 'week')];

/** `/leaderboards`: by mode and period, ordered by wins, kills or matches. */
export async function leaderboardsPage(request: PageRequest): Promise<PageContent> {
  const { text, db, deps } = request;
  const declared = await listCounters(db);
  const counter = declared.find(({ key }) => key === request.query('by'));
  if (counter !== undefined) return await counterBoardPage(request, counter, declared);
  const mode = request.choice('mode', MODES);
  const period = request.choice('period', ORDERED_PERIODS);
  const metric = request.choice('by', METRICS);
  const ago = readAgo(request, period);
  const bucket = back(deps.bucketsAt(request.now)[period], ago);
  const start = boardStart(request);
  const found = await leaders(db, { bucket, mode, metric, after: start?.entry, limit: PAGE_SIZE + 1 });
  const rows = found.slice(0, PAGE_SIZE);
  const rank = start?.rank ?? 0;
  const last = rows.at(-1);
  const next =
    found.length > PAGE_SIZE && last !== undefined
      ? `${last[metric]}.${idOf(last.key)}.${rank + PAGE_SIZE}`
      : undefined;
  const title = text.boards.title(text.boards.modes[mode], text.boards.periods[period]);
  return {
    title,
    description: text.boards.description(deps.config.NETWORK_NAME),
    path: request.link({}),
    section: 'leaderboards',
    noIndex: start !== undefined || ago > 0,
    kind: 'boards',
    main: html`<h1>${title}</h1>
      ${boardFilters(request, { mode, period, metric, declared })}
      ${period === 'all' ? '' : periodNav(request, period, bucket, ago)}
      ${rows.length === 0 ? html`<p class="soft">${text.boards.none}</p>` : table(request, rows, rank, metric)}
      ${pager(request.url, text.pager, next, 'behind')}`,
  };
}

/** `ago`: how many days, weeks or months before the current one, up to the number that is stored. */
function readAgo(request: PageRequest, period: Period): number {
  const value = request.query('ago');
  if (value === undefined || period === 'all') return 0;
  const count = Number(value);
  if (!/^\d{1,3}$/.test(value) || count >= RETAINED_BUCKETS[period]) {
    throw new HttpError(400, 'ago', request.text.error.parameter('ago'));
  }
  return count;
}

/** The dates of the displayed period, with links to the previous and next one. */
function periodNav(request: PageRequest, period: Exclude<Period, 'all'>, bucket: number, ago: number): Html {
  const { text, formats } = request;
  const first = bucketStart(bucket);
  const dates =
    period === 'month'
      ? formats.month(first)
      : period === 'week'
        ? `${formats.longDay(first)} – ${formats.longDay(bucketStart(back(bucket, -1)) - 86_400_000)}`
        : formats.longDay(first);
  const link = (to: number): string => request.link({ ago: to === 0 ? undefined : String(to) });
  return html`<nav class="stretch" aria-label="${text.boards.periodNav}">
    ${ago + 1 < RETAINED_BUCKETS[period] ? html`<a href="${link(ago + 1)}" rel="prev" aria-label="${text.boards.earlier}">←</a>` : html`<span></span>`}
    <span>${dates}</span>
    ${ago > 0 ? html`<a href="${link(ago - 1)}" rel="next" aria-label="${text.boards.later}">→</a>` : html`<span></span>`}
  </nav>`;
}

function table(request: PageRequest, rows: readonly Leader[], rank: number, metric: Metric): Html {
  const { text, formats } = request;
  const { columns } = text;
  const labels = {
    win: columns.wins,
    kill: columns.kills,
    play: columns.matches,
    ratio: columns.ratio,
    time: columns.time,
  };
  const cell = (name: keyof typeof labels, value: string): Html =>
    html`<td class="n${name === metric ? ' main' : ''}" data-label="${labels[name]}">${value}</td>`;
  return html`<div class="card scroll" tabindex="0" role="group" aria-label="${text.sections.leaderboards}">
    <table class="board lines">
      <thead>
        <tr>
          <th scope="col" class="n">#</th>
          <th scope="col">${columns.player}</th>
          <th scope="col" class="n">${columns.wins}</th>
          <th scope="col" class="n">${columns.kills}</th>
          <th scope="col" class="n">${columns.matches}</th>
          <th scope="col" class="n">${columns.ratio}</th>
          <th scope="col" class="n">${columns.time}</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map((row, index) => {
          const rowRank = rank + index + 1;
          return html`<tr${rowRank <= 3 ? html` class="top top-${rowRank}"` : ''}><td class="n rank">${formats.number(rowRank)}</td><th scope="row">${playerLink(request, row, 28)}</th>${cell('win', formats.number(row.win))}${cell('kill', formats.number(row.kill))}${cell('play', formats.number(row.play))}${cell('ratio', formats.ratio(row.kill / Math.max(1, row.death)))}${cell('time', formats.duration(row.time))}</tr>\n`;
        })}
      </tbody>
    </table>
  </div>`;
}
