import { html } from 'hono/html';
import { idOf, keyOf } from '#platform/ids.ts';
import type { Html } from '#http/page.ts';
import { nameKey } from '#platform/text.ts';
import { keyCursor, listed, pager } from '#http/pager.ts';
import { listMatchesWhere, type MatchFilter } from '#store/game/match-lists.ts';
import { listServers, serverByKey, serverByName } from '#store/game/servers.ts';
import { matchList } from './components/match-list.ts';
import { choices, PAGE } from './components/pager.ts';
import { GAMEMODES, modeName } from './components/labels.ts';
import type { PageContent, PageRequest } from './page-request.ts';

/** `/matches`: finished matches, all or of one mode, server or map. */
export async function matches(request: PageRequest): Promise<PageContent> {
  const { text, db } = request;
  const gamemode = request.query('gamemode');
  const [server, map] = [request.query('server'), request.query('map')];
  const { filter, name } = await filterOf(request, { gamemode, server, map });
  const { items, next } = listed(await listMatchesWhere(db, filter, request.before, PAGE + 1), PAGE, keyCursor);
  const title = name === undefined ? text.match.list : text.match.listOf(name);
  return {
    title,
    description: text.match.listDescription(request.deps.config.NETWORK_NAME),
    path: request.link({}),
    part: 'matches',
    unlisted: request.query('max_id') !== undefined,
    feed: { path: '/matches.atom', title: text.match.list },
    main: html`<div class="heading">
        <h1>${title}</h1>
        <a class="feed" href="/matches.atom">Atom</a>
      </div>
      ${await filters(request, gamemode, server)}
      ${items.length === 0 ? html`<p class="soft">${text.match.none}</p>` : await matchList(request, items)}
      ${pager(request.url, text.pager, next, 'max_id')}`,
  };
}

interface Asked {
  gamemode: string | undefined;
  server: string | undefined;
  map: string | undefined;
}

/** The one thing that is filtered by; what names nothing gives an empty list. */
async function filterOf(
  request: PageRequest,
  { gamemode, server, map }: Asked,
): Promise<{ filter: MatchFilter; name: string | undefined }> {
  if (map !== undefined) return { filter: { mapKey: nameKey(map) }, name: map };
  if (server !== undefined) {
    const key = keyOf(server);
    const known =
      (key === undefined ? undefined : await serverByKey(request.db, key, request.presenceSince)) ??
      (await serverByName(request.db, server));
    return { filter: { serverKey: known?.key ?? 0 }, name: known?.name ?? server };
  }
  if (gamemode === undefined) return { filter: undefined, name: undefined };
  return { filter: { gamemode: gamemode.toLowerCase() }, name: modeName(request, gamemode) };
}

const NO_OTHER = { server: undefined, map: undefined };

async function filters(request: PageRequest, gamemode: string | undefined, server: string | undefined): Promise<Html> {
  const { text } = request;
  const servers = await listServers(request.db, request.presenceSince);
  const modes = GAMEMODES.map((value) => ({ value, label: text.gamemodes[value] }));
  const byMode = choices(
    request,
    text.filters.gamemode,
    'gamemode',
    [{ value: undefined, label: text.filters.all }, ...modes],
    server === undefined && request.query('map') === undefined ? gamemode?.toLowerCase() : '',
    NO_OTHER,
  );
  const byServer = choices(
    request,
    text.filters.server,
    'server',
    servers.map(({ key, name }) => ({ value: idOf(key), label: name })),
    server,
    { gamemode: undefined, map: undefined } as never,
  );
  return html`<div class="filters">${byMode}${servers.length === 0 ? '' : byServer}</div>`;
}
