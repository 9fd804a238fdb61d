import { html } from 'hono/html';
import { idOf } from '#platform/ids.ts';
import type { Html } from '#http/page.ts';
import { uuidOf } from '#text/text.ts';
import { pager } from '#http/pager.ts';
import { type BoardPlace, type Metric, readActivity } from '#store/game/leaderboards/leaderboards.ts';
import { back, bucketStart } from '#store/game/time-buckets.ts';
import { readStanding, type Stats, statsOf } from '#store/game/player-stats.ts';
import { listPlayedMatches } from '#store/game/match-lists.ts';
import { killsBelow } from '#store/game/kills.ts';
import { listCounters } from '#store/game/counters/counters.ts';
import { playerCounters } from '#store/game/counters/player-counters.ts';
import { asShown, showsNames } from '#store/game/hidden-lists.ts';
import { GROUP_NAMES } from '#store/game/statistics-groups.ts';
import { findPlayer, namesOf, type Player, playerByUuid } from '#store/game/players.ts';
import { type Audience, isPrivate } from '#store/game/private-players.ts';
import { isBanned, listPunishmentsOf } from '#store/game/punishments.ts';
import { barChart, ringChart } from '#site/components/charts.ts';
import { matchList } from '#site/components/match-list.ts';
import { byKey, PAGE_SIZE } from '#site/components/table.ts';
import { bannedBadge, playerIcon, playerLink } from '#site/components/links.ts';
import {
  bestFigures,
  bestPlaces,
  firstPlace,
  readPlaces,
  sinceLastVisit,
  totalPlaces,
} from '#site/components/places.ts';
import { punishmentTable } from '#site/pages/punishments.ts';
import { playerCountersSection, statsTable, type Total, totalOf } from '#site/components/stats-table.ts';
import { ago, figure, heading, shareLink, timestamp } from '#site/components/labels.ts';
import { formSection } from '#site/components/player-form.ts';
import type { PageContent, PageRequest } from '#site/page-request.ts';

const LATEST_MATCHES = 10;
const SHOWN_PLACES = 6;
const DAYS = 30;
const MONTHS = 12;

/**
 * The player that the path names by UUID. A name, an id or a UUID without dashes redirects to the canonical path, to which
 * `suffix` is appended.
 * @throws HttpError 404
 */
export async function requirePlayer(request: PageRequest, suffix = ''): Promise<Player | Response> {
  const idOrName = request.params['id'] ?? '';
  if (uuidOf(idOrName) === idOrName) {
    const byUuid = await playerByUuid(request.db, idOrName);
    if (byUuid !== undefined) return byUuid;
  }
  const player = idOrName.length > 64 ? undefined : await findPlayer(request.db, idOrName, 'public');
  if (player === undefined) throw request.notFound();
  return new Response(null, { status: 302, headers: { location: `/players/${player.uuid}${suffix}` } });
}

/** `/players/:uuid` */
export async function playerPage(request: PageRequest): Promise<PageContent | Response> {
  const found = await requirePlayer(request);
  if (found instanceof Response) return found;
  const { db, now } = request;
  const audience = await audienceOf(request, found);
  if (audience === 'public' && (await isPrivate(db, found.uuid))) return await privatePage(request, found);
  const player = await asShown(db, found, audience);
  const [stats, banned] = [await statsOf(db, player.key), await isBanned(db, player.key, now)];
  const places = await readPlaces(request, player.key);
  const isOwn = (await request.person())?.account.player_uuid === player.uuid;
  return {
    title: player.name,
    description: describe(request, player, stats),
    path: `/players/${player.uuid}`,
    section: 'players',
    kind: 'player-page',
    picture: { path: `/cards/players/${player.uuid}.png`, alt: describe(request, player, stats), large: true },
    main: html`${head(request, player, banned, html`${firstPlace(request, places, player.uuid)}${lastSeen(request, player)}`)}
      ${await record(request, player, stats, places, isOwn ? await sinceLastVisit(request) : '')}
      <div class="two even">${await names(request, player, audience)}${await kills(request, player)}</div>
      ${await punishments(request, player)}`,
  };
}

/** Staff, and the person on the own page, see what is private. */
async function audienceOf(request: PageRequest, { uuid }: Player): Promise<Audience> {
  const account = (await request.person())?.account;
  return account !== undefined && (account.role !== 'user' || account.player_uuid === uuid) ? 'insiders' : 'public';
}

/** Whether the profile of a player is shown to the reader. */
export const isVisible = async (request: PageRequest, player: Player): Promise<boolean> =>
  (await audienceOf(request, player)) !== 'public' || !(await isPrivate(request.db, player.uuid));

/** The page of a private profile: the name and the punishments. */
async function privatePage(request: PageRequest, player: Player): Promise<PageContent> {
  const { db, now, text } = request;
  const description = text.player.isPrivate(player.name);
  return {
    title: player.name,
    description,
    path: `/players/${player.uuid}`,
    section: 'players',
    noIndex: true,
    kind: 'player-page',
    picture: { path: `/cards/players/${player.uuid}.png`, alt: description, large: true },
    main: html`${head(request, player, await isBanned(db, player.key, now), html``)}
      <p class="notice">${text.player.private}</p>
      ${await punishments(request, player)}`,
  };
}

/** The figures, matches and statistics of a player; one sentence for a player who has none. */
async function record(
  request: PageRequest,
  player: Player,
  stats: Stats,
  places: readonly BoardPlace[],
  visit: Html | '',
): Promise<Html> {
  const { db, text } = request;
  const declared = await listCounters(db);
  const counters = playerCountersSection(request, declared, await playerCounters(db, declared, player.key));
  const matches = await listPlayedMatches(db, player.key, Number.MAX_SAFE_INTEGER, LATEST_MATCHES);
  const hasStats = GROUP_NAMES.some((group) => Object.values(stats[group]).some((count) => count !== 0));
  if (!hasStats && matches.length === 0)
    return html`<p class="notice">${text.player.noStats}</p>
      ${counters}`;
  const [total, best] = [totalOf(stats), bestPlaces(places)];
  const others = places.filter((board) => board.mode === 'total' && !best.includes(board));
  return html`${bestFigures(request, best, total, player.uuid)} ${visit} ${await formSection(request, player)}
    ${summary(request, player, total, others.slice(0, SHOWN_PLACES - best.length))} ${await activity(request, player)}
    <section aria-labelledby="modes">
      ${heading('modes', text.player.byMode)}${statsTable(request, stats, await readStanding(db, player.key))}
    </section>
    ${counters}
    <section aria-labelledby="latest">
      ${heading('latest', text.match.latest, { href: `/players/${player.uuid}/matches`, label: text.more })}
      ${await matchList(request, matches)}
    </section>`;
}

/** A player's totals in one sentence. */
function describe({ text, formats }: PageRequest, { name }: Player, stats: Stats): string {
  const { play, win, kill, time } = totalOf(stats);
  return text.player.describe(
    name,
    formats.number(play),
    formats.number(win),
    formats.number(kill),
    formats.duration(time),
  );
}

function head(request: PageRequest, player: Player, banned: boolean, seen: Html): Html {
  return html`<section class="profile">
    ${playerIcon(request, player.uuid, 112)}
    <div>
      <h1><bdi>${player.name}</bdi>${banned ? bannedBadge(request) : ''}</h1>
      <p class="soft mono small">${player.uuid}</p>
      ${seen}
      <p>${shareLink(request, `/players/${player.uuid}`)}</p>
    </div>
  </section>`;
}

/** When and where the player was seen last. */
function lastSeen(request: PageRequest, player: Player): Html {
  const { text } = request;
  const { last_login: login, last_logout: logout, last_login_server: server } = player;
  const online = login !== null && (logout === null || logout < login);
  return html`<p>
    ${
      login === null
        ? html`<span class="soft">${text.player.neverSeen}</span>`
        : online
          ? html`${text.player.lastLogin} ${timestamp(request, login)} <span class="soft"><bdi>${server}</bdi></span>`
          : html`${text.player.lastSeen} ${timestamp(request, logout!)} <span class="soft"><bdi>${server}</bdi></span>`
    }
  </p>`;
}

function summary(request: PageRequest, { uuid }: Player, total: Total, places: readonly BoardPlace[]): Html {
  const { text, formats } = request;
  const placesBy = (metric: Metric): Html => totalPlaces(request, places, metric, uuid);
  const { play, win, lose, draw, kill, death, time } = total;
  const decided = win + lose;
  const winRate = decided === 0 ? 0 : win / decided;
  return html`<section class="card summary" aria-label="${text.player.total}">
    <div>
      ${ringChart(winRate, text.player.winShare(formats.percent(winRate)), formats.percent(winRate))}
      <p class="ring-name soft small" aria-hidden="true">${text.columns.winShare}</p>
    </div>
    <dl class="figures-row">
      ${figure(formats.number(play), text.columns.matches, placesBy('play'))}
      ${figure(formats.number(win), text.columns.wins, placesBy('win'))}
      ${figure(formats.number(lose), text.columns.losses)}${figure(formats.number(draw), text.columns.draws)}
      ${figure(formats.number(kill), text.columns.kills, placesBy('kill'))}${figure(formats.number(death), text.columns.deaths)}
      ${figure(formats.ratio(kill / Math.max(1, death)), text.columns.ratio)}${figure(formats.duration(time), text.columns.time)}
    </dl>
  </section>`;
}

/** The matches of each day and of each month as bar charts. */
async function activity(request: PageRequest, { key }: Player): Promise<Html> {
  const { deps, text, formats } = request;
  const current = deps.bucketsAt(request.now);
  const days = Array.from({ length: DAYS }, (_, index) => back(current.day, DAYS - 1 - index));
  const months = Array.from({ length: MONTHS }, (_, index) => back(current.month, MONTHS - 1 - index));
  const counts = await readActivity(request.db, key, [...days, ...months]);
  if (counts.size === 0) return html``;
  const chart = (buckets: number[], date: (midnight: number) => string, label: (count: string) => string): Html => {
    const bars = buckets.map((bucket) => ({ value: counts.get(bucket)?.play ?? 0, date: date(bucketStart(bucket)) }));
    const sum = label(formats.number(bars.reduce((total, { value }) => total + value, 0)));
    return html`<figure>
      ${barChart(
        bars.map((bar) => ({ value: bar.value, title: `${bar.date}: ${formats.number(bar.value)}` })),
        sum,
      )}
      <figcaption class="soft small">
        <span>${bars[0]!.date}</span><span>${sum}</span><span>${bars.at(-1)!.date}</span>
      </figcaption>
    </figure>`;
  };
  return html`<section class="card" aria-labelledby="activity">
    ${heading('activity', text.player.activity)}
    <div class="two even">
      ${chart(days, formats.day, text.player.perDay)} ${chart(months, formats.month, text.player.perMonth)}
    </div>
  </section>`;
}

const SHOWN_NAMES = 20;

/** The former names; of a hidden player none, because their times would tell when the player came. */
async function names(request: PageRequest, { key, uuid, name }: Player, audience: Audience): Promise<Html> {
  const { db, text } = request;
  const isShown = await showsNames(db, uuid, audience);
  const former = isShown ? (await namesOf(db, key)).filter((other) => other.name !== name) : [];
  return html`<section class="card" aria-labelledby="names">
    ${heading('names', text.player.names)}
    <ol class="names-list">
      <li>
        <strong><bdi>${name}</bdi></strong> <span class="soft small">${text.player.present}</span>
      </li>
      ${former.slice(0, SHOWN_NAMES).map((other) => html`<li><bdi>${other.name}</bdi> <span class="soft small">${text.player.until} ${ago(request, other.last_seen)}</span></li>`)}
    </ol>
  </section>`;
}

const SHOWN_KILLS = 8;

async function kills(request: PageRequest, { key }: Player): Promise<Html> {
  const { text } = request;
  const newest = await killsBelow(request.db, key, { before: undefined, limit: SHOWN_KILLS, audience: 'public' });
  if (newest.length === 0) return html``;
  return html`<section class="card" aria-labelledby="kills">
    ${heading('kills', text.player.kills)}
    <ul class="kills">
      ${newest.map(
        ({ victim, match, map, time }) =>
          html`<li>
            ${playerLink(request, victim, 20)}
            <span class="soft small"
              ><a href="/matches/${idOf(match)}"><bdi>${map}</bdi></a> · ${ago(request, time)}</span
            >
          </li>`,
      )}
    </ul>
  </section>`;
}

async function punishments(request: PageRequest, player: Player): Promise<Html> {
  const { text, now } = request;
  const { items, next } = byKey(await listPunishmentsOf(request.db, player.key, request.beforeKey, PAGE_SIZE + 1, now));
  if (items.length === 0 && request.query('max_id') === undefined) return html``;
  return html`<section aria-labelledby="punishments">
    ${heading('punishments', text.sections.punishments)}
    ${punishmentTable(request, items, { withPlayer: false })}${pager(request.url, text.pager, next, 'max_id')}
  </section>`;
}

/** `/players/:uuid/matches` */
export async function playerMatchesPage(request: PageRequest): Promise<PageContent | Response> {
  const player = await requirePlayer(request, '/matches');
  if (player instanceof Response) return player;
  const { text } = request;
  const isShown = await isVisible(request, player);
  const played = isShown ? await listPlayedMatches(request.db, player.key, request.beforeKey, PAGE_SIZE + 1) : [];
  const { items, next } = byKey(played);
  return {
    title: text.match.listOf(player.name),
    description: text.match.listOf(player.name),
    path: `/players/${player.uuid}/matches`,
    section: 'players',
    noIndex: true,
    main: html`<h1>${text.player.matchesOf} ${playerLink(request, player, 40)}</h1>
      ${isShown ? await matchList(request, items) : html`<p class="notice">${text.player.private}</p>`}${pager(request.url, text.pager, next, 'max_id')}`,
  };
}
