import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import { recordVisit, type Standing } from '#store/accounts/last-visits.ts';
import {
  type Board,
  type BoardPlace,
  type Metric,
  METRICS,
  MODES,
  placeOn,
  placesOfPlayer,
} from '#store/game/leaderboards/leaderboards.ts';
import type { Place } from '#store/game/place-counts.ts';
import { playerByUuid } from '#store/game/players.ts';
import { bucketPeriod, bucketStart } from '#store/game/time-buckets.ts';
import type { PageRequest } from '../page-request.ts';
import { figure } from './labels.ts';
import type { Total } from './stats-table.ts';

/** The places of a player on the leaderboards of all time, then of this month. */
export async function readPlaces({ db, deps, now }: PageRequest, playerKey: number): Promise<BoardPlace[]> {
  const { all, month } = deps.bucketsAt(now);
  return await placesOfPlayer(db, playerKey, [all, month]);
}

/** The path of a leaderboard at the place of a player. */
export function placePath({ bucket, mode, metric }: Board, uuid: string): string {
  const query = new URLSearchParams({ period: bucketPeriod(bucket), mode, by: metric, around: uuid });
  return `/leaderboards?${query.toString()}`;
}

export const nth = ({ text, formats }: PageRequest, place: number): string =>
  text.places.nth(formats.number(place), place);

/** "214th of 8,021" */
export const placeOf = (request: PageRequest, { place, of }: Place): string =>
  request.text.places.of(nth(request, place), request.formats.number(of));

const placeLink = (board: Board, uuid: string, label: string): Html =>
  html`<dd class="place small"><a href="${placePath(board, uuid)}">${label}</a></dd>`;

/** The month of a board; undefined for all time. */
const monthOf = ({ formats }: PageRequest, { bucket }: Board): string | undefined =>
  bucketPeriod(bucket) === 'all' ? undefined : formats.monthName(bucketStart(bucket));

/** "12th of 8,021 in November" */
function placeWords(request: PageRequest, board: BoardPlace): string {
  const month = monthOf(request, board);
  return month === undefined ? placeOf(request, board) : request.text.places.inMonth(placeOf(request, board), month);
}

const modeOf = ({ text }: PageRequest, { mode }: Board): string => (mode === 'total' ? '' : text.groups[mode]);

/** The places by a total, with links. */
export function totalPlaces(request: PageRequest, places: readonly BoardPlace[], metric: Metric, uuid: string): Html {
  const shown = places.filter((board) => board.metric === metric);
  return html`${shown.map((board) => placeLink(board, uuid, placeWords(request, board)))}`;
}

/** The rank of a board among those of a period: the total first, then by the order of modes and metrics. */
const rank = ({ mode, metric }: BoardPlace): number => MODES.indexOf(mode) * METRICS.length + METRICS.indexOf(metric);

/** The first board, by mode and metric, that the player leads. */
const ledBoard = (places: readonly BoardPlace[]): BoardPlace | undefined =>
  places.filter(({ place, of }) => place === 1 && of > 1).sort((a, b) => rank(a) - rank(b))[0];

/** "No. 1 of November by wins" */
function title(request: PageRequest, board: Board): string {
  const { text } = request;
  const period = monthOf(request, board) ?? text.boards.periods.all;
  return text.places.first(period, text.places.by[board.metric], modeOf(request, board));
}

/** The title of a player with a link to its board; empty if the player leads none. */
export function firstPlace(request: PageRequest, places: readonly BoardPlace[], uuid: string): Html {
  const led = ledBoard(places);
  if (led === undefined) return html``;
  return html`<p class="first-place"><a href="${placePath(led, uuid)}">${title(request, led)}</a></p>`;
}

/** The title of a player, or "12th of 8,021 by wins"; undefined without a place. */
export function bestPlaceWords(request: PageRequest, places: readonly BoardPlace[]): string | undefined {
  const { text } = request;
  const [led, [best]] = [ledBoard(places), bestPlaces(places)];
  if (led !== undefined || best === undefined) return led && title(request, led);
  return text.places.byMetric(placeWords(request, best), text.places.by[best.metric], modeOf(request, best));
}

/** The best place by each metric, the best one first: with the smallest share of the board's players up to it. */
export function bestPlaces(places: readonly BoardPlace[]): BoardPlace[] {
  const sorted = [...places].sort((a, b) => a.place / a.of - b.place / b.of || rank(a) - rank(b));
  return sorted.filter(({ metric }, index) => sorted.findIndex((board) => board.metric === metric) === index);
}

const BEST_FIGURES = 3;

/** The values and places of a player's best boards as three large figures; of totals without a place the values alone. */
export function bestFigures(request: PageRequest, best: readonly BoardPlace[], total: Total, uuid: string): Html {
  const { text, formats } = request;
  const placed = best.map((board) => {
    const name = [text.boards.metrics[board.metric], modeOf(request, board), monthOf(request, board)];
    const link = placeLink(board, uuid, placeOf(request, board));
    return figure(formats.number(board.value), name.filter(Boolean).join(' · '), link);
  });
  const others = [
    ...(['win', 'kill'] as const)
      .filter((metric) => !best.some((board) => board.metric === metric))
      .map((metric) => figure(formats.number(total[metric]), text.boards.metrics[metric])),
    figure(formats.duration(total.time), text.columns.time),
  ];
  return html`<dl class="card best-figures">${[...placed, ...others].slice(0, BEST_FIGURES)}</dl>`;
}

/** The row of the person who is signed in on a leaderboard; undefined for visitors, and without a row. */
export async function ownPlace(request: PageRequest, board: Board) {
  const uuid = (await request.person())?.account.player_uuid ?? undefined;
  const player = uuid === undefined ? undefined : await playerByUuid(request.db, uuid);
  return player && (await placeOn(request.db, board, player.key));
}

/** "Since your last visit: 3 wins, place 12, up 4", for the person who is signed in; empty without a change. */
export async function sinceLastVisit(request: PageRequest): Promise<Html> {
  const { deps, db, now } = request;
  const own = await ownPlace(request, { bucket: deps.bucketsAt(now).all, mode: 'total', metric: 'win' });
  const account = (await request.person())?.account;
  if (own === undefined || account === undefined) return html``;
  const standing = { player: own.key, wins: own.win, place: own.place };
  const before = await recordVisit(db, now, account.id, standing).catch((error: unknown) => {
    // Without the comparison the page is complete, as while the database takes no writes.
    deps.log.warn({ err: error }, 'a visit was not recorded');
    return undefined;
  });
  return before === undefined ? html`` : changes(request, before, standing);
}

function changes({ text, formats }: PageRequest, before: Standing, now: Standing): Html {
  const { visit } = text.places;
  const [wins, up] = [now.wins - before.wins, before.place - now.place];
  if (wins <= 0 && up === 0) return html``;
  const parts = [
    ...(wins > 0 ? [visit.wins(formats.number(wins))] : []),
    visit.place(formats.number(now.place)),
    ...(up > 0 ? [visit.up(formats.number(up))] : up < 0 ? [visit.down(formats.number(-up))] : []),
  ];
  return html`<p class="notice good visit">${visit.since(parts)}</p>`;
}
