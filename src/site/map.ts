import { html } from 'hono/html';
import { idOf, keyOf } from '#platform/ids.ts';
import type { Html } from '#http/page.ts';
import { nameKey } from '#platform/text.ts';
import { resultsOn } from '#store/game/leaderboards.ts';
import { mapSummaries } from '#store/game/map-summaries.ts';
import { listMatchesWhere } from '#store/game/match-lists.ts';
import { type GameMap, imageOf, mapByKey, mapByName, type MapRate, ratesOf, rotationsOf } from '#store/game/maps.ts';
import { serversPlaying } from '#store/game/servers.ts';
import { bars, shares } from './components/charts.ts';
import { coloursOf } from './components/colours.ts';
import { matchList } from './components/match-list.ts';
import { identicon } from './components/player-link.ts';
import { mapImagePath, thumb } from './components/map-image.ts';
import { heading, mode } from './components/labels.ts';
import type { PageContent, PageRequest } from './page-request.ts';

const LATEST = 10;
const SHOWN_VERSIONS = 6;

/** `/maps/:id`; a map's name leads there too. */
export async function map(request: PageRequest): Promise<PageContent | Response> {
  const named = request.params['id'] ?? '';
  const key = keyOf(named);
  const found = key === undefined ? undefined : await mapByKey(request.db, key);
  if (found === undefined) return await byName(request, named);
  const { text } = request;
  const sign = (await mapSummaries(request.db, [found.name])).get(nameKey(found.name));
  const picture = sign?.key === found.key && sign.image !== null ? mapImagePath(sign.key, sign.image) : undefined;
  return {
    title: found.name,
    description:
      found.objective || text.map.describe(found.name, found.authors.map(({ name }) => name).filter(Boolean)),
    path: `/maps/${idOf(found.key)}`,
    part: 'maps',
    kind: 'map',
    picture: picture === undefined ? undefined : { path: picture, alt: text.map.picture(found.name), large: false },
    main: html`<section class="banner">
        ${thumb(sign, 'hero', true)}
        <div class="banner-words">
          <p class="soft">
            ${found.gamemodes.map((gamemode, place) => html`${place > 0 ? ' · ' : ''}<a href="/maps?gamemode=${encodeURIComponent(gamemode)}">${mode(request, gamemode)}</a>`)}
          </p>
          <h1><bdi>${found.name}</bdi></h1>
          <p class="lead"><bdi>${found.objective}</bdi></p>
          <p class="soft small">${text.map.version} <bdi>${found.version}</bdi></p>
        </div>
      </section>
      <div class="two even">${credits(request, found)}${teams(request, found)}</div>
      <div class="two even">${await results(request, found)}${await ratings(request, found)}</div>
      ${await rotationsPlaying(request, found)}
      <section aria-labelledby="latest">
        ${heading('latest', text.map.latest, { href: `/matches?map=${encodeURIComponent(found.name)}`, words: text.more })}
        ${await latest(request, found)}
      </section>`,
  };
}

async function byName(request: PageRequest, name: string): Promise<Response> {
  const found = name.length > 128 ? undefined : await mapByName(request.db, name);
  if (found === undefined) throw request.missing();
  return new Response(null, { status: 302, headers: { location: `/maps/${idOf(found.key)}` } });
}

function credits({ text }: PageRequest, { authors }: GameMap): Html {
  if (authors.length === 0) return html``;
  return html`<section class="card" aria-labelledby="authors">
    ${heading('authors', text.map.authors)}
    <ul class="credits">
      ${authors.map(({ name, uuid, contribution }) => {
        const shown = html`${identicon(uuid || name, 24)}<bdi>${name || text.map.unnamed}</bdi>`;
        return html`<li>
          ${uuid === '' ? html`<span class="player">${shown}</span>` : html`<a class="player" href="/players/${uuid}">${shown}</a>`}
          ${contribution === '' ? '' : html`<span class="soft small"><bdi>${contribution}</bdi></span>`}
        </li>`;
      })}
    </ul>
  </section>`;
}

function teams({ text, formats }: PageRequest, { teams: all }: GameMap): Html {
  if (all.length === 0) return html``;
  const colours = coloursOf(all, all);
  return html`<section class="card" aria-labelledby="teams">
    ${heading('teams', text.map.teams)}
    <ul class="teams">
      ${all.map(
        ({ name, max }) =>
          html`<li class="c-${colours.get(name)!}">
            <span class="team-chip"><bdi>${name}</bdi></span
            >${max > 0 ? html` <span class="soft small">${text.map.upTo(formats.number(max))}</span>` : ''}
          </li>`,
      )}
    </ul>
  </section>`;
}

async function results({ db, text, formats }: PageRequest, { name, teams: received }: GameMap): Promise<Html> {
  const { matches, draws, teams: rows } = await resultsOn(db, nameKey(name));
  if (matches === 0) return html``;
  const winners = rows.filter(({ play }) => play > 0).sort((a, b) => b.win - a.win).slice(0, 12); // prettier-ignore
  const colours = coloursOf(
    winners.map(({ team }) => ({ name: team })),
    received,
  );
  const parts = winners.map(({ team, win }) => ({ value: win, colour: colours.get(team)!, title: team }));
  const rest = { value: draws, colour: 'gray', title: text.match.draw } as const;
  const quota = (win: number): string => formats.percent(win / matches);
  return html`<section class="card" aria-labelledby="results">
    ${heading('results', text.map.results)} ${shares([...parts, rest], text.map.resultsLabel(formats.number(matches)))}
    <ul class="legend">
      ${winners.map(
        ({ team, win }) =>
          html`<li>
            <span class="dot c-${colours.get(team)!}"></span><bdi>${team}</bdi>
            <span class="figures">${quota(win)}</span>
          </li>`,
      )}${draws === 0 ? '' : html`<li><span class="dot c-gray"></span>${text.match.draw} <span class="figures">${quota(draws)}</span></li>`}
    </ul>
    <p class="soft small">${text.map.resultsLabel(formats.number(matches))}</p>
  </section>`;
}

async function ratings(request: PageRequest, found: GameMap): Promise<Html> {
  const { text, formats } = request;
  const rates = ((await ratesOf(request.db, [found])).get(found.key) ?? []).reverse();
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
  const average = counts.reduce((sum, count, place) => sum + count * (place + 1), 0) / Math.max(1, total);
  const label = text.map.ratingLabel(formats.ratio(average), formats.number(total));
  const drawn = bars(
    counts.map((value, place) => ({ value, title: `${place + 1}: ${formats.number(value)}` })),
    label,
  );
  return html`<li>
    <div>
      <strong class="figures">${formats.ratio(average)}</strong>
      <span class="soft small"
        >${text.map.version} <bdi>${version}</bdi> · ${text.map.votes(formats.number(total), total)}</span
      >
    </div>
    ${drawn}
    <div class="histogram-ends soft small" aria-hidden="true">
      <span>1</span><span>2</span><span>3</span><span>4</span><span>5</span>
    </div>
  </li>`;
}

/** Where the map is played now, and in whose rotation it stands. */
async function rotationsPlaying(request: PageRequest, found: GameMap): Promise<Html> {
  const { text, db } = request;
  const playing = await serversPlaying(db, [nameKey(found.name)], request.presenceSince);
  const rotations = (await rotationsOf(db, [found])).get(nameKey(found.name)) ?? [];
  if (playing.length + rotations.length === 0) return html``;
  return html`<section class="card" aria-labelledby="where">
    ${heading('where', text.map.where)}
    ${playing.length === 0 ? '' : html`<p>${text.map.playing} ${playing.map(({ key, name }, place) => html`${place > 0 ? ', ' : ''}<a href="/matches?server=${idOf(key)}"><bdi>${name}</bdi></a>`)}</p>`}
    ${rotations.length === 0 ? '' : html`<p class="soft">${text.map.rotations} ${rotations.map((name, place) => html`${place > 0 ? ', ' : ''}<a href="/maps?rotation=${encodeURIComponent(name)}"><bdi>${name}</bdi></a>`)}</p>`}
  </section>`;
}

async function latest(request: PageRequest, { name }: GameMap): Promise<Html> {
  const matches = await listMatchesWhere(request.db, { mapKey: nameKey(name) }, Number.MAX_SAFE_INTEGER, LATEST);
  return matches.length === 0
    ? html`<p class="soft">${request.text.match.none}</p>`
    : await matchList(request, matches);
}

/** `/maps/:id/image`: kept for good where the address names its content. */
export async function mapImage(request: PageRequest, known: string | undefined): Promise<Response> {
  const key = keyOf(request.params['id'] ?? '');
  const image = key === undefined ? undefined : await imageOf(request.db, key);
  if (image === undefined) throw request.missing();
  const etag = `"${image.hash}"`;
  const fixed = request.url.searchParams.get('v') === image.hash.slice(0, 12);
  const headers = {
    'content-type': image.content_type,
    'cache-control': fixed ? 'public, max-age=31536000, immutable' : 'public, max-age=300',
    etag,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  };
  if (known === etag) return new Response(null, { status: 304, headers });
  return new Response(Uint8Array.from(image.bytes), { headers });
}
