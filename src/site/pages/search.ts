import { html } from 'hono/html';
import { idOf, keyOf } from '#platform/ids.ts';
import type { Html } from '#http/page.ts';
import { uuidOf } from '#text/text.ts';
import { leaders } from '#store/game/leaderboards/leaderboards.ts';
import { matchByKey } from '#store/game/matches.ts';
import { mapByKey } from '#store/game/maps/maps.ts';
import { playerByKey, playerByUuid } from '#store/game/players.ts';
import { punishmentByKey } from '#store/game/punishments.ts';
import { type FoundMap, type FoundPlayer, searchMaps, searchPlayers, searchServers } from '#store/game/search.ts';
import { type Server, serverByKey } from '#store/game/servers.ts';
import { playerLink } from '#site/components/links.ts';
import { heading, modeLabel } from '#site/components/labels.ts';
import type { PageContent, PageRequest } from '#site/page-request.ts';

const MAX_RESULTS = 50;

/** `/search`: players by present and former names, servers and maps by any word of a name; an id or UUID redirects to its page. */
export async function searchPage(request: PageRequest): Promise<PageContent | Response> {
  const { text } = request;
  const query = request.query('q')?.trim() ?? '';
  const path = query === '' ? undefined : await pathOfId(request, query);
  if (path !== undefined) return new Response(null, { status: 302, headers: { location: path } });
  const sections = query === '' ? [] : await sectionsOf(request, query);
  return {
    title: query === '' ? text.search.label : text.search.results(query),
    description: text.search.label,
    path: '/search',
    noIndex: true,
    main: html`<h1>${query === '' ? text.search.label : html`<bdi>${text.search.results(query)}</bdi>`}</h1>
      ${searchForm(request, query)} ${sections.length === 0 && query !== '' ? html`<p>${text.search.nothing}</p>` : ''}
      <div class="two even">${sections}</div>`,
  };
}

async function sectionsOf(request: PageRequest, query: string): Promise<Html[]> {
  const { db, text } = request;
  const players = (await searchPlayers(db, query, MAX_RESULTS)).map((player) => foundPlayer(request, player));
  const servers = (await searchServers(db, query, MAX_RESULTS)).map(foundServer);
  const maps = (await searchMaps(db, query, MAX_RESULTS)).map((map) => foundMap(request, map));
  return [
    ...section('players', text.sections.players, players),
    ...section('servers', text.home.servers, servers),
    ...section('maps', text.sections.maps, maps),
  ];
}

function section(id: string, title: string, found: readonly Html[]): Html[] {
  if (found.length === 0) return [];
  return [
    html`<section class="card" aria-labelledby="${id}">
      ${heading(id, title)}
      <ul class="found">
        ${found.map((one) => html`<li>${one}</li>`)}
      </ul>
    </section>`,
  ];
}

function foundPlayer(request: PageRequest, player: FoundPlayer): Html {
  const { formerly } = player;
  const former = html` <span class="soft small">${request.text.search.formerly} <bdi>${formerly}</bdi></span>`;
  return html`${playerLink(request, player, 28)}${formerly === undefined ? '' : former}`;
}

const foundServer = ({ key, name }: Server): Html => html`<a href="/servers/${idOf(key)}"><bdi>${name}</bdi></a>`;

function foundMap(request: PageRequest, { key, name, gamemodes }: FoundMap): Html {
  return html`<a href="/maps/${idOf(key)}"><bdi>${name}</bdi></a>
    <span class="soft small">${gamemodes.slice(0, 3).map((gamemode) => html`${modeLabel(request, gamemode)} `)}</span>`;
}

/** The path of the page of an id or a player's UUID; undefined if nothing has it. */
async function pathOfId({ db, now }: PageRequest, text: string): Promise<string | undefined> {
  const uuid = uuidOf(text);
  if (uuid !== undefined) return (await playerByUuid(db, uuid)) === undefined ? undefined : `/players/${uuid}`;
  const key = keyOf(text.toLowerCase());
  if (key === undefined) return undefined;
  if ((await matchByKey(db, key)) !== undefined) return `/matches/${idOf(key)}`;
  if ((await mapByKey(db, key)) !== undefined) return `/maps/${idOf(key)}`;
  if ((await serverByKey(db, key, 0)) !== undefined) return `/servers/${idOf(key)}`;
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
