import { html } from 'hono/html';
import { idOf, keyOf } from '#platform/ids.ts';
import type { Html } from '#http/page.ts';
import { uuidOf } from '#platform/text/text.ts';
import { leaders } from '#store/game/leaderboards/leaderboards.ts';
import { matchByKey } from '#store/game/matches.ts';
import { mapByKey } from '#store/game/maps/maps.ts';
import { playerByKey, playerByUuid } from '#store/game/players.ts';
import { punishmentByKey } from '#store/game/punishments.ts';
import { type FoundMap, type FoundPlayer, searchMaps, searchPlayers } from '#store/game/search.ts';
import { playerLink } from '#site/components/player-link.ts';
import { heading, modeLabel } from '#site/components/labels.ts';
import type { PageContent, PageRequest } from '#site/page-request.ts';

const MAX_RESULTS = 50;

/** `/search`: players by current and former names, maps by name; an id or UUID redirects to its page. */
export async function searchPage(request: PageRequest): Promise<PageContent | Response> {
  const { text } = request;
  const query = request.query('q')?.trim() ?? '';
  const path = query === '' ? undefined : await pathOfId(request, query);
  if (path !== undefined) return new Response(null, { status: 302, headers: { location: path } });
  const foundPlayers = query === '' ? [] : await searchPlayers(request.db, query, MAX_RESULTS);
  const foundMaps = query === '' ? [] : await searchMaps(request.db, query, MAX_RESULTS);
  return {
    title: query === '' ? text.search.label : text.search.results(query),
    description: text.search.label,
    path: '/search',
    noIndex: true,
    main: html`<h1>${query === '' ? text.search.label : html`<bdi>${text.search.results(query)}</bdi>`}</h1>
      ${searchForm(request, query)}
      ${foundPlayers.length + foundMaps.length === 0 && query !== '' ? html`<p>${text.search.nothing}</p>` : ''}
      <div class="two even">
        ${foundPlayers.length === 0 ? '' : playerResults(request, foundPlayers)}${foundMaps.length === 0 ? '' : mapResults(request, foundMaps)}
      </div>`,
  };
}

/** The path of the page of an id or a player's UUID; undefined if nothing has it. */
async function pathOfId({ db, now }: PageRequest, text: string): Promise<string | undefined> {
  const uuid = uuidOf(text);
  if (uuid !== undefined) return (await playerByUuid(db, uuid)) === undefined ? undefined : `/players/${uuid}`;
  const key = keyOf(text.toLowerCase());
  if (key === undefined) return undefined;
  if ((await matchByKey(db, key)) !== undefined) return `/matches/${idOf(key)}`;
  if ((await mapByKey(db, key)) !== undefined) return `/maps/${idOf(key)}`;
  if ((await punishmentByKey(db, key, now)) !== undefined) return `/punishments/${idOf(key)}`;
  const foundPlayer = await playerByKey(db, key);
  return foundPlayer === undefined ? undefined : `/players/${foundPlayer.uuid}`;
}

/** The search field of a page. */
export function searchForm({ text }: PageRequest, query: string): Html {
  return html`<form class="big-find" role="search" aria-label="${text.search.label}" action="/search">
    <input
      type="search"
      name="q"
      value="${query}"
      maxlength="64"
      required
      autocapitalize="off"
      spellcheck="false"
      aria-label="${text.search.label}"
      placeholder="${text.search.placeholder}"
    /><button>${text.search.button}</button>
  </form>`;
}

function playerResults(request: PageRequest, players: readonly FoundPlayer[]): Html {
  const { text } = request;
  return html`<section class="card" aria-labelledby="players">
    ${heading('players', text.sections.players)}
    <ul class="found">
      ${players.map(
        (result) =>
          html`<li>
            ${playerLink(request, result, 28)}${result.formerly === undefined ? '' : html` <span class="soft small">${text.search.formerly} <bdi>${result.formerly}</bdi></span>`}
          </li>`,
      )}
    </ul>
  </section>`;
}

function mapResults(request: PageRequest, maps: readonly FoundMap[]): Html {
  return html`<section class="card" aria-labelledby="maps">
    ${heading('maps', request.text.sections.maps)}
    <ul class="found">
      ${maps.map(
        ({ key, name, gamemodes }) =>
          html`<li>
            <a href="/maps/${idOf(key)}"><bdi>${name}</bdi></a>
            <span class="soft small"
              >${gamemodes.slice(0, 3).map((gamemode) => html`${modeLabel(request, gamemode)} `)}</span
            >
          </li>`,
      )}
    </ul>
  </section>`;
}

const ACTIVE_PLAYERS = 12;

/** `/players`: a search form and the most active players of the week. */
export async function playersPage(request: PageRequest): Promise<PageContent> {
  const { text, deps, db, formats } = request;
  const { week } = deps.bucketsAt(request.now);
  const active = await leaders(db, { bucket: week, mode: 'total', metric: 'play', limit: ACTIVE_PLAYERS });
  return {
    title: text.sections.players,
    description: text.player.listDescription(deps.config.NETWORK_NAME),
    path: '/players',
    section: 'players',
    main: html`<h1>${text.sections.players}</h1>
      ${searchForm(request, '')}
      <section aria-labelledby="active">
        ${heading('active', text.home.active, { href: '/leaderboards?by=play&period=week', label: text.more })}
        ${
          active.length === 0
            ? html`<p class="soft">${text.boards.none}</p>`
            : html`<ul class="people">
                ${active.map((leader) => html`<li class="card">${playerLink(request, leader, 48)}<span class="soft small">${formats.number(leader.play)} ${text.counters.matches(leader.play)}</span></li>`)}
              </ul>`
        }
      </section>`,
  };
}
