import { html } from 'hono/html';
import { idOf, keyOf } from '#platform/ids.ts';
import type { Html } from '#http/page.ts';
import { type MapSummary, mapSummaries } from '#store/game/maps/map-summaries.ts';
import {
  factsOf,
  matchByKey,
  type MatchFacts,
  type MatchObjective,
  type MatchPlayer,
  type MatchTeam,
  type WholeMatch,
} from '#store/game/matches.ts';
import { timeline } from './components/charts.ts';
import { isFreeForAll } from './components/match-list.ts';
import { type Colour, colourNamed, teamColours } from './components/colours.ts';
import { playerLink } from './components/player-link.ts';
import { thumb } from './components/map-image.ts';
import { timestamp, stopwatch } from './components/timestamps.ts';
import { figure, heading, modeName } from './components/labels.ts';
import type { PageContent, PageRequest } from './page-request.ts';

/** The data that the page and the Open Graph image of a match show. */
export interface MatchView {
  match: WholeMatch;
  facts: MatchFacts;
  teams: MatchTeam[];
  objectives: MatchObjective[];
  summary: MapSummary | undefined;
  colours: Map<string, Colour>;
}

/** `/matches/:id` */
export async function matchPage(request: PageRequest): Promise<PageContent> {
  const view = await matchViewOf(request);
  const { facts, summary } = view;
  const { text } = request;
  return {
    title: text.match.title(facts.map, facts.server),
    description: describe(request, view),
    path: `/matches/${facts.id}`,
    section: 'matches',
    kind: 'match',
    picture: { path: `/cards/matches/${facts.id}.png`, alt: describe(request, view), large: true },
    main: html`${hero(request, view)} ${scoreLine(request, view)} ${figures(request, view)} ${objectives(request, view)}
      <section aria-labelledby="players">
        ${heading('players', text.match.scoreboard)} ${scoreboards(request, view)}
      </section>
      <p>
        <a href="/matches?map=${encodeURIComponent(facts.map)}">${text.match.sameMap(facts.map)}</a>${
          summary === undefined ? '' : html` · <a href="/maps/${idOf(summary.key)}">${text.map.about(summary.name)}</a>`
        }
      </p>`,
  };
}

/**
 * Reads the match that the request's `id` names.
 * @throws HttpError 404
 */
export async function matchViewOf(request: PageRequest): Promise<MatchView> {
  const key = keyOf(request.params['id'] ?? '');
  const match = key === undefined ? undefined : await matchByKey(request.db, key);
  if (match === undefined) throw request.notFound();
  const facts = factsOf(match.head);
  const teams = JSON.parse(match.teams) as MatchTeam[];
  const objectives = JSON.parse(match.objectives) as MatchObjective[];
  const summary = (await mapSummaries(request.db, [facts.map])).of(facts.map);
  return { match, facts, teams, objectives, summary, colours: teamColours(teams, summary?.teams ?? []) };
}

/** The outcome, gamemode, scores and number of players in one sentence. */
function describe(request: PageRequest, { facts, teams, match }: MatchView): string {
  const { text, formats } = request;
  const scores = teams.slice(0, 8).map(({ name, score }) => `${name} ${formats.number(score)}`);
  const players = countPlayers(teams);
  const outcome = facts.win === '' ? text.match.endedDraw : text.match.wonBy(facts.win);
  const length = stopwatch(match.finished - match.started);
  return text.match.describe(outcome, modeName(request, facts.gamemode), scores.join(', '), players, length);
}

/** In a free-for-all a colour means nothing, so the winner has none. */
function outcomeChip({ text }: PageRequest, { facts, teams, colours }: MatchView): Html {
  if (facts.win === '') return html`<span class="team-chip none">${text.match.draw}</span>`;
  const colour = isFreeForAll(teams) ? undefined : colours.get(facts.win);
  return html`<span class="team-chip ${colour === undefined ? 'none' : `c-${colour}`}"
    >${text.match.wins(facts.win)}</span
  >`;
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
      <p class="outcome">${outcomeChip(request, view)}</p>
      <p>${timestamp(request, match.finished)}</p>
    </div>
  </section>`;
}

const countPlayers = (teams: readonly MatchTeam[]): number =>
  teams.reduce((sum, { players }) => sum + players.length, 0);

/** The scores side by side; nothing for a free-for-all, fewer than two or more than eight teams. */
function scoreLine({ formats }: PageRequest, { teams, colours, facts }: MatchView): Html {
  if (teams.length < 2 || teams.length > 8 || isFreeForAll(teams)) return html``;
  return html`<div class="score-line" data-teams="${teams.length}">
    ${teams.map(
      ({ name, score, players }) =>
        html`<div class="score c-${colours.get(name)!}${name === facts.win ? ' won' : ''}">
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

const LISTED_OBJECTIVES = 200;

function objectives(request: PageRequest, view: MatchView): Html {
  const { text, formats } = request;
  if (view.objectives.length === 0) return html``;
  const inOrder = [...view.objectives].sort((a, b) => a.time - b.time);
  const rest = inOrder.length - LISTED_OBJECTIVES;
  return html`<section class="card" aria-labelledby="objectives">
    ${heading('objectives', text.match.objectives)} ${objectiveTimeline(request, view, inOrder)}
    <ol class="objectives">
      ${inOrder.slice(0, LISTED_OBJECTIVES).map((objective) => objectiveItem(request, view, objective))}
    </ol>
    ${rest > 0 ? html`<p class="soft">${text.match.moreObjectives(formats.number(rest))}</p>` : ''}
  </section>`;
}

function objectiveTimeline(
  { text }: PageRequest,
  { match, teams, colours }: MatchView,
  inOrder: MatchObjective[],
): Html {
  const rows = [...new Set(inOrder.map(({ team }) => team))];
  const length = Math.max(1, match.finished - match.started);
  const marks = inOrder.map(({ time, team, name, color }) => ({
    at: Math.min(1, Math.max(0, (time - match.started) / length)),
    colour: colourNamed(color) ?? colours.get(team) ?? ('gray' as const),
    title: `${stopwatch(time - match.started)} ${name}`,
    row: rows.indexOf(team),
  }));
  const names = rows.map(
    (name) =>
      html`<span class="small"><span class="dot c-${colours.get(name) ?? 'gray'}"></span><bdi>${name}</bdi></span>`,
  );
  return html`<div class="timeline-box">
    <div class="timeline-names">${names}</div>
    <div>
      ${timeline(marks, rows.length, text.match.timeline(inOrder.length, teams.length))}
      <div class="timeline-ends soft small"><span>0:00</span><span>${stopwatch(length)}</span></div>
    </div>
  </div>`;
}

function objectiveItem(request: PageRequest, { match, colours }: MatchView, objective: MatchObjective): Html {
  const { text } = request;
  const { team, type, name, color, time } = objective;
  const colour = colourNamed(color) ?? colours.get(team) ?? 'gray';
  return html`<li>
    <span class="figures">${stopwatch(time - match.started)}</span><span class="dot c-${colour}"></span>
    <span
      ><bdi>${name === '' ? text.objectives[type as keyof typeof text.objectives] : name}</bdi>
      <span class="soft small">${doneBy(request, objective)}</span></span
    >
  </li>`;
}

/** What happened to the objective, and who did it: "captured by Leitund46 Red", or "captured by Red" without a player. */
function doneBy(request: PageRequest, { player, team, type }: MatchObjective): Html {
  const { text } = request;
  const done = text.objectiveDone[type as keyof typeof text.objectiveDone];
  const [before, after] = text.by;
  const teamName = html`<bdi>${team}</bdi>`;
  if (player === null) return html`${before(done)} ${teamName} ${after(done)}`;
  return html`${before(done)} ${playerLink(request, player, 20)} ${after(done)} ${teamName}`;
}

function scoreboards(request: PageRequest, view: MatchView): Html {
  const { teams, facts, colours } = view;
  const { text, formats } = request;
  if (isFreeForAll(teams)) {
    const winnersFirst = [...teams].sort((a, b) => Number(b.name === facts.win) - Number(a.name === facts.win));
    const everybody = winnersFirst.flatMap(({ players, score }) => players.map((player) => ({ ...player, score })));
    return html`<div class="scoreboard">
      <h3><span class="team-name">${text.match.everyone}</span></h3>
      ${scoreTable(request, text.match.everyone, everybody, facts.win === '' ? 0 : 1)}
    </div>`;
  }
  return html`${teams.map(
    (team) =>
      html`<div class="scoreboard c-${colours.get(team.name)!}">
        <h3>
          <span class="team-name"><bdi>${team.name}</bdi></span
          >${team.name === facts.win ? html` <span class="small">${text.match.winner}</span>` : ''}<span class="figures"
            >${formats.number(team.score)}</span
          >
        </h3>
        ${scoreTable(request, team.name, team.players)}
      </div>`,
  )}`;
}

/** @param winners how many of the first players have won and stay first, whatever their scores */
function scoreTable(request: PageRequest, label: string, players: readonly MatchPlayer[], winners = 0): Html {
  const { text, formats } = request;
  const { columns } = text;
  if (players.length === 0) return html`<p class="soft">${text.match.nobody}</p>`;
  const rest = players.slice(winners).sort((a, b) => b.score - a.score || b.kill_count - a.kill_count);
  const sorted = [...players.slice(0, winners), ...rest];
  const extra = EXTRA_COUNTERS.filter((counter) => players.some((played) => played[counter] > 0));
  const names = [columns.score, columns.kills, columns.deaths, columns.ratio, ...extra.map((name) => columns[name])];
  const cells = (played: MatchPlayer): string[] => [
    formats.number(played.score),
    formats.number(played.kill_count),
    formats.number(played.death_count),
    formats.ratio(played.kill_count / Math.max(1, played.death_count)),
    ...extra.map((counter) => formats.number(played[counter])),
  ];
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${label}">
    <table class="lines">
      <thead>
        <tr>
          <th scope="col">${columns.player}</th>
          ${names.map((name) => html`<th scope="col" class="n">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${sorted.map(
          (played, place) =>
            html`<tr>
              <th scope="row">
                ${playerLink(request, played)}${place < winners ? html` <span class="small soft">${text.match.winner}</span>` : ''}
              </th>
              ${cells(played).map((cell, index) => html`<td class="n" data-label="${names[index]!}">${cell}</td>`)}
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Columns that only scoreboards with such counters have. */
const EXTRA_COUNTERS = ['shot_count', 'hit_count', 'paint_count'] as const;
