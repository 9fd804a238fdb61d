import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import { leaders } from '#store/game/leaderboards/leaderboards.ts';
import { listLiveMatches, type ListedLiveMatch, type LiveTeamHead } from '#store/game/live-matches.ts';
import { mapSummaries, type MapSummary } from '#store/game/maps/maps.ts';
import { listMatchesWhere } from '#store/game/match-lists.ts';
import { onlineSince } from '#store/game/online-samples.ts';
import { listServers, type ServerNow } from '#store/game/servers.ts';
import { factsOf } from '#store/game/matches.ts';
import { idOf } from '#platform/ids.ts';
import { areaChart, fillBar } from '#site/components/charts.ts';
import { highlights } from '#site/components/highlights.ts';
import { matchList } from '#site/components/match-list.ts';
import { onlinePlayers } from '#site/components/online-players.ts';
import { sinceLastVisit } from '#site/components/places.ts';
import { runningMatches } from '#site/components/running-matches.ts';
import { playerLink, mapLink, thumb } from '#site/components/links.ts';
import { ago, heading, modeLabel, stopwatch } from '#site/components/labels.ts';
import type { LivePage, PageRequest } from '#site/page-request.ts';

const DAY_MS = 86_400_000;
const CHART_POINTS = 288;
const LATEST_MATCHES = 8;
const ACTIVE_PLAYERS = 10;
/** The home page shows this many servers as cards and folds the others into a list, so that it stays below 100 KB with 300 servers. */
const SERVER_CARDS = 20;
const NAMES_ON_CARD = 10;

/** `/`: players online, running matches, match of the day, climbers, servers, latest matches and most active players. */
export async function homePage(request: PageRequest): Promise<LivePage> {
  const { text, deps, formats } = request;
  const servers = await listServers(request.db, request.presenceSince);
  const { NETWORK_NAME: network } = deps.config;
  const live = await partsOf(request, servers);
  const { now, running, servers: cards, latest } = live.parts;
  return {
    title: network,
    description: text.home.description(network, formats.number(countOnline(servers)), servers.length),
    path: '/',
    kind: 'home',
    feeds: [
      { path: '/matches.atom', title: text.feeds.matches },
      { path: '/punishments.atom', title: text.feeds.punishments },
    ],
    live,
    main: html`${await sinceLastVisit(request)}
      <section class="hero" aria-labelledby="now">
        <div class="hero-words"><h1 id="now" data-part="now">${now}</h1></div>
        <div data-part="running">${running}</div>
        ${await chart(request)}
      </section>
      ${await highlights(request)}
      <section aria-labelledby="servers">
        ${heading('servers', text.home.servers)}
        <div data-part="servers">${cards}</div>
      </section>
      <div class="two">
        <section aria-labelledby="latest">
          ${heading('latest', text.match.latest, { href: '/matches', label: text.more })}
          <div data-part="latest">${latest}</div>
          <p class="feeds">
            <a class="feed" href="/matches.atom">${text.feeds.matches}</a>
            <a class="feed" href="/punishments.atom">${text.feeds.punishments}</a>
          </p>
        </section>
        <section aria-labelledby="active">
          ${heading('active', text.home.active, { href: '/leaderboards?by=play&period=week', label: text.more })}
          ${await mostActive(request)}
        </section>
      </div>`,
  };
}

/** The parts that change while the page is read. */
async function partsOf(request: PageRequest, servers: ServerNow[]) {
  const { text } = request;
  const matches = await listMatchesWhere(request.db, {}, Number.MAX_SAFE_INTEGER, LATEST_MATCHES);
  const newest = matches[0] && factsOf(matches[0].head);
  const live = await listLiveMatches(request.db, request.presenceSince);
  const byServer = new Map(live.map((match) => [match.serverKey, match]));
  const maps = servers.map((server) => {
    const match = byServer.get(server.key);
    return { server, live: match, map: match?.map ?? server.current_map };
  });
  const summaries = await mapSummaries(
    request.db,
    maps.map(({ map }) => map),
  );
  return {
    parts: {
      now: onlineNow(request, countOnline(servers)),
      running: await runningMatches(request, live, (map) => summaries.of(map)),
      servers: serverCards(
        request,
        maps.map((one) => ({ ...one, summary: summaries.of(one.map) })),
      ),
      latest: await matchList(request, matches),
    },
    says: newest === undefined ? '' : text.live.finished(newest.map),
  };
}

const countOnline = (servers: readonly ServerNow[]): number =>
  servers.reduce((sum, { playerCount }) => sum + playerCount, 0);

const onlineNow = ({ text, formats, deps }: PageRequest, online: number): Html =>
  html`<span class="hidden"><bdi>${deps.config.NETWORK_NAME}</bdi>: </span
    ><span class="count">${formats.number(online)}</span> <span class="count-words">${text.home.online(online)}</span>`;

async function chart({ db, text, now, formats }: PageRequest): Promise<Html> {
  const samples = await onlineSince(db, now - DAY_MS);
  if (samples.length < 2) return html`<p class="soft small">${text.home.noHistory}</p>`;
  const counts = samples.map(({ count }) => count);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const points = downsample(samples.map(({ time, count }) => ({ at: (time - now + DAY_MS) / DAY_MS, value: count })));
  return html`<figure class="hero-chart">
    ${areaChart(points, text.home.chart(formats.number(least), formats.number(most)))}
    <figcaption class="soft small">
      <span>${text.home.dayAgo}</span><span>${text.home.range(formats.number(least), formats.number(most))}</span
      ><span>${text.home.now}</span>
    </figcaption>
  </figure>`;
}

/** The point with the highest count of each five minutes: more points would not be visible. */
function downsample(points: { at: number; value: number }[]): { at: number; value: number }[] {
  const slices = Map.groupBy(points, ({ at }) => Math.floor(at * CHART_POINTS));
  return [...slices].map(([slice, all]) => ({
    at: slice / CHART_POINTS,
    value: Math.max(...all.map(({ value }) => value)),
  }));
}

function serverCards(request: PageRequest, servers: readonly Shown[]): Html {
  if (servers.length === 0) return html`<p class="soft">${request.text.home.noServers}</p>`;
  const others = servers.slice(SERVER_CARDS);
  return html`<ul class="servers">
      ${servers.slice(0, SERVER_CARDS).map((shown) => serverCard(request, shown))}
    </ul>
    ${
      others.length === 0
        ? ''
        : html`<details class="server-lines small">
            <summary>${request.text.home.others(request.formats.number(others.length))}</summary>
            <ul>
              ${others.map((shown) => serverLine(request, shown))}
            </ul>
          </details>`
    }`;
}

interface Shown {
  server: ServerNow;
  /** Of the running match; without one, that of the last heartbeat. */
  map: string;
  summary: MapSummary | undefined;
  live: ListedLiveMatch | undefined;
}

function serverCard(request: PageRequest, shown: Shown): Html {
  const { server, summary } = shown;
  const id = idOf(server.key);
  return html`<li class="server card${server.online ? '' : ' offline'}" data-key="${id}">
    ${thumb(summary, 'card')}
    <div class="server-head">
      <h3>
        <a href="/servers/${id}"><bdi>${server.name}</bdi></a>
      </h3>
      <span class="soft small"><bdi>${server.region}</bdi></span>
    </div>
    ${server.online ? serverState(request, shown) : offlineState(request, server)}
  </li>`;
}

function serverLine({ text, formats }: PageRequest, { server, map }: Shown): Html {
  const { key, name, online, playerCount, max } = server;
  const count = `${formats.number(playerCount)}${max > 0 ? ` / ${formats.number(max)}` : ''}`;
  return html`<li data-key="${idOf(key)}">
    <a href="/servers/${idOf(key)}"><bdi>${name}</bdi></a> <span class="soft"><bdi>${map}</bdi></span>
    <span class="figures${online ? '' : ' soft'}">${online ? count : text.home.offline}</span>
  </li>`;
}

function serverState(request: PageRequest, { server, map, summary, live }: Shown): Html {
  const { text, formats } = request;
  const { players, playerCount, max } = server;
  const gamemode = live?.gamemode || server.gamemode;
  const quiet = html`<span class="soft">${text.home.quiet}</span>`;
  const mode = gamemode === '' ? '' : html` <span class="soft small">${modeLabel(request, gamemode)}</span>`;
  return html`<p class="server-map">
      ${map === '' ? quiet : html`${mapLink(map, summary)}${mode}`}${liveScore(request, live)}
    </p>
    <p class="server-count">
      <span class="figures">${formats.number(playerCount)}</span
      >${max > 0 ? html`<span class="soft"> / ${formats.number(max)}</span>` : ''}
      <span class="soft small">${text.home.players(max || playerCount)}</span>
    </p>
    ${max > 0 ? fillBar(playerCount / max) : ''}
    ${players.length === 0 ? '' : onlinePlayers(request, players, playerCount, NAMES_ON_CARD)}`;
}

const TEAMS_ON_CARD = 4;

/** Time and scores of the running match. */
function liveScore({ text, formats, now }: PageRequest, live: ListedLiveMatch | undefined): Html {
  if (live === undefined) return html``;
  const { phase, started, teamCount, largestTeam, teamHeads } = live;
  const state = phase === 'running' && started !== null ? stopwatch(now - started) : text.server.phases[phase];
  const isFreeForAll = teamCount > 2 && largestTeam <= 1;
  const scores = teamCount > TEAMS_ON_CARD || isFreeForAll ? [] : (JSON.parse(teamHeads) as LiveTeamHead[]);
  return html`<span class="live-score small"
    ><span class="figures">${state}</span>${scores.map(
      ({ name, score }) => html` · <bdi>${name}</bdi> <span class="figures">${formats.number(score)}</span>`,
    )}</span
  >`;
}

/** A server without a recent heartbeat, with the time of the last one. */
function offlineState(request: PageRequest, { heartbeat }: ServerNow): Html {
  const { text } = request;
  return html`<p class="server-map"><span class="state expired">${text.home.offline}</span></p>
    <p class="server-count soft small">
      ${heartbeat === null ? text.home.neverHeard : html`${text.home.lastHeard} ${ago(request, heartbeat)}`}
    </p>`;
}

async function mostActive(request: PageRequest): Promise<Html> {
  const { db, deps, now, text, formats } = request;
  const { week } = deps.bucketsAt(now);
  const active = await leaders(db, { bucket: week, mode: 'total', metric: 'play', limit: ACTIVE_PLAYERS });
  if (active.length === 0) return html`<p class="soft">${text.boards.none}</p>`;
  return html`<ol class="ranking card">
    ${active.map(
      (leader) =>
        html`<li>
          ${playerLink(request, leader, 28)}<span class="figures">${formats.number(leader.play)}</span>
          <span class="soft small">${text.counters.matches(leader.play)}</span>
        </li>`,
    )}
  </ol>`;
}
