import { html } from 'hono/html';
import { idOf } from '#platform/ids.ts';
import type { Html } from '#http/page.ts';
import { nameKey } from '#platform/text.ts';
import type { ListedMatch } from '#store/game/match-lists.ts';
import { factsOf, type PlayedMatch } from '#store/game/matches.ts';
import { type MapSummary, mapSummaries } from '#store/game/map-summaries.ts';
import type { PageRequest } from '../page-request.ts';
import { colourNamed, coloursOf } from './colours.ts';
import { thumb } from './map-image.ts';
import { ago, stopwatch } from './timestamps.ts';
import { mode } from './labels.ts';

type Row = ListedMatch & Partial<Pick<PlayedMatch, 'result' | 'kill_count' | 'death_count' | 'score'>>;

/** Matches as rows: picture, map, mode, server, who won, when. A player's rows tell the player's part. */
export async function matchList(request: PageRequest, matches: readonly Row[]): Promise<Html> {
  const signs = await mapSummaries(
    request.db,
    matches.map(({ head }) => factsOf(head).map),
  );
  return html`<ul class="match-rows">
    ${matches.map((match) => row(request, match, signs))}
  </ul>`;
}

function row(request: PageRequest, match: Row, signs: Map<string, MapSummary>): Html {
  const facts = factsOf(match.head);
  const sign = signs.get(nameKey(facts.map));
  const { text } = request;
  return html`<li class="match-row">
    <a class="cover" href="/matches/${idOf(match.key)}" aria-label="${text.match.title(facts.map, facts.server)}"></a>
    ${thumb(sign, 'small')}
    <div class="row-main">
      <strong><bdi>${facts.map}</bdi></strong>
      <span class="soft small"
        >${mode(request, facts.gamemode)} ·
        <bdi>${facts.server}</bdi>${facts.ranked ? html` · ${text.match.ranked}` : ''}</span
      >
    </div>
    <div class="row-side">
      ${match.result === undefined ? winner(request, facts.win, sign) : part(request, match as PlayedBy)}
      <span class="soft small">${stopwatch(match.finished - match.started)}${kills(request, facts.kill_count)}</span>
    </div>
    <div class="row-time soft small">${ago(request, match.finished)}</div>
  </li>`;
}

/** Modes in which nobody kills anybody have nothing to tell here. */
const kills = ({ text, formats }: PageRequest, count: number): string =>
  count === 0 ? '' : ` · ${formats.number(count)} ${text.counters.kills(count)}`;

type PlayedBy = Row & Required<Pick<PlayedMatch, 'result' | 'kill_count' | 'death_count'>>;

function winner({ text }: PageRequest, win: string, sign: MapSummary | undefined): Html {
  if (win === '') return html`<span class="team-chip none">${text.match.draw}</span>`;
  const colour = coloursOf([{ name: win }], sign?.teams ?? []).get(win) ?? colourNamed(win) ?? 'gray';
  return html`<span class="team-chip c-${colour}"><bdi>${win}</bdi></span>`;
}

function part({ text, formats }: PageRequest, { result, kill_count, death_count }: PlayedBy): Html {
  return html`<span
    ><span class="result ${result}">${text.results[result]}</span>
    <span class="figures">${formats.number(kill_count)}–${formats.number(death_count)}</span></span
  >`;
}
