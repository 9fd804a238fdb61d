import { html } from 'hono/html';
import { idOf, keyOf } from '#platform/ids.ts';
import type { Html } from '#http/page.ts';
import { uuidOf } from '#platform/text.ts';
import { leaders } from '#store/game/leaderboards.ts';
import { matchByKey } from '#store/game/matches.ts';
import { mapByKey } from '#store/game/maps.ts';
import { playerByKey, playerByUuid } from '#store/game/players.ts';
import { punishmentByKey } from '#store/game/punishments.ts';
import { type FoundMap, type FoundPlayer, searchMaps, searchPlayers } from '#store/game/search.ts';
import { player } from './components/player-link.ts';
import { heading, mode } from './components/labels.ts';
import type { PageContent, PageRequest } from './page-request.ts';

const MAX = 50;

/** `/search`: players by present and former names, maps by name, anything by its id or UUID. */
export async function search(request: PageRequest): Promise<PageContent | Response> {
  const { text } = request;
  const asked = request.query('q')?.trim() ?? '';
  const exact = asked === '' ? undefined : await byId(request, asked);
  if (exact !== undefined) return new Response(null, { status: 302, headers: { location: exact } });
  const found = asked === '' ? [] : await searchPlayers(request.db, asked, MAX);
  const maps = asked === '' ? [] : await searchMaps(request.db, asked, MAX);
  return {
    title: asked === '' ? text.search.label : text.search.results(asked),
    description: text.search.label,
    path: '/search',
    unlisted: true,
    main: html`<h1>${asked === '' ? text.search.label : html`<bdi>${text.search.results(asked)}</bdi>`}</h1>
      ${form(request, asked)}
      ${found.length + maps.length === 0 && asked !== '' ? html`<p>${text.search.nothing}</p>` : ''}
      <div class="two even">
        ${found.length === 0 ? '' : playersFound(request, found)}${maps.length === 0 ? '' : mapsFound(request, maps)}
      </div>`,
  };
}

/** Where an id or a UUID leads. */
async function byId({ db, now }: PageRequest, text: string): Promise<string | undefined> {
  const uuid = uuidOf(text);
  if (uuid !== undefined) return (await playerByUuid(db, uuid)) === undefined ? undefined : `/players/${uuid}`;
  const key = keyOf(text.toLowerCase());
  if (key === undefined) return undefined;
  if ((await matchByKey(db, key)) !== undefined) return `/matches/${idOf(key)}`;
  if ((await mapByKey(db, key)) !== undefined) return `/maps/${idOf(key)}`;
  if ((await punishmentByKey(db, key, now)) !== undefined) return `/punishments/${idOf(key)}`;
  const known = await playerByKey(db, key);
  return known === undefined ? undefined : `/players/${known.uuid}`;
}

function form({ text }: PageRequest, asked: string): Html {
  return html`<form class="big-find" role="search" aria-label="${text.search.label}" action="/search">
    <input
      type="search"
      name="q"
      value="${asked}"
      maxlength="64"
      required
      autocapitalize="off"
      spellcheck="false"
      aria-label="${text.search.label}"
      placeholder="${text.search.placeholder}"
    /><button>${text.search.button}</button>
  </form>`;
}

function playersFound({ text }: PageRequest, found: readonly FoundPlayer[]): Html {
  return html`<section class="card" aria-labelledby="players">
    ${heading('players', text.parts.players)}
    <ul class="found">
      ${found.map(
        (one) =>
          html`<li>
            ${player(one, 28)}${one.formerly === undefined ? '' : html` <span class="soft small">${text.search.formerly} <bdi>${one.formerly}</bdi></span>`}
          </li>`,
      )}
    </ul>
  </section>`;
}

function mapsFound(request: PageRequest, found: readonly FoundMap[]): Html {
  return html`<section class="card" aria-labelledby="maps">
    ${heading('maps', request.text.parts.maps)}
    <ul class="found">
      ${found.map(
        ({ key, name, gamemodes }) =>
          html`<li>
            <a href="/maps/${idOf(key)}"><bdi>${name}</bdi></a>
            <span class="soft small"
              >${gamemodes.slice(0, 3).map((gamemode) => html`${mode(request, gamemode)} `)}</span
            >
          </li>`,
      )}
    </ul>
  </section>`;
}

const SHOWN = 12;

/** `/players`: where to look for one, and who plays most. */
export async function players(request: PageRequest): Promise<PageContent> {
  const { text, deps, db, formats } = request;
  const { week } = deps.bucketsAt(request.now);
  const active = await leaders(db, { bucket: week, mode: 'total', metric: 'play', limit: SHOWN });
  return {
    title: text.parts.players,
    description: text.player.listDescription(deps.config.NETWORK_NAME),
    path: '/players',
    part: 'players',
    main: html`<h1>${text.parts.players}</h1>
      ${form(request, '')}
      <section aria-labelledby="active">
        ${heading('active', text.home.active, { href: '/leaderboards?by=play&period=week', words: text.more })}
        ${
          active.length === 0
            ? html`<p class="soft">${text.boards.none}</p>`
            : html`<ul class="people">
                ${active.map((leader) => html`<li class="card">${player(leader, 48)}<span class="soft small">${formats.number(leader.play)} ${text.counters.matches(leader.play)}</span></li>`)}
              </ul>`
        }
      </section>`,
  };
}
