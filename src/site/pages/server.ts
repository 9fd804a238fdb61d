import { html } from 'hono/html';
import { idOf } from '#platform/ids.ts';
import type { Html } from '#http/page.ts';
import { type LiveMatch, liveMatchOf, type UnreportedMatch, unreportedMatchesOf } from '#store/game/live-matches.ts';
import { mapSummaries, type MapSummary } from '#store/game/maps/maps.ts';
import { listMatchesWhere } from '#store/game/match-lists.ts';
import { serverByKey, type ServerNow } from '#store/game/servers.ts';
import { teamColours } from '#site/components/colours.ts';
import { figure, heading, modeLabel, stopwatch, timestamp } from '#site/components/labels.ts';
import { mapLink, thumb } from '#site/components/links.ts';
import { matchList } from '#site/components/match-list.ts';
import { onlinePlayers } from '#site/components/online-players.ts';
import { matchTimeline } from '#site/components/match-timeline.ts';
import { scoreTable, teamScoreboard } from '#site/components/scoreboard.ts';
import { scoreLine } from './match.ts';
import type { LivePage, PageRequest } from '#site/page-request.ts';

const LATEST_MATCHES = 8;

/** `/servers/:id`: a server with the match that runs there, matches seen without a result, and the latest results. */
export async function serverPage(request: PageRequest): Promise<LivePage> {
  const { text, deps } = request;
  const server = await request.named((key) => serverByKey(request.db, key, request.presenceSince));
  const live = await partsOf(request, server);
  return {
    title: server.name,
    description: text.server.describe(server.name, deps.config.NETWORK_NAME),
    path: `/servers/${idOf(server.key)}`,
    kind: 'match',
    live,
    main: html`<div class="live-part" data-part="now">${live.parts.now}</div>
      <div class="live-part" data-part="matches">${live.parts.matches}</div>`,
  };
}

/** The parts that change while the page is read. */
async function partsOf(request: PageRequest, server: ServerNow) {
  const { db, text } = request;
  const live = await liveMatchOf(db, server.key, request.presenceSince);
  const unreported = await unreportedMatchesOf(db, server.key, request.presenceSince);
  const names = [live?.map ?? server.current_map, ...unreported.map(({ map }) => map)];
  const summaries = await mapSummaries(db, names);
  const latest = await listMatchesWhere(db, { server: server.key }, Number.MAX_SAFE_INTEGER, LATEST_MATCHES);
  return {
    parts: {
      now: html`${banner(request, server, live, summaries.of(names[0]!))}
      ${running(request, server, live, summaries.of(names[0]!))}`,
      matches: html`${seenWithoutResult(request, unreported, (map) => summaries.of(map))}
        <section aria-labelledby="latest">
          ${heading('latest', text.match.latest, { href: `/matches?server=${idOf(server.key)}`, label: text.more })}
          ${await matchList(request, latest)}
        </section>`,
    },
    says: live === undefined ? text.server.noMatch : `${text.server.phases[live.phase]}: ${live.map}`,
  };
}

function banner(
  request: PageRequest,
  server: ServerNow,
  live: LiveMatch | undefined,
  map: MapSummary | undefined,
): Html {
  const { text, formats } = request;
  const { playerCount, players, max, next_map: next } = server;
  const count = `${formats.number(playerCount)}${max > 0 ? ` / ${formats.number(max)}` : ''}`;
  return html`<section class="banner">
    ${thumb(map, 'hero', true)}
    <div class="banner-words">
      <p class="soft"><bdi>${server.region}</bdi></p>
      <h1><bdi>${server.name}</bdi></h1>
      <p class="lead">${mapLine(request, live?.map ?? server.current_map, live?.gamemode || server.gamemode, map)}</p>
      <p class="soft small">
        ${server.online ? `${count} ${text.home.players(max || playerCount)}` : text.home.offline}
        ${next === '' ? '' : html` · <bdi>${text.server.next(next)}</bdi>`}
      </p>
      ${players.length === 0 ? '' : onlinePlayers(request, players, playerCount)}
    </div>
  </section>`;
}

function mapLine(request: PageRequest, map: string, gamemode: string, summary: MapSummary | undefined): Html {
  if (map === '') return html``;
  return html`${mapLink(map, summary)}${gamemode === '' ? '' : html` <span class="small">${modeLabel(request, gamemode)}</span>`}`;
}

/** The match that runs: phase, time, scores, objectives so far, and players. */
function running(
  request: PageRequest,
  { key }: ServerNow,
  live: LiveMatch | undefined,
  map: MapSummary | undefined,
): Html {
  const { text } = request;
  const reload = { href: `/servers/${idOf(key)}`, label: text.server.reload };
  if (live === undefined) {
    return html`<section aria-labelledby="running">
      ${heading('running', text.server.running, reload)}
      <p class="soft">${text.server.noMatch}</p>
    </section>`;
  }
  const { teams, started, time, objectives: completed } = live;
  const reported = teams.map(({ color = '' }) => color);
  const colours = teamColours(teams, map?.teams ?? [], reported);
  const match = { started: started ?? time, finished: time };
  return html`<section aria-labelledby="running">
      ${heading('running', text.server.running, reload)} ${scoreLine(request, { teams, colours, winners: [] })}
      ${figures(request, live)}
    </section>
    ${matchTimeline(request, { match, teams, objectives: completed, colours })} ${scoreboards(request, live, colours)}`;
}

function figures(
  { text, formats, now }: PageRequest,
  { phase, started, time, participants, observers }: LiveMatch,
): Html {
  const elapsed = (phase === 'running' ? Math.max(now, time) : time) - (started ?? time);
  return html`<p class="live-phase"><span class="team-chip none">${text.server.phases[phase]}</span></p>
    <dl class="figures-row">
      ${started === null ? '' : figure(stopwatch(elapsed), text.server.elapsed)}
      ${figure(formats.number(participants), text.server.participants)}
      ${observers === null ? '' : figure(formats.number(observers), text.server.observers)}
    </dl>`;
}

function scoreboards(request: PageRequest, { teams }: LiveMatch, colours: ReturnType<typeof teamColours>): Html {
  const { text } = request;
  const named = teams.filter(({ players }) => players.length > 0);
  if (named.length === 0) return html``;
  return html`<section aria-labelledby="players">
    ${heading('players', text.match.scoreboard)}
    ${named.map(({ name, score, players }) => {
      const scored = players.map((player) => ({ ...player, team: name, isSecondary: false }));
      const table = scoreTable(request, { label: name, players: scored }, []);
      return teamScoreboard(request, { name, score, colour: colours.get(name)!, hasWon: false }, table);
    })}
  </section>`;
}

function seenWithoutResult(
  request: PageRequest,
  unreported: readonly UnreportedMatch[],
  summaryOf: (map: string) => MapSummary | undefined,
): Html {
  const { text } = request;
  if (unreported.length === 0) return html``;
  return html`<section aria-labelledby="unreported">
    ${heading('unreported', text.server.unreported)}
    <p class="soft small">${text.server.unreportedNote}</p>
    <ul class="match-rows">
      ${unreported.map(
        ({ map, gamemode, started, seen }) =>
          html`<li class="match-row">
            ${thumb(summaryOf(map), 'small')}
            <div class="row-main">
              <strong>${mapLine(request, map, '', summaryOf(map))}</strong>
              ${gamemode === '' ? '' : html`<span class="soft small">${modeLabel(request, gamemode)}</span>`}
            </div>
            <div class="row-side"><span class="team-chip none">${text.server.unreported}</span></div>
            <div class="row-time soft small">
              <span>${timestamp(request, started)}</span>
              <span>${stopwatch(seen - started)}</span>
            </div>
          </li>`,
      )}
    </ul>
  </section>`;
}
