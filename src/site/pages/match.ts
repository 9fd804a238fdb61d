import { html } from 'hono/html';
import { idOf } from '#platform/ids.ts';
import type { Html } from '#http/page.ts';
import { countersOfMatches } from '#store/game/counters/counter-reports.ts';
import { listCounters } from '#store/game/counters/counters.ts';
import { killsOfMatch } from '#store/game/kills.ts';
import { type MapSummary, mapSummaries } from '#store/game/maps/maps.ts';
import {
  factsOf,
  matchByKey,
  parseExtras,
  type MatchFacts,
  type MatchObjective,
  type MatchTeam,
  type WholeMatch,
  winnersOf,
} from '#store/game/matches.ts';
import { isExcluded } from '#store/game/excluded-matches.ts';
import { teamsKeyOf } from '#store/game/own-teams.ts';
import { bestPlayers } from '#site/components/match-best.ts';
import { isFreeForAll } from '#site/components/match-list.ts';
import { matchTimeline } from '#site/components/match-timeline.ts';
import { type Colour, teamColours } from '#site/components/colours.ts';
import {
  counterColumns,
  scoreboardPages,
  type ScoredPlayer,
  scoreTable,
  teamScoreboard,
} from '#site/components/scoreboard.ts';
import { thumb } from '#site/components/links.ts';
import { figure, heading, modeName, shareLink, stopwatch, timestamp, won } from '#site/components/labels.ts';
import type { LivePage, PageRequest } from '#site/page-request.ts';

/** The data that the page and the Open Graph image of a match show. */
export interface MatchView {
  match: WholeMatch;
  facts: MatchFacts;
  /** The names of the winning teams; empty for a draw. */
  winners: string[];
  teams: MatchTeam[];
  objectives: MatchObjective[];
  summary: MapSummary | undefined;
  colours: Map<string, Colour>;
}

/** `/matches/:id` */
export async function matchPage(request: PageRequest): Promise<LivePage> {
  const view = await readMatchView(request);
  const { facts } = view;
  const { text } = request;
  const live = await partsOf(request, view);
  return {
    title: text.match.title(facts.map, facts.server),
    description: describe(request, view),
    path: `/matches/${facts.id}`,
    section: 'matches',
    kind: 'match',
    picture: { path: `/cards/matches/${facts.id}.png`, alt: describe(request, view), large: true },
    live,
    main: html`<div class="live-part" data-part="match">${live.parts.match}</div>`,
  };
}

/** The whole page: a match is corrected, counted, excluded or withdrawn while it is read. */
async function partsOf(request: PageRequest, view: MatchView) {
  const { text } = request;
  const { facts, summary, match } = view;
  const excluded = await isExcluded(request.db, match.key);
  const timed = { ...view, kills: await killsOfMatch(request.db, match.key) };
  return {
    parts: {
      match: html`${hero(request, view)} ${excluded ? html`<p class="notice">${text.match.excluded}</p>` : ''}
        ${scoreLine(request, view)} ${figures(request, view)} ${bestPlayers(request, timed, match.extras)}
        ${matchTimeline(request, timed)}
        <section aria-labelledby="players">
          ${heading('players', text.match.scoreboard)} ${await scoreboards(request, view)}
        </section>
        <p>
          <a href="/matches?map=${encodeURIComponent(facts.map)}">${text.match.sameMap(facts.map)}</a
          >${sameTeams(request, view)}${
            summary === undefined
              ? ''
              : html` · <a href="/maps/${idOf(summary.key)}">${text.map.about(summary.name)}</a>`
          }
        </p>`,
    },
    says: excluded ? text.match.excluded : text.live.counted,
  };
}

function sameTeams({ text }: PageRequest, { teams }: MatchView): Html {
  if (teamsKeyOf(teams) === null) return html``;
  const names = teams.map(({ name }) => name);
  const query = new URLSearchParams(names.map((name) => ['team', name]));
  return html` · <a href="/matches?${query.toString()}">${text.match.sameTeams(names.join(' – '))}</a>`;
}

/**
 * Reads the match that the request's `id` names.
 * @throws HttpError 404
 */
export async function readMatchView(request: PageRequest): Promise<MatchView> {
  const match = await request.named((key) => matchByKey(request.db, key));
  const facts = factsOf(match.head);
  const teams = JSON.parse(match.teams) as MatchTeam[];
  const objectives = JSON.parse(match.objectives) as MatchObjective[];
  const summary = (await mapSummaries(request.db, [facts.map])).of(facts.map);
  const { colors = [] } = parseExtras(match.extras);
  const colours = teamColours(teams, summary?.teams ?? [], colors);
  return { match, facts, winners: winnersOf(match), teams, objectives, summary, colours };
}

/** The outcome, gamemode, scores and number of players in one sentence. */
function describe(request: PageRequest, { facts, winners, teams, match }: MatchView): string {
  const { text, formats } = request;
  const scores = teams.slice(0, 8).map(({ name, score }) => `${name} ${formats.number(score)}`);
  const players = countPlayers(teams);
  const outcome = winners.length === 0 ? text.match.draw : text.match.wonBy(winners.join(', '));
  const length = stopwatch(match.finished - match.started);
  return text.match.describe(outcome, modeName(request, facts.gamemode), scores.join(', '), players, length);
}

/** In a free-for-all a colour means nothing, so the winner has none. */
function outcomeChips(request: PageRequest, { winners, teams, colours }: MatchView): Html {
  if (winners.length === 0) return html`<span class="team-chip none">${request.text.match.draw}</span>`;
  const colourClass = (name: string): string => (isFreeForAll(teams) ? 'none' : `c-${colours.get(name) ?? 'gray'}`);
  return html`${winners.map((name) => html`<span class="team-chip ${colourClass(name)}">${won(request, name)}</span> `)}`;
}

function hero(request: PageRequest, view: MatchView): Html {
  const { facts, summary, match } = view;
  const { text } = request;
  return html`<section class="banner">
    ${thumb(summary, 'hero', true)}
    <div class="banner-words">
      <p class="soft">
        <a href="/matches?gamemode=${encodeURIComponent(facts.gamemode)}"
          ><bdi>${modeName(request, facts.gamemode)}</bdi></a
        >
        · <a href="/matches?server=${encodeURIComponent(facts.server)}"><bdi>${facts.server}</bdi></a
        >${facts.ranked ? html` · ${text.match.ranked}` : ''}
      </p>
      <h1><bdi>${facts.map}</bdi></h1>
      <p class="outcome">${outcomeChips(request, view)}</p>
      <p class="row">${timestamp(request, match.finished)} ${shareLink(request, `/matches/${facts.id}`)}</p>
    </div>
  </section>`;
}

/** A player may be in several teams. */
const countPlayers = (teams: readonly MatchTeam[]): number =>
  new Set(teams.flatMap(({ players }) => players.map(({ uuid }) => uuid))).size;

/** The scores side by side; nothing for a free-for-all, fewer than two or more than eight teams. */
export function scoreLine(
  { formats }: PageRequest,
  { teams, colours, winners }: Pick<MatchView, 'teams' | 'colours' | 'winners'>,
): Html {
  if (teams.length < 2 || teams.length > 8 || isFreeForAll(teams)) return html``;
  return html`<div class="score-line" data-teams="${teams.length}">
    ${teams.map(
      ({ name, score, players }) =>
        html`<div class="score c-${colours.get(name)!}${winners.includes(name) ? ' won' : ''}">
          <span class="score-name"><bdi>${name}</bdi></span
          ><span class="score-value">${formats.number(score)}</span
          ><span class="small">${formats.number(players.length)}</span>
        </div>`,
    )}
  </div>`;
}

function figures({ text, formats }: PageRequest, { facts, match, teams }: MatchView): Html {
  const players = countPlayers(teams);
  return html`<dl class="figures-row">
    ${figure(stopwatch(match.finished - match.started), text.match.length)}
    ${figure(formats.number(players), text.match.playerCount)}
    ${figure(formats.number(facts.kill_count), text.columns.kills)}
    ${figure(formats.number(facts.death_count), text.columns.deaths)}
  </dl>`;
}

/** The players of each team. */
function playersByTeam({ match, teams }: MatchView): ScoredPlayer[][] {
  const secondary = new Set((parseExtras(match.extras).secondary ?? []).map(String));
  return teams.map(({ name, players }, t) =>
    players.map((player, p) => ({ ...player, team: name, isSecondary: secondary.has(String([t, p])) })),
  );
}

async function scoreboards(request: PageRequest, view: MatchView): Promise<Html> {
  const { match, teams, facts, winners, colours } = view;
  const { text } = request;
  const reported = (await countersOfMatches(request.db, [match.key])).get(match.key) ?? [];
  const declared = reported.length === 0 ? [] : await listCounters(request.db);
  const players = playersByTeam(view);
  const counters = counterColumns(request, facts.gamemode, declared, reported);
  const sizes = isFreeForAll(teams) ? [players.flat().length] : players.map(({ length }) => length);
  const { places, links } = scoreboardPages(request, sizes);
  if (isFreeForAll(teams)) {
    const everybody = teams.flatMap(({ score }, t) => players[t]!.map((player) => ({ ...player, score })));
    const [won, lost] = [true, false].map((has) => everybody.filter(({ team }) => winners.includes(team) === has));
    const shown = places[0] ?? { from: 0, to: 0 };
    const scores = { label: text.match.everyone, players: [...won!, ...lost!], winners: won!.length, shown };
    return html`<div class="scoreboard">
        <h3><span class="team-name">${text.match.everyone}</span></h3>
        ${scoreTable(request, scores, counters)}
      </div>
      ${links}`;
  }
  return html`${teams.map((team, t) => {
    const shown = places[t];
    if (shown === undefined) return '';
    const shownTeam = { ...team, colour: colours.get(team.name)!, hasWon: winners.includes(team.name) };
    const table = scoreTable(request, { label: team.name, players: players[t]!, shown }, counters);
    return teamScoreboard(request, shownTeam, table);
  })}
  ${links}`;
}
