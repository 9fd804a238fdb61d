import { html } from 'hono/html';
import { idOf, keyOf } from '#platform/ids.ts';
import type { Html } from '#http/page.ts';
import { keyCursor, listed, pager } from '#http/pager.ts';
import { mapSummaries } from '#store/game/map-summaries.ts';
import { type GameMap, listMaps } from '#store/game/maps.ts';
import { listServers, serverByName } from '#store/game/servers.ts';
import { choices, PAGE_SIZE } from './components/pager.ts';
import { thumb } from './components/map-image.ts';
import { GAMEMODES, modeLabel } from './components/labels.ts';
import type { PageContent, PageRequest } from './page-request.ts';

/** `/maps`: all maps, or the maps of a gamemode or of a server's rotation. */
export async function mapsPage(request: PageRequest): Promise<PageContent> {
  const { text, db } = request;
  const [gamemode, rotation] = [request.query('gamemode'), request.query('rotation')];
  const serverKey = rotation === undefined ? undefined : await serverKeyOf(request, rotation);
  const filter = {
    before: request.beforeKey,
    limit: PAGE_SIZE + 1,
    ...(gamemode === undefined ? {} : { gamemode }),
    // No server has key 0, so that the list is empty for an unknown server.
    ...(rotation === undefined ? {} : { serverKey: serverKey ?? 0 }),
  };
  const { items, next } = listed(await listMaps(db, filter), PAGE_SIZE, keyCursor);
  return {
    title: text.map.list,
    description: text.map.listDescription(request.deps.config.NETWORK_NAME),
    path: request.link({}),
    section: 'maps',
    noIndex: request.query('max_id') !== undefined,
    main: html`<h1>${text.map.list}</h1>
      ${await filters(request, gamemode, rotation)}
      ${items.length === 0 ? html`<p class="soft">${text.map.none}</p>` : await cards(request, items)}
      ${pager(request.url, text.pager, next, 'max_id')}`,
  };
}

/** The key of a server by its id or name. */
async function serverKeyOf(request: PageRequest, idOrName: string): Promise<number | undefined> {
  return keyOf(idOrName) ?? (await serverByName(request.db, idOrName))?.key;
}

async function filters(
  request: PageRequest,
  gamemode: string | undefined,
  rotation: string | undefined,
): Promise<Html> {
  const { text } = request;
  const all = { value: undefined, label: text.filters.all };
  const modes = GAMEMODES.map((value) => ({ value, label: text.gamemodes[value] }));
  const servers = (await listServers(request.db, request.presenceSince)).map(({ key, name }) => ({
    value: idOf(key),
    label: name,
  }));
  return html`<div class="filters">
    ${choices(request, text.filters.gamemode, 'gamemode', [all, ...modes], gamemode?.toLowerCase())}
    ${servers.length === 0 ? '' : choices(request, text.filters.rotation, 'rotation', [all, ...servers], rotation)}
  </div>`;
}

async function cards(request: PageRequest, items: readonly GameMap[]): Promise<Html> {
  const summaries = await mapSummaries(
    request.db,
    items.map(({ name }) => name),
  );
  return html`<ul class="map-cards">
    ${items.map((map) => {
      const summary = summaries.of(map.name) ?? {
        key: map.key,
        name: map.name,
        image: null,
        teams: map.teams,
      };
      return html`<li class="map-card card">
        <a class="cover" href="/maps/${idOf(map.key)}" aria-label="${map.name}"></a>${thumb(summary, 'card')}
        <strong><bdi>${map.name}</bdi></strong
        ><span class="soft small"
          >${map.gamemodes.slice(0, 4).map((gamemode, index) => html`${index > 0 ? ' · ' : ''}${modeLabel(request, gamemode)}`)}</span
        >
      </li>`;
    })}
  </ul>`;
}
