import { html } from 'hono/html';
import { idOf } from '#platform/ids.ts';
import type { Html } from '#http/page.ts';
import { teamsOfMatches } from '#store/game/match-lists.ts';
import { factsOf, type MatchFacts, type MatchHead, type MatchTeam, type PlayedMatch } from '#store/game/matches.ts';
import { type MapSummary, mapSummaries } from '#store/game/maps/maps.ts';
import type { PageRequest } from '../page-request.ts';
import { teamColours } from './colours.ts';
import { playerIcon, thumb } from './links.ts';
import { ago, modeLabel, stopwatch, won } from './labels.ts';

type Row = MatchHead & Partial<Pick<PlayedMatch, 'result' | 'kill_count' | 'death_count'>>;

/** The parts of one row. */
interface RowView {
  match: Row;
  facts: MatchFacts;
  teams: readonly MatchTeam[];
  summary: MapSummary | undefined;
}

/**
 * Matches as rows with map image, map, gamemode, server, teams with their scores, and time. Rows of a player's matches also
 * show the player's result, kills and deaths.
 */
export async function matchList(request: PageRequest, matches: readonly Row[]): Promise<Html> {
  if (matches.length === 0) return html`<p class="soft">${request.text.match.none}</p>`;
  const facts = matches.map(({ head }) => factsOf(head));
  const summaries = await mapSummaries(
    request.db,
    facts.map(({ map }) => map),
  );
  const teams = await teamsOfMatches(
    request.db,
    matches.map(({ key }) => key),
  );
  return html`<ul class="match-rows">
    ${matches.map((match, index) => {
      const { map } = facts[index]!;
      const view = {
        match,
        facts: facts[index]!,
        teams: teams.get(match.key) ?? [],
        summary: summaries.of(map),
      };
      return row(request, view);
    })}
  </ul>`;
}

function row(request: PageRequest, view: RowView): Html {
  const { match, facts, summary, teams } = view;
  const { text, formats } = request;
  const players = teams.reduce((sum, team) => sum + team.players.length, 0);
  const id = idOf(match.key);
  const numbers = [
    stopwatch(match.finished - match.started),
    text.match.players(formats.number(players)),
    // Some gamemodes have no kills.
    ...(facts.kill_count === 0 ? [] : [`${formats.number(facts.kill_count)} ${text.counters.kills(facts.kill_count)}`]),
  ];
  return html`<li class="match-row" data-key="${id}">
    <a class="cover" href="/matches/${id}" aria-label="${text.match.title(facts.map, facts.server)}"></a>
    ${thumb(summary, 'small')}
    <div class="row-main">
      <strong><bdi>${facts.map}</bdi></strong>
      <span class="soft small"
        >${modeLabel(request, facts.gamemode)} ·
        <bdi>${facts.server}</bdi>${facts.ranked ? html` · ${text.match.ranked}` : ''}</span
      >
    </div>
    <div class="row-side">
      ${match.result === undefined ? outcome(request, view) : playerOutcome(request, match as PlayerRow, outcome(request, view))}
    </div>
    <div class="row-time soft small">
      <span>${ago(request, match.finished)}</span>
      <span
        >${numbers.map((number, index) => html`${index === 0 ? '' : ' · '}<span class="unbroken">${number}</span>`)}</span
      >
    </div>
  </li>`;
}

/** With more teams than this, a row shows only the winner. */
const SHOWN_TEAMS = 4;

/** The teams with their scores; the winner alone in a free-for-all and in a match of many teams. */
function outcome(request: PageRequest, { facts, teams, summary }: RowView): Html {
  const { text, formats } = request;
  const only = isFreeForAll(teams) ? teams.find(({ name }) => name === facts.win)?.players[0] : undefined;
  if (only !== undefined) {
    return html`<span class="team-chip none">${playerIcon(request, only.uuid, 20)} ${won(request, only.name)}</span>`;
  }
  const shown = teams.length <= SHOWN_TEAMS && !isFreeForAll(teams) ? teams : [];
  const colours = teamColours(teams, summary?.teams ?? []);
  if (shown.length === 0) {
    const colour = isFreeForAll(teams) ? undefined : colours.get(facts.win);
    return html`<span class="team-chip ${colour === undefined ? 'none' : `c-${colour}`}"
      >${facts.win === '' ? text.match.draw : won(request, facts.win)}</span
    >`;
  }
  return html`<ul class="row-teams">
    ${shown.map(
      ({ name, score }) =>
        html`<li class="team-chip c-${colours.get(name)!}${name === facts.win ? ' won' : ''}">
          <bdi>${name}</bdi>
          <span class="figures">${formats.number(score)}</span
          >${name === facts.win ? html`<span class="hidden"> ${text.match.winner}</span>` : ''}
        </li>`,
    )}
  </ul>`;
}

/** Whether everybody played alone: more than two teams, none with more than one player. */
export function isFreeForAll(teams: readonly MatchTeam[]): boolean {
  return teams.length > 2 && teams.every(({ players }) => players.length <= 1);
}

type PlayerRow = Row & Required<Pick<PlayedMatch, 'result' | 'kill_count' | 'death_count'>>;

/** The player's result with the scores of the teams, then the player's own kills and deaths. */
function playerOutcome(
  { text, formats }: PageRequest,
  { result, kill_count, death_count }: PlayerRow,
  scores: Html,
): Html {
  return html`<div class="row-result"><span class="result ${result}">${text.results[result]}</span> ${scores}</div>
    <span class="figures small">${text.match.record(formats.number(kill_count), formats.number(death_count))}</span>`;
}
