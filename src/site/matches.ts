import { html } from 'hono/html';
import { idOf, keyOf } from '#base/ids.ts';
import type { Html } from '#base/page.ts';
import { nameKey } from '#base/text.ts';
import { listMatchesWhere, type MatchFilter } from '#records/match-lists.ts';
import { listServers, serverByKey, serverByName } from '#records/servers.ts';
import { matchList } from './parts/match-list.ts';
import { choices, listed, PAGE, pager } from './parts/pager.ts';
import { GAMEMODES, modeName } from './parts/words.ts';
import type { PageContent, Visit } from './visit.ts';

/** `/matches`: finished matches, all or of one mode, server or map. */
export async function matches(visit: Visit): Promise<PageContent> {
  const { text, db } = visit;
  const gamemode = visit.query('gamemode');
  const [server, map] = [visit.query('server'), visit.query('map')];
  const { filter, name } = await filterOf(visit, { gamemode, server, map });
  const { items, next } = listed(await listMatchesWhere(db, filter, visit.before, PAGE + 1));
  const title = name === undefined ? text.match.list : text.match.listOf(name);
  return {
    title,
    description: text.match.listDescription(visit.kit.config.NETWORK_NAME),
    path: visit.link({}),
    part: 'matches',
    unlisted: visit.query('max_id') !== undefined,
    feed: { path: '/matches.atom', title: text.match.list },
    main: html`<div class="heading">
        <h1>${title}</h1>
        <a class="feed" href="/matches.atom">Atom</a>
      </div>
      ${await filters(visit, gamemode, server)}
      ${items.length === 0 ? html`<p class="soft">${text.match.none}</p>` : await matchList(visit, items)}
      ${pager(visit, next)}`,
  };
}

interface Asked {
  gamemode: string | undefined;
  server: string | undefined;
  map: string | undefined;
}

/** The one thing that is filtered by; what names nothing gives an empty list. */
async function filterOf(
  visit: Visit,
  { gamemode, server, map }: Asked,
): Promise<{ filter: MatchFilter; name: string | undefined }> {
  if (map !== undefined) return { filter: { mapKey: nameKey(map) }, name: map };
  if (server !== undefined) {
    const key = keyOf(server);
    const known =
      (key === undefined ? undefined : await serverByKey(visit.db, key, visit.presenceSince)) ??
      (await serverByName(visit.db, server));
    return { filter: { serverKey: known?.key ?? 0 }, name: known?.name ?? server };
  }
  if (gamemode === undefined) return { filter: undefined, name: undefined };
  return { filter: { gamemode: gamemode.toLowerCase() }, name: modeName(visit, gamemode) };
}

const NO_OTHER = { server: undefined, map: undefined };

async function filters(visit: Visit, gamemode: string | undefined, server: string | undefined): Promise<Html> {
  const { text } = visit;
  const servers = await listServers(visit.db, visit.presenceSince);
  const modes = GAMEMODES.map((value) => ({ value, label: text.gamemodes[value] }));
  const byMode = choices(
    visit,
    text.filters.gamemode,
    'gamemode',
    [{ value: undefined, label: text.filters.all }, ...modes],
    server === undefined && visit.query('map') === undefined ? gamemode?.toLowerCase() : '',
    NO_OTHER,
  );
  const byServer = choices(
    visit,
    text.filters.server,
    'server',
    servers.map(({ key, name }) => ({ value: idOf(key), label: name })),
    server,
    { gamemode: undefined, map: undefined } as never,
  );
  return html`<div class="filters">${byMode}${servers.length === 0 ? '' : byServer}</div>`;
}
