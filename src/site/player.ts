import { html } from 'hono/html';
import { idOf } from '#base/ids.ts';
import type { Html } from '#base/page.ts';
import { uuidOf } from '#base/text.ts';
import { activityOf } from '#records/boards.ts';
import { back, firstDayOf } from '#records/buckets.ts';
import { standingOf } from '#records/factions.ts';
import { listPlayedMatches } from '#records/match-lists.ts';
import { killsOf } from '#records/matches.ts';
import { type Stats, statsOf } from '#records/player-stats.ts';
import { findPlayer, namesOf, type Player, playerByUuid } from '#records/players.ts';
import { isBanned, listPunishmentsOf } from '#records/punishments.ts';
import { bars, ring } from './parts/charts.ts';
import { matchList } from './parts/match-list.ts';
import { listed, PAGE, pager } from './parts/pager.ts';
import { crest, player as personLink } from './parts/people.ts';
import { punishmentTable } from './parts/punishment-table.ts';
import { statsTable, totalOf } from './parts/stats-table.ts';
import { ago, moment } from './parts/times.ts';
import { figure, heading } from './parts/words.ts';
import type { PageContent, Visit } from './visit.ts';

const LATEST = 10;
const DAYS = 30;
const MONTHS = 12;

/**
 * The player that the address names by UUID; a name, a bare UUID or an id leads to the address that stays.
 * @throws WireError 404
 */
async function demandPlayer(visit: Visit, rest = ''): Promise<Player | Response> {
  const named = visit.params['id'] ?? '';
  if (uuidOf(named) === named) {
    const known = await playerByUuid(visit.db, named);
    if (known !== undefined) return known;
  }
  const found = named.length > 64 ? undefined : await findPlayer(visit.db, named);
  if (found === undefined) throw visit.missing();
  return new Response(null, { status: 302, headers: { location: `/players/${found.uuid}${rest}` } });
}

/** `/players/:uuid` */
export async function player(visit: Visit): Promise<PageContent | Response> {
  const found = await demandPlayer(visit);
  if (found instanceof Response) return found;
  const { db, now, text } = visit;
  const [stats, banned] = [await statsOf(db, found.key), await isBanned(db, found.key, now)];
  return {
    title: found.name,
    description: describe(visit, found, stats),
    path: `/players/${found.uuid}`,
    part: 'players',
    kind: 'player-page',
    picture: { path: `/cards/players/${found.uuid}.png`, alt: describe(visit, found, stats), large: true },
    main: html`${head(visit, found, banned)} ${summary(visit, stats)} ${await activity(visit, found)}
      <section aria-labelledby="modes">
        ${heading('modes', text.player.byMode)}${statsTable(visit, stats, await standingOf(db, found.key))}
      </section>
      <section aria-labelledby="latest">
        ${heading('latest', text.player.latest, { href: `/players/${found.uuid}/matches`, words: text.more })}${await latest(visit, found)}
      </section>
      <div class="two even">${await names(visit, found)}${await kills(visit, found)}</div>
      ${await punishments(visit, found)}`,
  };
}

/** What a player has done, in a sentence. */
export function describe({ text, formats }: Visit, { name }: Player, stats: Stats): string {
  const { play, win, kill, time } = totalOf(stats);
  return text.player.describe(
    name,
    formats.number(play),
    formats.number(win),
    formats.number(kill),
    formats.duration(time),
  );
}

function head(visit: Visit, found: Player, banned: boolean): Html {
  const { text } = visit;
  const { last_login: login, last_logout: logout, last_login_server: server } = found;
  const online = login !== null && (logout === null || logout < login);
  return html`<section class="profile">
    ${crest(found.uuid, 112)}
    <div>
      <h1><bdi>${found.name}</bdi>${banned ? html` <span class="banned">${text.player.banned}</span>` : ''}</h1>
      <p class="soft mono small">${found.uuid}</p>
      <p>
        ${
          login === null
            ? html`<span class="soft">${text.player.neverSeen}</span>`
            : online
              ? html`${text.player.lastLogin} ${moment(visit, login)} <span class="soft"><bdi>${server}</bdi></span>`
              : html`${text.player.lastSeen} ${moment(visit, logout!)} <span class="soft"><bdi>${server}</bdi></span>`
        }
      </p>
    </div>
  </section>`;
}

function summary({ text, formats }: Visit, stats: Stats): Html {
  const { play, win, lose, kill, death, time } = totalOf(stats);
  const decided = win + lose;
  const share = decided === 0 ? 0 : win / decided;
  return html`<section class="card summary" aria-label="${text.player.total}">
    ${ring(share, text.player.winShare(formats.percent(share)), formats.percent(share))}
    <dl class="figures-row">
      ${figure(formats.number(play), text.columns.matches)}${figure(formats.number(win), text.columns.wins)}
      ${figure(formats.number(kill), text.columns.kills)}${figure(formats.number(death), text.columns.deaths)}
      ${figure(formats.ratio(kill / Math.max(1, death)), text.columns.ratio)}${figure(formats.duration(time), text.columns.time)}
    </dl>
  </section>`;
}

/** Matches by day and by month. */
async function activity(visit: Visit, { key }: Player): Promise<Html> {
  const { kit, text, formats } = visit;
  const present = kit.bucketsAt(visit.now);
  const days = Array.from({ length: DAYS }, (_, place) => back(present.day, DAYS - 1 - place));
  const months = Array.from({ length: MONTHS }, (_, place) => back(present.month, MONTHS - 1 - place));
  const counts = await activityOf(visit.db, key, [...days, ...months]);
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

async function latest(visit: Visit, { key }: Player): Promise<Html> {
  const matches = await listPlayedMatches(visit.db, key, Number.MAX_SAFE_INTEGER, LATEST);
  return matches.length === 0 ? html`<p class="soft">${visit.text.match.none}</p>` : await matchList(visit, matches);
}

const SHOWN_NAMES = 20;

async function names(visit: Visit, { key, name }: Player): Promise<Html> {
  const { text } = visit;
  const all = await namesOf(visit.db, key);
  const former = all.filter((one) => one.name !== name);
  return html`<section class="card" aria-labelledby="names">
    ${heading('names', text.player.names)}
    <ol class="names-list">
      <li>
        <strong><bdi>${name}</bdi></strong> <span class="soft small">${text.player.present}</span>
      </li>
      ${former.slice(0, SHOWN_NAMES).map((one) => html`<li><bdi>${one.name}</bdi> <span class="soft small">${text.player.until} ${ago(visit, one.last_seen)}</span></li>`)}
    </ol>
  </section>`;
}

const SHOWN_KILLS = 8;

async function kills(visit: Visit, { key }: Player): Promise<Html> {
  const { text } = visit;
  const newest = await killsOf(visit.db, key, SHOWN_KILLS);
  if (newest.length === 0) return html``;
  return html`<section class="card" aria-labelledby="kills">
    ${heading('kills', text.player.kills)}
    <ul class="kills">
      ${newest.map(
        ({ victim, match, map, time }) =>
          html`<li>
            ${personLink(victim, 20)}
            <span class="soft small"
              ><a href="/matches/${idOf(match)}"><bdi>${map}</bdi></a> · ${ago(visit, time)}</span
            >
          </li>`,
      )}
    </ul>
  </section>`;
}

async function punishments(visit: Visit, found: Player): Promise<Html> {
  const { text, now } = visit;
  const { items, next } = listed(await listPunishmentsOf(visit.db, found.key, visit.before, PAGE + 1, now));
  if (items.length === 0 && visit.query('max_id') === undefined) return html``;
  return html`<section aria-labelledby="punishments">
    ${heading('punishments', text.parts.punishments)}
    ${punishmentTable(visit, items, { withPlayer: false })}${pager(visit, next)}
  </section>`;
}

/** `/players/:uuid/matches` */
export async function playerMatches(visit: Visit): Promise<PageContent | Response> {
  const found = await demandPlayer(visit, '/matches');
  if (found instanceof Response) return found;
  const { text } = visit;
  const { items, next } = listed(await listPlayedMatches(visit.db, found.key, visit.before, PAGE + 1));
  return {
    title: text.match.listOf(found.name),
    description: text.match.listOf(found.name),
    path: `/players/${found.uuid}/matches`,
    part: 'players',
    unlisted: true,
    main: html`<h1>${text.player.matchesOf} ${personLink(found, 40)}</h1>
      ${items.length === 0 ? html`<p class="soft">${text.match.none}</p>` : await matchList(visit, items)}${pager(visit, next)}`,
  };
}
