import { html } from 'hono/html';
import { HttpError } from '#http/errors.ts';
import { idOf } from '#platform/ids.ts';
import type { Html } from '#http/page.ts';
import { listed, pager } from '#http/pager.ts';
import { type Counter, countsIn, labelIn, listCounters } from '#store/game/counters/counters.ts';
import { type CounterLeader, counterLeaders } from '#store/game/counters/player-counters.ts';
import { leaders, leadersAround, METRICS, MODES } from '#store/game/leaderboards/leaderboards.ts';
import type { Board, Leader, LeaderboardMode, Metric } from '#store/game/leaderboards/leaderboards.ts';
import type { Place } from '#store/game/place-counts.ts';
import { findPlayer } from '#store/game/players.ts';
import { bannedPlayers } from '#store/game/punishments.ts';
import type { Group } from '#store/game/statistics-groups.ts';
import { back, bucketStart, RETAINED_BUCKETS, type Period, PERIODS } from '#store/game/time-buckets.ts';
import { ownPlace, placeOf } from '#site/components/places.ts';
import { bannedBadge, playerLink } from '#site/components/links.ts';
import { table, choices, PAGE_SIZE, type Behind, readBehind } from '#site/components/table.ts';
import type { PageContent, PageRequest } from '#site/page-request.ts';

/** The periods of boards, the usual one first. */
export const WEEK_FIRST: readonly Period[] = ['week', ...PERIODS.filter((period) => period !== 'week')];

/** `/leaderboards`: by mode and period, ordered by a metric; or of all time, ordered by one of the network's own counters. */
export async function leaderboardsPage(request: PageRequest): Promise<PageContent> {
  const declared = await listCounters(request.db);
  const counter = declared.find(({ key }) => key === request.query('by'));
  return counter === undefined ? await metricBoard(request, declared) : await counterBoard(request, counter, declared);
}

async function metricBoard(request: PageRequest, declared: readonly Counter[]): Promise<PageContent> {
  const { text, formats } = request;
  const { columns: names } = text;
  const mode = request.choice('mode', MODES);
  const period = request.choice('period', WEEK_FIRST);
  const metric = request.choice('by', METRICS);
  const ago = readAgo(request, period);
  const bucket = back(request.deps.bucketsAt(request.now)[period], ago);
  const board = { bucket, mode, metric };
  const after = readBehind(request)?.entry;
  const around = request.query('around');
  const ratio = ({ kill, death }: Leader): string => formats.ratio(kill / Math.max(1, death));
  return await boardPage(request, {
    title: text.boards.title(text.boards.modes[mode], text.boards.periods[period]),
    filters: { mode, period, metric, declared },
    nav: period === 'all' ? undefined : periodNav(request, period, bucket, ago),
    isFirst: after === undefined && around === undefined && ago === 0,
    card: `/cards/leaderboards.png?mode=${mode}&period=${period}&by=${metric}`,
    ...(around === undefined
      ? { found: await leaders(request.db, { ...board, after, limit: PAGE_SIZE + 1 }) }
      : await rowsAround(request, board, around)),
    own: await ownPlace(request, board),
    cursorOf: (last) => `${last[metric]}.${idOf(last.key)}`,
    columns: [
      { label: names.wins, isMain: metric === 'win', cell: ({ win }) => formats.number(win) },
      { label: names.kills, isMain: metric === 'kill', cell: ({ kill }) => formats.number(kill) },
      { label: names.matches, isMain: metric === 'play', cell: ({ play }) => formats.number(play) },
      { label: names.ratio, isMain: false, cell: ratio },
      { label: names.time, isMain: false, cell: ({ time }) => formats.duration(time) },
    ],
  });
}

/** Rows above and below the player of `around`. */
const AROUND = 10;

/** @throws HttpError 404 if the player has no row */
async function rowsAround(
  request: PageRequest,
  board: Board,
  around: string,
): Promise<{ found: Leader[]; marked: number }> {
  const player = await findPlayer(request.db, around, 'public');
  const found = player === undefined ? [] : await leadersAround(request.db, board, player.key, AROUND);
  if (found.length === 0) throw request.notFound();
  return { found, marked: player!.key };
}

async function counterBoard(
  request: PageRequest,
  counter: Counter,
  declared: readonly Counter[],
): Promise<PageContent> {
  const { text, formats } = request;
  const mode = request.choice('mode', MODES);
  const behind = readBehind(request);
  const label = labelIn(counter, request.language);
  const after = behind?.entry;
  const rows = await counterLeaders(request.db, { counter: counter.id, mode, after, limit: PAGE_SIZE + 1 });
  return await boardPage(request, {
    title: text.boards.counterTitle(label, text.boards.modes[mode]),
    filters: { mode, period: 'all', metric: counter.key, declared },
    isFirst: behind === undefined,
    found: counted(rows, behind),
    cursorOf: ({ key, value, place, position }) => `${value}.${idOf(key)}.${place}.${position}`,
    columns: [{ label, isMain: true, cell: ({ value }) => formats.number(value) }],
  });
}

/** Counts the places from the first page on: counters have no counts of places. */
function counted(rows: readonly CounterLeader[], behind: Behind | undefined) {
  let { place, position } = behind ?? { place: 0, position: 0 };
  let value = behind?.entry.value;
  return rows.map((row) => {
    position++;
    if (row.value !== value) [place, value] = [position, row.value];
    return { ...row, place, position };
  });
}

interface Ranked {
  key: number;
  uuid: string;
  name: string;
  place: number;
}

interface Column<Row> {
  label: string;
  /** Whether the board is ordered by it. */
  isMain: boolean;
  cell: (row: Row) => string;
}

interface BoardContent<Row> {
  title: string;
  filters: Filters;
  nav?: Html | undefined;
  /** Whether this is the first page of a present board, which search engines may index. */
  isFirst: boolean;
  /** The card with its first players; others have the card of the site. */
  card?: string;
  /** The players of the page, and one more if there is a next page. */
  found: readonly Row[];
  /** The player around whom the page is. */
  marked?: number;
  /** The row of the person who is signed in. */
  own?: (Row & Place) | undefined;
  cursorOf: (last: Row) => string;
  columns: readonly Column<Row>[];
}

async function boardPage<Row extends Ranked>(request: PageRequest, board: BoardContent<Row>): Promise<PageContent> {
  const { text } = request;
  const { title, own, marked, isFirst, card } = board;
  const { items, next } = listed(board.found, PAGE_SIZE, board.cursorOf);
  return {
    title,
    description: text.boards.description(request.deps.config.NETWORK_NAME),
    path: request.link({}),
    section: 'leaderboards',
    noIndex: !isFirst,
    picture: isFirst && card !== undefined ? { path: card, alt: title, large: true } : undefined,
    kind: 'boards',
    main: html`<h1>${title}</h1>
      ${boardFilters(request, board.filters)} ${board.nav ?? ''}
      ${own === undefined ? '' : html`<p class="own-place">${text.places.yours} <a href="${request.link({ around: own.uuid })}">${placeOf(request, own)}</a></p>`}
      ${items.length === 0 ? html`<p class="soft">${text.boards.none}</p>` : await boardTable(request, items, board)}
      ${marked === undefined ? pager(request.url, text.pager, next, 'behind') : aroundPager(request, board.cursorOf(items.at(-1)!))}`,
  };
}

/** Links from the page around a player to the first page and to the next one. */
const aroundPager = (request: PageRequest, next: string): Html =>
  html`<nav class="pager" aria-label="${request.text.pager.label}">
    <a class="button quiet" href="${request.link({})}">${request.text.places.whole}</a>
    <a class="button quiet" rel="next" href="${request.link({ behind: next })}">${request.text.pager.next}</a>
  </nav>`;

async function boardTable<Row extends Ranked>(
  request: PageRequest,
  rows: readonly Row[],
  { columns, own, marked = own?.key }: BoardContent<Row>,
): Promise<Html> {
  const { text, formats } = request;
  // The own row is on every page.
  const shown = own === undefined || rows.some(({ key }) => key === own.key) ? rows : [...rows, own];
  const keys = shown.map(({ key }) => key);
  const banned = await bannedPlayers(request.db, keys, request.now);
  return table({
    label: text.sections.leaderboards,
    kind: 'board lines',
    head: html`<th scope="col" class="n">#</th>
      <th scope="col">${text.columns.player}</th>
      ${columns.map(({ label }) => html`<th scope="col" class="n"><bdi>${label}</bdi></th> `)}`,
    rows: shown.map((row) => {
      const { key, place } = row;
      const cells = columns.map(({ label, isMain, cell }) => html`<td class="n${isMain ? ' main' : ''}" data-label="${label}">${cell(row)}</td>`); // prettier-ignore
      const badge = banned.has(key) ? bannedBadge(request) : '';
      const kinds = [
        ...(place <= 3 ? [`top top-${place}`] : []),
        ...(key === marked || key === own?.key ? ['own'] : []),
      ];
      return html`<tr${kinds.length === 0 ? '' : html` class="${kinds.join(' ')}"`}><td class="n rank">${formats.number(place)}</td><th scope="row">${playerLink(request, row, 28)}${badge}</th>${cells}</tr>\n`;
    }),
  });
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

const ALL_TIME = { period: 'all', ago: undefined };

interface Filters {
  mode: LeaderboardMode;
  period: Period;
  /** A metric, or the key of a counter. */
  metric: string;
  declared: readonly Counter[];
}

/** Counters have boards of all time only: their links choose that period, and the links of other periods another order. */
function boardFilters(request: PageRequest, { mode, period, metric, declared }: Filters): Html {
  const { boards, filters: words } = request.text;
  const counter = declared.find(({ key }) => key === metric);
  const shown = MODES.filter(
    (value) => counter === undefined || value === 'total' || countsIn(counter, value as Group),
  );
  const modes = shown.map((value) => ({ value, label: boards.modes[value] }));
  const periods = PERIODS.map((value) => ({ value, label: boards.periods[value] }));
  const metrics = METRICS.map((value) => ({ value, label: boards.metrics[value] }));
  const own = declared.map((one) => ({ value: one.key, label: labelIn(one, request.language) }));
  const ofPeriod = { ago: undefined, ...(counter === undefined ? {} : { by: undefined }) };
  const chosen = counter === undefined ? boards.metrics[metric as Metric] : labelIn(counter, request.language);
  return html`<div class="filters">
    <details>
      <summary>
        ${words.open} <strong>${boards.modes[mode]} · ${boards.periods[period]} · <bdi>${chosen}</bdi></strong>
      </summary>
      <div class="filters">
        ${choices(request, words.gamemode, 'mode', modes, mode)}
        ${choices(request, words.period, 'period', periods, period, ofPeriod)}
        ${choices(request, words.order, 'by', metrics, metric)}
        ${own.length === 0 ? '' : choices(request, request.text.player.counters, 'by', own, metric, ALL_TIME)}
      </div>
    </details>
  </div>`;
}
