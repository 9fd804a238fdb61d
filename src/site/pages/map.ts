import { html } from 'hono/html';
import { idOf, keyOf } from '#platform/ids.ts';
import type { Html } from '#http/page.ts';
import { nameKey } from '#text/text.ts';
import { resultsOn } from '#store/game/leaderboards/leaderboards.ts';
import { listMatchesWhere } from '#store/game/match-lists.ts';
import {
  type GameMap,
  imageOf,
  mapByKey,
  mapByName,
  type MapRate,
  ratesOf,
  readRotations,
  mapSummaries,
} from '#store/game/maps/maps.ts';
import { serversPlaying } from '#store/game/servers.ts';
import { barChart, stackedBar } from '#site/components/charts.ts';
import { teamColours } from '#site/components/colours.ts';
import { matchList } from '#site/components/match-list.ts';
import { identicon, playerIcon, imageVersion, thumb } from '#site/components/links.ts';
import { imageResponse } from '#http/image-response.ts';
import { heading, modeLabel } from '#site/components/labels.ts';
import type { PageContent, PageRequest } from '#site/page-request.ts';

const LATEST_MATCHES = 10;
const SHOWN_VERSIONS = 6;

/** `/maps/:id`; a map's name redirects to its id. */
export async function mapPage(request: PageRequest): Promise<PageContent | Response> {
  const idOrName = request.params['id'] ?? '';
  const key = keyOf(idOrName);
  const map = key === undefined ? undefined : await mapByKey(request.db, key);
  if (map === undefined) return await redirectByName(request, idOrName);
  const { text } = request;
  const summary = (await mapSummaries(request.db, [map.name])).of(map.name);
  return {
    title: map.name,
    description: map.objective || text.map.describe(map.name, map.authors.map(({ name }) => name).filter(Boolean)),
    path: `/maps/${idOf(map.key)}`,
    section: 'maps',
    kind: 'map',
    picture: { path: `/cards/maps/${idOf(map.key)}.png`, alt: map.name, large: true },
    main: html`<section class="banner">
        ${thumb(summary, 'hero', true)}
        <div class="banner-words">
          <p class="soft">
            ${map.gamemodes.map((gamemode, index) => html`${index > 0 ? ' · ' : ''}<a href="/maps?gamemode=${encodeURIComponent(gamemode)}">${modeLabel(request, gamemode)}</a>`)}
          </p>
          <h1><bdi>${map.name}</bdi></h1>
          <p class="lead"><bdi>${map.objective}</bdi></p>
          <p class="soft small">${text.map.version} <bdi>${map.version}</bdi></p>
        </div>
      </section>
      <div class="two even">${credits(request, map)}${teams(request, map)}</div>
      <div class="two even">${await results(request, map)}${await ratings(request, map)}</div>
      ${await rotationsPlaying(request, map)}
      <section aria-labelledby="latest">
        ${heading('latest', text.match.latest, { href: `/matches?map=${encodeURIComponent(map.name)}`, label: text.more })}
        ${await latest(request, map)}
      </section>`,
  };
}

async function redirectByName(request: PageRequest, name: string): Promise<Response> {
  const map = name.length > 128 ? undefined : await mapByName(request.db, name);
  if (map === undefined) throw request.notFound();
  return new Response(null, { status: 302, headers: { location: `/maps/${idOf(map.key)}` } });
}

function credits(request: PageRequest, { authors }: GameMap): Html {
  const { text } = request;
  if (authors.length === 0) return html``;
  return html`<section class="card" aria-labelledby="authors">
    ${heading('authors', text.map.authors)}
    <ul class="credits">
      ${authors.map(({ name, uuid, contribution }) => {
        const shown = html`${uuid === '' ? identicon(name, 24) : playerIcon(request, uuid, 24)}<bdi
            >${name || text.map.unnamed}</bdi
          >`;
        return html`<li>
          ${uuid === '' ? html`<span class="player">${shown}</span>` : html`<a class="player" href="/players/${uuid}">${shown}</a>`}
          ${contribution === '' ? '' : html`<span class="soft small"><bdi>${contribution}</bdi></span>`}
        </li>`;
      })}
    </ul>
  </section>`;
}

function teams({ text, formats }: PageRequest, { teams: mapTeams }: GameMap): Html {
  if (mapTeams.length === 0) return html``;
  const colours = teamColours(mapTeams, mapTeams);
  return html`<section class="card" aria-labelledby="teams">
    ${heading('teams', text.map.teams)}
    <ul class="teams">
      ${mapTeams.map(
        ({ name, max }) =>
          html`<li class="c-${colours.get(name)!}">
            <span class="team-chip"><bdi>${name}</bdi></span
            >${max > 0 ? html` <span class="soft small">${text.map.upTo(formats.number(max))}</span>` : ''}
          </li>`,
      )}
    </ul>
  </section>`;
}

async function results({ db, text, formats }: PageRequest, { name, teams: mapTeams }: GameMap): Promise<Html> {
  const { matches, draws, teams: rows } = await resultsOn(db, nameKey(name));
  // Without teams the winners are players, whose page has their wins.
  if (matches === 0 || mapTeams.length === 0) return html``;
  const winners = rows.filter(({ play }) => play > 0).sort((a, b) => b.win - a.win).slice(0, 12); // prettier-ignore
  const colours = teamColours(
    winners.map(({ team }) => ({ name: team })),
    mapTeams,
  );
  const segments = winners.map(({ team, win }) => ({ value: win, colour: colours.get(team)!, title: team }));
  const rest = { value: draws, colour: 'gray', title: text.match.draw } as const;
  const share = (win: number): string => formats.percent(win / matches);
  return html`<section class="card" aria-labelledby="results">
    ${heading('results', text.map.results)}
    ${stackedBar([...segments, rest], text.map.resultsLabel(formats.number(matches)))}
    <ul class="legend">
      ${winners.map(
        ({ team, win }) =>
          html`<li>
            <span class="dot c-${colours.get(team)!}"></span><bdi>${team}</bdi>
            <span class="figures">${share(win)}</span>
          </li>`,
      )}${draws === 0 ? '' : html`<li><span class="dot c-gray"></span>${text.match.draw} <span class="figures">${share(draws)}</span></li>`}
    </ul>
    <p class="soft small">${text.map.resultsLabel(formats.number(matches))}</p>
  </section>`;
}

async function ratings(request: PageRequest, map: GameMap): Promise<Html> {
  const { text, formats } = request;
  const rates = ((await ratesOf(request.db, [map])).get(map.key) ?? []).reverse();
  if (rates.length === 0) return html``;
  return html`<section class="card" aria-labelledby="ratings">
    ${heading('ratings', text.map.ratings)}
    <ul class="ratings">
      ${rates.slice(0, SHOWN_VERSIONS).map((rate) => histogram(request, rate))}
    </ul>
    ${rates.length > SHOWN_VERSIONS ? html`<p class="soft small">${text.map.moreVersions(formats.number(rates.length - SHOWN_VERSIONS))}</p>` : ''}
  </section>`;
}

function histogram({ text, formats }: PageRequest, { version, counts }: MapRate): Html {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const average = counts.reduce((sum, count, index) => sum + count * (index + 1), 0) / Math.max(1, total);
  const label = text.map.ratingLabel(formats.ratio(average), formats.number(total));
  const chart = barChart(
    counts.map((value, index) => ({ value, title: `${index + 1}: ${formats.number(value)}` })),
    label,
  );
  return html`<li>
    <div>
      <strong class="figures">${formats.ratio(average)}</strong>
      <span class="soft small"
        >${text.map.version} <bdi>${version}</bdi> · ${text.map.votes(formats.number(total))}</span
      >
    </div>
    ${chart}
    <div class="histogram-ends soft small" aria-hidden="true">
      <span>1</span><span>2</span><span>3</span><span>4</span><span>5</span>
    </div>
  </li>`;
}

/** The servers that currently play the map, and the servers that have it in their rotation. */
async function rotationsPlaying(request: PageRequest, map: GameMap): Promise<Html> {
  const { text, db } = request;
  const found = await serversPlaying(db, [map.name], request.presenceSince);
  const playing = found.filter(({ map_key }) => map_key === map.key);
  const rotations = (await readRotations(db, [map])).get(nameKey(map.name)) ?? [];
  if (playing.length + rotations.length === 0) return html``;
  return html`<section class="card" aria-labelledby="where">
    ${heading('where', text.map.where)}
    ${playing.length === 0 ? '' : html`<p>${text.map.playing} ${playing.map(({ key, name }, index) => html`${index > 0 ? ', ' : ''}<a href="/servers/${idOf(key)}"><bdi>${name}</bdi></a>`)}</p>`}
    ${rotations.length === 0 ? '' : html`<p class="soft">${text.map.rotations} ${rotations.map((name, index) => html`${index > 0 ? ', ' : ''}<a href="/maps?rotation=${encodeURIComponent(name)}"><bdi>${name}</bdi></a>`)}</p>`}
  </section>`;
}

async function latest(request: PageRequest, { name }: GameMap): Promise<Html> {
  const matches = await listMatchesWhere(request.db, { map: nameKey(name) }, Number.MAX_SAFE_INTEGER, LATEST_MATCHES);
  return await matchList(request, matches);
}

/** `/maps/:id/image`; clients may cache it permanently if `v` is the version of the image. */
export async function mapImage(request: PageRequest): Promise<Response> {
  const image = await request.named((key) => imageOf(request.db, key));
  const { body, status, headers } = imageResponse(image, request.ifNoneMatch);
  if (request.url.searchParams.get('v') === imageVersion(image.hash))
    headers['cache-control'] = 'public, max-age=31536000, immutable';
  return new Response(body, { status, headers });
}
