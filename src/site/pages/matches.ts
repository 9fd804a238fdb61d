import { html } from 'hono/html';
import { idOf, keyOf } from '#platform/ids.ts';
import type { Html } from '#http/page.ts';
import { nameKey } from '#text/text.ts';
import { pager } from '#http/pager.ts';
import { filteredMatches, listMatchesByKeys, listMatchesWhere, type MatchFilters } from '#store/game/match-lists.ts';
import { teamsKey } from '#store/game/own-teams.ts';
import { findPlayer, type Player } from '#store/game/players.ts';
import { isPrivate } from '#store/game/private-players.ts';
import { listServerNames, serverByKey, serverByName } from '#store/game/servers.ts';
import { GAMEMODE_NAMES } from '#store/game/statistics-groups.ts';
import { matchList } from '#site/components/match-list.ts';
import { byKey, choices, PAGE_SIZE } from '#site/components/table.ts';
import { modeName } from '#site/components/labels.ts';
import type { PageContent, PageRequest } from '#site/page-request.ts';

/** `/matches`: finished matches; all of them, or those of a player, two teams, a map or a server, and of a gamemode. */
export async function matchesPage(request: PageRequest): Promise<PageContent> {
  const { text } = request;
  const filter = await readFilter(request);
  const { items, next } = byKey(await listMatches(request, filter));
  const title = filter.names.length === 0 ? text.sections.matches : text.match.listOf(filter.names.join(' · '));
  return {
    title,
    description: text.match.listDescription(request.deps.config.NETWORK_NAME),
    path: request.link({}),
    section: 'matches',
    noIndex: request.query('max_id') !== undefined || filter.player !== undefined || filter.filters.team !== undefined,
    feeds: [{ path: '/matches.atom', title: text.feeds.matches }],
    main: html`<div class="heading">
        <h1>${title}</h1>
        <a class="feed" href="/matches.atom">${text.feeds.matches}</a>
      </div>
      ${await filterLinks(request, filter)}
      ${filter.isPrivate ? html`<p class="notice">${text.player.private}</p>` : await matchList(request, items)}
      ${pager(request.url, text.pager, next, 'max_id')}`,
  };
}

interface Filter {
  filters: MatchFilters;
  /** For the title. */
  names: string[];
  player: Player | undefined;
  /** Whether the player shows no matches. */
  isPrivate: boolean;
}

async function listMatches({ db, beforeKey }: PageRequest, { filters, isPrivate }: Filter) {
  if (isPrivate) return [];
  const given = Object.values(filters).filter((value) => value !== undefined);
  if (given.length <= 1 && filters.player === undefined && filters.team === undefined)
    return await listMatchesWhere(db, filters, beforeKey, PAGE_SIZE + 1);
  const keys = await filteredMatches(db, filters, beforeKey, PAGE_SIZE + 1);
  return await listMatchesByKeys(db, keys, filters.player);
}

/** No player and no server has it, so that the list is empty for an unknown one. */
const UNKNOWN = 0;

/** The filters that are given. A server beside a map counts only for a player, and so do teams beside either: no index has both. */
async function readFilter(request: PageRequest): Promise<Filter> {
  const { db } = request;
  const [gamemode, server, map, asked] = ['gamemode', 'server', 'map', 'player'].map((name) => request.query(name));
  const player = asked === undefined || asked.length > 64 ? undefined : await findPlayer(db, asked, 'public');
  const chosen = server === undefined || (map !== undefined && asked === undefined) ? undefined : server;
  const named = request.queries('team');
  const teams = named.length === 2 && (asked !== undefined || (map ?? server) === undefined) ? named : [];
  const found = chosen === undefined ? undefined : await findServer(request, chosen);
  return {
    filters: {
      player: asked === undefined ? undefined : (player?.key ?? UNKNOWN),
      map: map === undefined ? undefined : nameKey(map),
      server: chosen === undefined ? undefined : (found?.key ?? UNKNOWN),
      gamemode: gamemode?.toLowerCase(),
      team: teams.length === 0 ? undefined : teamsKey(teams),
    },
    names: [
      ...(asked === undefined ? [] : [player?.name ?? asked]),
      ...(teams.length === 0 ? [] : [teams.join(' – ')]),
      ...(map === undefined ? [] : [map]),
      ...(chosen === undefined ? [] : [found?.name ?? chosen]),
      ...(gamemode === undefined ? [] : [modeName(request, gamemode)]),
    ],
    player,
    isPrivate: player !== undefined && (await isPrivate(db, player.uuid)),
  };
}

/** A server by its id or its name. */
async function findServer({ db, presenceSince }: PageRequest, idOrName: string) {
  const key = keyOf(idOrName);
  const byId = key === undefined ? undefined : await serverByKey(db, key, presenceSince);
  return byId ?? (await serverByName(db, idOrName));
}

/** Links for the gamemode and the server, and a form for the names of a player and a map. */
async function filterLinks(request: PageRequest, { filters }: Filter): Promise<Html> {
  const { text } = request;
  const servers = await listServerNames(request.db);
  const modes = GAMEMODE_NAMES.map((value) => ({ value, label: text.gamemodes[value] }));
  const all = { value: undefined, label: text.filters.all };
  const byMode = choices(request, text.filters.gamemode, 'gamemode', [all, ...modes], filters.gamemode);
  const names = servers.map(({ key, name }) => ({ value: idOf(key), label: name }));
  const server = filters.server === undefined ? undefined : idOf(filters.server);
  const others = filters.player === undefined ? { map: undefined, team: undefined } : {};
  const byServer = choices(request, text.filters.server, 'server', [all, ...names], server, others);
  const fields = ['gamemode', 'team', ...(filters.player === undefined ? [] : ['server'])].flatMap((name) =>
    request.queries(name).map((value) => html`<input type="hidden" name="${name}" value="${value}" />`),
  );
  const input = (name: 'player' | 'map', label: string): Html =>
    html`<input
      name="${name}"
      value="${request.query(name) ?? ''}"
      maxlength="128"
      autocapitalize="off"
      spellcheck="false"
      aria-label="${label}"
      placeholder="${label}"
    />`;
  return html`<div class="filters">
    ${byMode}${servers.length === 0 ? '' : byServer}
    ${filters.team === undefined ? '' : html`<a href="${request.link({ team: undefined })}">${text.filters.teams}</a>`}
    <form class="big-find" action="/matches">
      ${fields}${input('player', text.columns.player)}${input('map', text.filters.map)}<button>
        ${text.filters.apply}
      </button>
    </form>
  </div>`;
}
