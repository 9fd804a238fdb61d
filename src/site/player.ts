import { html } from 'hono/html';
import { idOf } from '#platform/ids.ts';
import type { Html } from '#http/page.ts';
import { uuidOf } from '#platform/text.ts';
import { keyCursor, listed, pager } from '#http/pager.ts';
import { activityOf } from '#store/game/leaderboards.ts';
import { back, firstDayOf } from '#store/game/time-buckets.ts';
import { standingOf } from '#store/game/factions.ts';
import { listPlayedMatches } from '#store/game/match-lists.ts';
import { killsOf } from '#store/game/matches.ts';
import { type Stats, statsOf } from '#store/game/player-stats.ts';
import { findPlayer, namesOf, type Player, playerByUuid } from '#store/game/players.ts';
import { isBanned, listPunishmentsOf } from '#store/game/punishments.ts';
import { bars, ring } from './components/charts.ts';
import { matchList } from './components/match-list.ts';
import { PAGE } from './components/pager.ts';
import { identicon, player as personLink } from './components/player-link.ts';
import { punishmentTable } from './components/punishment-table.ts';
import { statsTable, totalOf } from './components/stats-table.ts';
import { ago, timestamp } from './components/timestamps.ts';
import { figure, heading } from './components/labels.ts';
import type { PageContent, PageRequest } from './page-request.ts';

const LATEST = 10;
const DAYS = 30;
const MONTHS = 12;

/**
 * The player that the address names by UUID; a name, a bare UUID or an id leads to the address that stays.
 * @throws HttpError 404
 */
async function requirePlayer(request: PageRequest, rest = ''): Promise<Player | Response> {
  const named = request.params['id'] ?? '';
  if (uuidOf(named) === named) {
    const known = await playerByUuid(request.db, named);
    if (known !== undefined) return known;
  }
  const found = named.length > 64 ? undefined : await findPlayer(request.db, named);
  if (found === undefined) throw request.missing();
  return new Response(null, { status: 302, headers: { location: `/players/${found.uuid}${rest}` } });
}

/** `/players/:uuid` */
export async function player(request: PageRequest): Promise<PageContent | Response> {
  const found = await requirePlayer(request);
  if (found instanceof Response) return found;
  const { db, now, text } = request;
  const [stats, banned] = [await statsOf(db, found.key), await isBanned(db, found.key, now)];
  return {
    title: found.name,
    description: describe(request, found, stats),
    path: `/players/${found.uuid}`,
    part: 'players',
    kind: 'player-page',
    picture: { path: `/cards/players/${found.uuid}.png`, alt: describe(request, found, stats), large: true },
    main: html`${head(request, found, banned)} ${summary(request, stats)} ${await activity(request, found)}
      <section aria-labelledby="modes">
        ${heading('modes', text.player.byMode)}${statsTable(request, stats, await standingOf(db, found.key))}
      </section>
      <section aria-labelledby="latest">
        ${heading('latest', text.player.latest, { href: `/players/${found.uuid}/matches`, words: text.more })}${await latest(request, found)}
      </section>
      <div class="two even">${await names(request, found)}${await kills(request, found)}</div>
      ${await punishments(request, found)}`,
  };
}

/** What a player has done, in a sentence. */
export function describe({ text, formats }: PageRequest, { name }: Player, stats: Stats): string {
  const { play, win, kill, time } = totalOf(stats);
  return text.player.describe(
    name,
    formats.number(play),
    formats.number(win),
    formats.number(kill),
    formats.duration(time),
  );
}

function head(request: PageRequest, found: Player, banned: boolean): Html {
  const { text } = request;
  const { last_login: login, last_logout: logout, last_login_server: server } = found;
  const online = login !== null && (logout === null || logout < login);
  return html`<section class="profile">
    ${identicon(found.uuid, 112)}
    <div>
      <h1><bdi>${found.name}</bdi>${banned ? html` <span class="banned">${text.player.banned}</span>` : ''}</h1>
      <p class="soft mono small">${found.uuid}</p>
      <p>
        ${
          login === null
            ? html`<span class="soft">${text.player.neverSeen}</span>`
            : online
              ? html`${text.player.lastLogin} ${timestamp(request, login)}
                  <span class="soft"><bdi>${server}</bdi></span>`
              : html`${text.player.lastSeen} ${timestamp(request, logout!)}
                  <span class="soft"><bdi>${server}</bdi></span>`
        }
      </p>
    </div>
  </section>`;
}

function summary({ text, formats }: PageRequest, stats: Stats): Html {
  const { play, win, lose, kill, death, time } = totalOf(stats);
  const decided = win + lose;
  const quota = decided === 0 ? 0 : win / decided;
  return html`<section class="card summary" aria-label="${text.player.total}">
    ${ring(quota, text.player.winShare(formats.percent(quota)), formats.percent(quota))}
    <dl class="figures-row">
      ${figure(formats.number(play), text.columns.matches)}${figure(formats.number(win), text.columns.wins)}
      ${figure(formats.number(kill), text.columns.kills)}${figure(formats.number(death), text.columns.deaths)}
      ${figure(formats.ratio(kill / Math.max(1, death)), text.columns.ratio)}${figure(formats.duration(time), text.columns.time)}
    </dl>
  </section>`;
}

/** Matches by day and by month. */
async function activity(request: PageRequest, { key }: Player): Promise<Html> {
  const { deps, text, formats } = request;
  const present = deps.bucketsAt(request.now);
  const days = Array.from({ length: DAYS }, (_, place) => back(present.day, DAYS - 1 - place));
  const months = Array.from({ length: MONTHS }, (_, place) => back(present.month, MONTHS - 1 - place));
  const counts = await activityOf(request.db, key, [...days, ...months]);
  if (counts.size === 0) return html``;
  const bar = (write: (midnight: number) => string) => (bucket: number) => {
    const play = counts.get(bucket)?.play ?? 0;
    return { value: play, title: `${write(firstDayOf(bucket))}: ${formats.number(play)}` };
  };
  const sum = (buckets: number[]): string =>
    formats.number(buckets.reduce((total, bucket) => total + (counts.get(bucket)?.play ?? 0), 0));
  return html`<section class="card" aria-labelledby="activity">
    ${heading('activity', text.player.activity)}
    <div class="two even">
      <figure>
        ${bars(days.map(bar(formats.day)), text.player.perDay(sum(days)))}
        <figcaption class="soft small">
          <span>${formats.day(firstDayOf(days[0]!))}</span><span>${text.player.perDay(sum(days))}</span
          ><span>${formats.day(firstDayOf(days.at(-1)!))}</span>
        </figcaption>
      </figure>
      <figure>
        ${bars(months.map(bar(formats.month)), text.player.perMonth(sum(months)))}
        <figcaption class="soft small">
          <span>${formats.month(firstDayOf(months[0]!))}</span><span>${text.player.perMonth(sum(months))}</span
          ><span>${formats.month(firstDayOf(months.at(-1)!))}</span>
        </figcaption>
      </figure>
    </div>
  </section>`;
}

async function latest(request: PageRequest, { key }: Player): Promise<Html> {
  const matches = await listPlayedMatches(request.db, key, Number.MAX_SAFE_INTEGER, LATEST);
  return matches.length === 0
    ? html`<p class="soft">${request.text.match.none}</p>`
    : await matchList(request, matches);
}

const SHOWN_NAMES = 20;

async function names(request: PageRequest, { key, name }: Player): Promise<Html> {
  const { text } = request;
  const all = await namesOf(request.db, key);
  const former = all.filter((one) => one.name !== name);
  return html`<section class="card" aria-labelledby="names">
    ${heading('names', text.player.names)}
    <ol class="names-list">
      <li>
        <strong><bdi>${name}</bdi></strong> <span class="soft small">${text.player.present}</span>
      </li>
      ${former.slice(0, SHOWN_NAMES).map((one) => html`<li><bdi>${one.name}</bdi> <span class="soft small">${text.player.until} ${ago(request, one.last_seen)}</span></li>`)}
    </ol>
  </section>`;
}

const SHOWN_KILLS = 8;

async function kills(request: PageRequest, { key }: Player): Promise<Html> {
  const { text } = request;
  const newest = await killsOf(request.db, key, SHOWN_KILLS);
  if (newest.length === 0) return html``;
  return html`<section class="card" aria-labelledby="kills">
    ${heading('kills', text.player.kills)}
    <ul class="kills">
      ${newest.map(
        ({ victim, match, map, time }) =>
          html`<li>
            ${personLink(victim, 20)}
            <span class="soft small"
              ><a href="/matches/${idOf(match)}"><bdi>${map}</bdi></a> · ${ago(request, time)}</span
            >
          </li>`,
      )}
    </ul>
  </section>`;
}

async function punishments(request: PageRequest, found: Player): Promise<Html> {
  const { text, now } = request;
  const { items, next } = listed(
    await listPunishmentsOf(request.db, found.key, request.before, PAGE + 1, now),
    PAGE,
    keyCursor,
  );
  if (items.length === 0 && request.query('max_id') === undefined) return html``;
  return html`<section aria-labelledby="punishments">
    ${heading('punishments', text.parts.punishments)}
    ${punishmentTable(request, items, { withPlayer: false })}${pager(request.url, text.pager, next, 'max_id')}
  </section>`;
}

/** `/players/:uuid/matches` */
export async function playerMatches(request: PageRequest): Promise<PageContent | Response> {
  const found = await requirePlayer(request, '/matches');
  if (found instanceof Response) return found;
  const { text } = request;
  const { items, next } = listed(
    await listPlayedMatches(request.db, found.key, request.before, PAGE + 1),
    PAGE,
    keyCursor,
  );
  return {
    title: text.match.listOf(found.name),
    description: text.match.listOf(found.name),
    path: `/players/${found.uuid}/matches`,
    part: 'players',
    unlisted: true,
    main: html`<h1>${text.player.matchesOf} ${personLink(found, 40)}</h1>
      ${items.length === 0 ? html`<p class="soft">${text.match.none}</p>` : await matchList(request, items)}${pager(request.url, text.pager, next, 'max_id')}`,
  };
}
