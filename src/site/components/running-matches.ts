import { html } from 'hono/html';
import { idOf } from '#platform/ids.ts';
import type { Html } from '#http/page.ts';
import { type ListedLiveMatch, type LiveMatch, liveMatchOf } from '#store/game/live-matches.ts';
import type { MapSummary } from '#store/game/maps/maps.ts';
import type { PageRequest } from '../page-request.ts';
import { teamColours } from './colours.ts';
import { modeLabel, stopwatch } from './labels.ts';
import { isFreeForAll } from './match-list.ts';
import { playerIcon, thumb } from './links.ts';

const SHOWN = 4;
const SHOWN_TEAMS = 4;
const SHOWN_FACES = 8;

/**
 * The running matches with most players on the pictures of their maps, with score, time and faces.
 * @param summaryOf finds a map by its name
 */
export async function runningMatches(
  request: PageRequest,
  matches: readonly ListedLiveMatch[],
  summaryOf: (map: string) => MapSummary | undefined,
): Promise<Html> {
  const running = matches.filter(({ phase, participants }) => phase === 'running' && participants > 0);
  const shown = running.sort((a, b) => b.participants - a.participants).slice(0, SHOWN);
  const cards: Html[] = [];
  for (const { serverKey } of shown) {
    const match = await liveMatchOf(request.db, serverKey, request.presenceSince);
    if (match !== undefined) cards.push(runningMatch(request, match, summaryOf(match.map)));
  }
  if (cards.length === 0) return html``;
  return html`<h2 class="hidden">${request.text.server.running}</h2>
    <ul class="running">
      ${cards}
    </ul>`;
}

function runningMatch(request: PageRequest, match: LiveMatch, summary: MapSummary | undefined): Html {
  const { text, formats, now } = request;
  const { serverKey, server, map, gamemode, started, participants, teams } = match;
  const reported = teams.map(({ color = '' }) => color);
  const colours = teamColours(teams, summary?.teams ?? [], reported);
  const scored = isFreeForAll(teams) || teams.length > SHOWN_TEAMS ? [] : teams;
  const players = teams.flatMap((team) => team.players).filter(({ uuid }) => uuid !== '');
  return html`<li class="banner" data-key="${idOf(serverKey)}">
    ${thumb(summary, 'hero')}
    <a class="cover" href="/servers/${idOf(serverKey)}" aria-label="${text.match.title(map, server)}"></a>
    <div class="banner-words">
      <p class="soft small">${modeLabel(request, gamemode)} · <bdi>${server}</bdi></p>
      <h3><bdi>${map}</bdi></h3>
      <p class="outcome">
        ${scored.map(
          ({ name, score }) =>
            html`<span class="team-chip c-${colours.get(name)!}"
              ><bdi>${name}</bdi> <span class="figures">${formats.number(score)}</span></span
            > `,
        )}
      </p>
      <p class="small">
        <span class="figures">${started === null ? '' : html`${stopwatch(now - started)} · `}</span
        >${text.match.players(formats.number(participants))}
        <span class="faces">${players.slice(0, SHOWN_FACES).map(({ uuid }) => playerIcon(request, uuid, 20))}</span>
      </p>
    </div>
  </li>`;
}
