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

const nth = ({ text, formats }: PageRequest, place: number): string => text.places.nth(formats.number(place), place);

/** "214th of 8,021" */
export const placeOf = (request: PageRequest, { place, of }: Place): string =>
  request.text.places.of(nth(request, place), request.formats.number(of));

/** The places in all modes together by a total, with links: of all time and of this month. */
export function totalPlaces(request: PageRequest, places: readonly BoardPlace[], metric: Metric, uuid: string): Html {
  const { text, formats } = request;
  const shown = places.filter((board) => board.mode === 'total' && board.metric === metric);
  return html`${shown.map((board) => {
    const words = placeOf(request, board);
    const period = bucketPeriod(board.bucket);
    const label = period === 'all' ? words : text.places.inMonth(words, formats.monthName(bucketStart(board.bucket)));
    return html`<dd class="place small"><a href="${placePath(board, uuid)}">${label}</a></dd>`;
  })}`;
}

/** The rank of a board among those of a period: the total first, then by the order of modes and metrics. */
const rank = ({ mode, metric }: BoardPlace): number => MODES.indexOf(mode) * METRICS.length + METRICS.indexOf(metric);

/** "No. 1 of November by wins": the first board, by mode and metric, that the player leads; empty if the player leads none. */
export function firstPlace(request: PageRequest, places: readonly BoardPlace[], uuid: string): Html {
  const { text, formats } = request;
  const [best] = places.filter(({ place, of }) => place === 1 && of > 1).sort((a, b) => rank(a) - rank(b));
  if (best === undefined) return html``;
  const isOfAllTime = bucketPeriod(best.bucket) === 'all';
  const period = isOfAllTime ? text.boards.periods.all : formats.monthName(bucketStart(best.bucket));
  const mode = best.mode === 'total' ? '' : text.groups[best.mode];
  const words = text.places.first(period, text.places.by[best.metric], mode);
  return html`<p class="first-place"><a href="${placePath(best, uuid)}">${words}</a></p>`;
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
