import { html } from 'hono/html';
import { idOf, keyOf } from '#platform/ids.ts';
import type { Html } from '#http/page.ts';
import { nameKey } from '#text/text.ts';
import { pager } from '#http/pager.ts';
import { listMatchesWhere, type MatchFilters } from '#store/game/match-lists.ts';
import { listServers, serverByKey, serverByName } from '#store/game/servers.ts';
import { GAMEMODE_NAMES } from '#store/game/statistics-groups.ts';
import { matchList } from '#site/components/match-list.ts';
import { byKey, choices, PAGE_SIZE } from '#site/components/pager.ts';
import { modeName } from '#site/components/labels.ts';
import type { PageContent, PageRequest } from '#site/page-request.ts';

/** `/matches`: finished matches; all of them, or those of one gamemode, server or map. */
export async function matchesPage(request: PageRequest): Promise<PageContent> {
  const { text, db } = request;
  const gamemode = request.query('gamemode');
  const [server, map] = [request.query('server'), request.query('map')];
  const { filter, name } = await readFilter(request, { gamemode, server, map });
  const { items, next } = byKey(await listMatchesWhere(db, filter, request.beforeKey, PAGE_SIZE + 1));
  const title = name === undefined ? text.match.list : text.match.listOf(name);
  return {
    title,
    description: text.match.listDescription(request.deps.config.NETWORK_NAME),
    path: request.link({}),
    section: 'matches',
    noIndex: request.query('max_id') !== undefined,
    feeds: [{ path: '/matches.atom', title: text.feeds.matches }],
    main: html`<div class="heading">
        <h1>${title}</h1>
        <a class="feed" href="/matches.atom">${text.feeds.matches}</a>
      </div>
      ${await filters(request, gamemode, server)} ${await matchList(request, items)}
      ${pager(request.url, text.pager, next, 'max_id')}`,
  };
}

interface FilterParams {
  gamemode: string | undefined;
  server: string | undefined;
  map: string | undefined;
}

/** The first filter of map, server and gamemode that is given, with its name for the title. */
async function readFilter(
  request: PageRequest,
  { gamemode, server, map }: FilterParams,
): Promise<{ filter: MatchFilters; name: string | undefined }> {
  if (map !== undefined) return { filter: { map: nameKey(map) }, name: map };
  if (server !== undefined) {
    const key = keyOf(server);
    const found =
      (key === undefined ? undefined : await serverByKey(request.db, key, request.presenceSince)) ??
      (await serverByName(request.db, server));
    // No server has key 0, so that the list is empty for an unknown server.
    return { filter: { server: found?.key ?? 0 }, name: found?.name ?? server };
  }
  if (gamemode === undefined) return { filter: {}, name: undefined };
  return { filter: { gamemode: gamemode.toLowerCase() }, name: modeName(request, gamemode) };
}

async function filters(request: PageRequest, gamemode: string | undefined, server: string | undefined): Promise<Html> {
  const { text } = request;
  const servers = await listServers(request.db, request.presenceSince);
  const modes = GAMEMODE_NAMES.map((value) => ({ value, label: text.gamemodes[value] }));
  const byMode = choices(
    request,
    text.filters.gamemode,
    'gamemode',
    [{ value: undefined, label: text.filters.all }, ...modes],
    server === undefined && request.query('map') === undefined ? gamemode?.toLowerCase() : '',
    { server: undefined, map: undefined },
  );
  const byServer = choices(
    request,
    text.filters.server,
    'server',
    servers.map(({ key, name }) => ({ value: idOf(key), label: name })),
    server,
    { gamemode: undefined, map: undefined },
  );
  return html`<div class="filters">${byMode}${servers.length === 0 ? '' : byServer}</div>`;
}
