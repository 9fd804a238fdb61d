import { html } from 'hono/html';
import { idOf, keyOf } from '#base/ids.ts';
import type { Html } from '#base/page.ts';
import { nameKey } from '#base/text.ts';
import { mapSigns } from '#records/map-signs.ts';
import { type GameMap, listMaps } from '#records/maps.ts';
import { listServers, serverByName } from '#records/servers.ts';
import { choices, listed, PAGE, pager } from './parts/pager.ts';
import { thumb } from './parts/pictures.ts';
import { GAMEMODES, mode } from './parts/words.ts';
import type { PageContent, Visit } from './visit.ts';

/** `/maps`: all maps, or those of a gamemode or of a server's rotation. */
export async function maps(visit: Visit): Promise<PageContent> {
  const { text, db } = visit;
  const [gamemode, rotation] = [visit.query('gamemode'), visit.query('rotation')];
  const server = rotation === undefined ? undefined : await serverOf(visit, rotation);
  const wanted = {
    before: visit.before,
    limit: PAGE + 1,
    ...(gamemode === undefined ? {} : { gamemode }),
    ...(rotation === undefined ? {} : { serverKey: server ?? 0 }),
  };
  const { items, next } = listed(await listMaps(db, wanted));
  return {
    title: text.map.list,
    description: text.map.listDescription(visit.kit.config.NETWORK_NAME),
    path: visit.link({}),
    part: 'maps',
    unlisted: visit.query('max_id') !== undefined,
    main: html`<h1>${text.map.list}</h1>
      ${await filters(visit, gamemode, rotation)}
      ${items.length === 0 ? html`<p class="soft">${text.map.none}</p>` : await cards(visit, items)}
      ${pager(visit, next)}`,
  };
}

async function serverOf(visit: Visit, text: string): Promise<number | undefined> {
  return keyOf(text) ?? (await serverByName(visit.db, text))?.key;
}

async function filters(visit: Visit, gamemode: string | undefined, rotation: string | undefined): Promise<Html> {
  const { text } = visit;
  const all = { value: undefined, label: text.filters.all };
  const modes = GAMEMODES.map((value) => ({ value, label: text.gamemodes[value] }));
  const servers = (await listServers(visit.db, visit.presenceSince)).map(({ key, name }) => ({
    value: idOf(key),
    label: name,
  }));
  return html`<div class="filters">
    ${choices(visit, text.filters.gamemode, 'gamemode', [all, ...modes], gamemode?.toLowerCase())}
    ${servers.length === 0 ? '' : choices(visit, text.filters.rotation, 'rotation', [all, ...servers], rotation)}
  </div>`;
}

export async function cards(visit: Visit, items: readonly GameMap[]): Promise<Html> {
  const signs = await mapSigns(
    visit.db,
    items.map(({ name }) => name),
  );
  return html`<ul class="map-cards">
    ${items.map((map) => {
      const sign = signs.get(nameKey(map.name)) ?? { key: map.key, name: map.name, image: null, teams: map.teams };
      return html`<li class="map-card card">
        <a class="cover" href="/maps/${idOf(map.key)}" aria-label="${map.name}"></a>${thumb(sign, 'card')}
        <strong><bdi>${map.name}</bdi></strong
        ><span class="soft small"
          >${map.gamemodes.slice(0, 4).map((gamemode, place) => html`${place > 0 ? ' · ' : ''}${mode(visit, gamemode)}`)}</span
        >
      </li>`;
    })}
  </ul>`;
}
