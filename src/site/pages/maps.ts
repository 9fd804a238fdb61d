import { html } from 'hono/html';
import { idOf, keyOf } from '#platform/ids.ts';
import type { Html } from '#http/page.ts';
import { type Listed, listed, pager } from '#http/pager.ts';
import {
  listRankedMaps,
  type MapRank,
  MIN_VOTES,
  type Ranking,
  RANKINGS,
  readRanks,
} from '#store/game/maps/map-ranks.ts';
import { type GameMap, listMaps, mapSummaries } from '#store/game/maps/maps.ts';
import { listServerNames, serverByName } from '#store/game/servers.ts';
import { GAMEMODE_NAMES } from '#store/game/statistics-groups.ts';
import { byKey, choices, PAGE_SIZE, readBehind } from '#site/components/table.ts';
import { thumb } from '#site/components/links.ts';
import { modeLabel } from '#site/components/labels.ts';
import type { PageContent, PageRequest } from '#site/page-request.ts';

const SORTS = ['new', ...RANKINGS] as const;
type Sort = (typeof SORTS)[number];

/** A map in the list; without a rank until the job that counts has reached it. */
type ListedMap = GameMap & Partial<MapRank>;

interface MapFilter {
  gamemode: string | undefined;
  serverKey: number | undefined;
}

/** `/maps`: all maps, or the maps of a gamemode or of a server's rotation; newest, most played or best rated first. */
export async function mapsPage(request: PageRequest): Promise<PageContent> {
  const { text } = request;
  const [gamemode, rotation] = [request.query('gamemode'), request.query('rotation')];
  const sort = request.choice('sort', SORTS);
  // No server has key 0, so that the list is empty for an unknown server.
  const serverKey = rotation === undefined ? undefined : ((await findServerKey(request, rotation)) ?? 0);
  const filter = { gamemode, serverKey };
  const { items, next } = sort === 'new' ? await newestMaps(request, filter) : await rankedMaps(request, sort, filter);
  const cursor = sort === 'new' ? 'max_id' : 'behind';
  return {
    title: text.sections.maps,
    description: text.map.listDescription(request.deps.config.NETWORK_NAME),
    path: request.link({}),
    section: 'maps',
    noIndex: request.query(cursor) !== undefined,
    main: html`<h1>${text.sections.maps}</h1>
      ${await filters(request, gamemode, rotation, sort)}
      ${sort === 'rating' ? html`<p class="soft small">${text.map.fewVotes(MIN_VOTES)}</p>` : ''}
      ${items.length === 0 ? html`<p class="soft">${text.map.none}</p>` : await cards(request, items)}
      ${pager(request.url, text.pager, next, cursor)}`,
  };
}

async function newestMaps(request: PageRequest, { gamemode, serverKey }: MapFilter): Promise<Listed<ListedMap>> {
  const filter = {
    before: request.beforeKey,
    limit: PAGE_SIZE + 1,
    ...(gamemode === undefined ? {} : { gamemode }),
    ...(serverKey === undefined ? {} : { serverKey }),
  };
  const { items, next } = byKey(await listMaps(request.db, filter));
  const ranks = await readRanks(
    request.db,
    items.map(({ key }) => key),
  );
  return { items: items.map((map) => ({ ...map, ...ranks.get(map.key) })), next };
}

async function rankedMaps(request: PageRequest, ranking: Ranking, filter: MapFilter): Promise<Listed<ListedMap>> {
  const after = readBehind(request)?.entry;
  const found = await listRankedMaps(request.db, { ranking, ...filter, after, limit: PAGE_SIZE + 1 });
  return listed(found, PAGE_SIZE, (last) => `${last[ranking]}.${idOf(last.key)}`);
}

/** The key of a server by its id or name. */
async function findServerKey(request: PageRequest, idOrName: string): Promise<number | undefined> {
  return keyOf(idOrName) ?? (await serverByName(request.db, idOrName))?.key;
}

async function filters(
  request: PageRequest,
  gamemode: string | undefined,
  rotation: string | undefined,
  sort: Sort,
): Promise<Html> {
  const { text } = request;
  const sorts = SORTS.map((value) => ({ value: value === 'new' ? undefined : value, label: text.map.sorts[value] }));
  const all = { value: undefined, label: text.filters.all };
  const modes = GAMEMODE_NAMES.map((value) => ({ value, label: text.gamemodes[value] }));
  const servers = (await listServerNames(request.db)).map(({ key, name }) => ({
    value: idOf(key),
    label: name,
  }));
  return html`<div class="filters">
    ${choices(request, text.filters.gamemode, 'gamemode', [all, ...modes], gamemode?.toLowerCase(), FIRST_PAGE)}
    ${servers.length === 0 ? '' : choices(request, text.filters.rotation, 'rotation', [all, ...servers], rotation, FIRST_PAGE)}
    ${choices(request, text.filters.order, 'sort', sorts, sort === 'new' ? undefined : sort, FIRST_PAGE)}
  </div>`;
}

/** Another filter or order begins at its first page. */
const FIRST_PAGE = { behind: undefined };

async function cards(request: PageRequest, items: readonly ListedMap[]): Promise<Html> {
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
        ${rankLine(request, map)}
      </li>`;
    })}
  </ul>`;
}

/** How often the map was played, and its average rating if there are enough votes. */
function rankLine({ text, formats }: PageRequest, { plays, votes = 0, rating = 0 }: ListedMap): Html {
  if (plays === undefined) return html``;
  const average = formats.ratio(rating / 1_000);
  return html`<span class="map-rank small">
    <span>${text.map.plays(formats.number(plays))}</span>
    ${rating === 0 ? '' : html`<span title="${text.map.rating(average, formats.number(votes))}">★ <span class="figures">${average}</span> <span class="soft">(${formats.number(votes)})</span></span>`}
  </span>`;
}
