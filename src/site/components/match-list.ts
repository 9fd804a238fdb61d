import { html } from 'hono/html';
import { idOf } from '#platform/ids.ts';
import type { Html } from '#http/page.ts';
import type { ListedMatch } from '#store/game/match-lists.ts';
import { factsOf, type PlayedMatch } from '#store/game/matches.ts';
import { type MapSummaries, mapSummaries, type MapSummary } from '#store/game/map-summaries.ts';
import type { PageRequest } from '../page-request.ts';
import { colourNamed, teamColours } from './colours.ts';
import { thumb } from './map-image.ts';
import { ago, stopwatch } from './timestamps.ts';
import { modeLabel } from './labels.ts';

type Row = ListedMatch & Partial<Pick<PlayedMatch, 'result' | 'kill_count' | 'death_count' | 'score'>>;

/**
 * Matches as rows with map image, map, gamemode, server, winner and time. Rows of a player's matches show the player's
 * result instead of the winner.
 */
export async function matchList(request: PageRequest, matches: readonly Row[]): Promise<Html> {
  if (matches.length === 0) return html`<p class="soft">${request.text.match.none}</p>`;
  const summaries = await mapSummaries(
    request.db,
    matches.map(({ head }) => factsOf(head).map),
  );
  return html`<ul class="match-rows">
    ${matches.map((match) => row(request, match, summaries))}
  </ul>`;
}

function row(request: PageRequest, match: Row, summaries: MapSummaries): Html {
  const facts = factsOf(match.head);
  const summary = summaries.of(facts.map);
  const { text } = request;
  return html`<li class="match-row">
    <a class="cover" href="/matches/${idOf(match.key)}" aria-label="${text.match.title(facts.map, facts.server)}"></a>
    ${thumb(summary, 'small')}
    <div class="row-main">
      <strong><bdi>${facts.map}</bdi></strong>
      <span class="soft small"
        >${modeLabel(request, facts.gamemode)} ·
        <bdi>${facts.server}</bdi>${facts.ranked ? html` · ${text.match.ranked}` : ''}</span
      >
    </div>
    <div class="row-side">
      ${match.result === undefined ? winner(request, facts.win, summary) : playerResult(request, match as PlayerRow)}
      <span class="soft small">${stopwatch(match.finished - match.started)}${kills(request, facts.kill_count)}</span>
    </div>
    <div class="row-time soft small">${ago(request, match.finished)}</div>
  </li>`;
}

/** The number of kills; empty in gamemodes without kills. */
const kills = ({ text, formats }: PageRequest, count: number): string =>
  count === 0 ? '' : ` · ${formats.number(count)} ${text.counters.kills(count)}`;

type PlayerRow = Row & Required<Pick<PlayedMatch, 'result' | 'kill_count' | 'death_count'>>;

function winner({ text }: PageRequest, win: string, summary: MapSummary | undefined): Html {
  if (win === '') return html`<span class="team-chip none">${text.match.draw}</span>`;
  const colour = teamColours([{ name: win }], summary?.teams ?? []).get(win) ?? colourNamed(win) ?? 'gray';
  return html`<span class="team-chip c-${colour}"><bdi>${win}</bdi></span>`;
}

function playerResult({ text, formats }: PageRequest, { result, kill_count, death_count }: PlayerRow): Html {
  return html`<span
    ><span class="result ${result}">${text.results[result]}</span>
    <span class="figures">${formats.number(kill_count)}–${formats.number(death_count)}</span></span
  >`;
}
