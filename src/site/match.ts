import { html } from 'hono/html';
import { idOf, keyOf } from '#platform/ids.ts';
import type { Html } from '#http/page.ts';
import { nameKey } from '#platform/text.ts';
import { type MapSummary, mapSummaries } from '#store/game/map-summaries.ts';
import {
  factsOf,
  matchByKey,
  type MatchFacts,
  type MatchObjective,
  type MatchTeam,
  type WholeMatch,
} from '#store/game/matches.ts';
import { timeLine } from './components/charts.ts';
import { type Colour, colourNamed, coloursOf } from './components/colours.ts';
import { player } from './components/player-link.ts';
import { mapImagePath, thumb } from './components/map-image.ts';
import { timestamp, stopwatch } from './components/timestamps.ts';
import { figure, heading, modeName } from './components/labels.ts';
import type { PageContent, PageRequest } from './page-request.ts';

/** Everything a page about a match is written from. */
export interface MatchView {
  match: WholeMatch;
  facts: MatchFacts;
  teams: MatchTeam[];
  objectives: MatchObjective[];
  sign: MapSummary | undefined;
  colours: Map<string, Colour>;
}

/** `/matches/:id` */
export async function match(request: PageRequest): Promise<PageContent> {
  const received = await matchViewOf(request);
  const { facts, sign } = received;
  const { text } = request;
  return {
    title: text.match.title(facts.map, facts.server),
    description: describe(request, received),
    path: `/matches/${facts.id}`,
    part: 'matches',
    kind: 'match',
    picture: { path: `/cards/matches/${facts.id}.png`, alt: describe(request, received), large: true },
    main: html`${hero(request, received)} ${scoreLine(request, received)} ${figures(request, received)}
      ${objectives(request, received)}
      <section aria-labelledby="players">
        ${heading('players', text.match.scoreboard)}
        ${received.teams.map((team) => scoreboard(request, received, team))}
      </section>
      <p>
        <a href="/matches?map=${encodeURIComponent(facts.map)}">${text.match.sameMap(facts.map)}</a>${
          sign === undefined ? '' : html` · <a href="/maps/${idOf(sign.key)}">${text.map.about(sign.name)}</a>`
        }
      </p>`,
  };
}

/** @throws HttpError 404 */
export async function matchViewOf(request: PageRequest): Promise<MatchView> {
  const key = keyOf(request.params['id'] ?? '');
  const found = key === undefined ? undefined : await matchByKey(request.db, key);
  if (found === undefined) throw request.missing();
  const facts = factsOf(found.head);
  const teams = JSON.parse(found.teams) as MatchTeam[];
  const objectives = JSON.parse(found.objectives) as MatchObjective[];
  const sign = (await mapSummaries(request.db, [facts.map])).get(nameKey(facts.map));
  return { match: found, facts, teams, objectives, sign, colours: coloursOf(teams, sign?.teams ?? []) };
}

/** Who won, where, how: in a sentence. */
export function describe(request: PageRequest, { facts, teams, match }: MatchView): string {
  const { text, formats } = request;
  const scores = teams.slice(0, 8).map(({ name, score }) => `${name} ${formats.number(score)}`);
  const players = teams.reduce((sum, team) => sum + team.players.length, 0);
  const outcome = facts.win === '' ? text.match.endedDraw : text.match.wonBy(facts.win);
  const length = stopwatch(match.finished - match.started);
  return text.match.describe(outcome, modeName(request, facts.gamemode), scores.join(', '), players, length);
}

function hero(request: PageRequest, { facts, sign, match, colours }: MatchView): Html {
  const { text } = request;
  const outcome =
    facts.win === ''
      ? html`<span class="team-chip none">${text.match.draw}</span>`
      : html`<span class="team-chip c-${colours.get(facts.win) ?? 'gray'}">${text.match.wins(facts.win)}</span>`;
  return html`<section class="banner">
    ${thumb(sign, 'hero', true)}
    <div class="banner-words">
      <p class="soft">
        <a href="/matches?gamemode=${encodeURIComponent(facts.gamemode)}"
          ><bdi>${modeName(request, facts.gamemode)}</bdi></a
        >
        · <a href="/matches?server=${encodeURIComponent(facts.server)}"><bdi>${facts.server}</bdi></a
        >${facts.ranked ? html` · ${text.match.ranked}` : ''}
      </p>
      <h1><bdi>${facts.map}</bdi></h1>
      <p class="outcome">${outcome}</p>
      <p>${timestamp(request, match.finished)}</p>
    </div>
  </section>`;
}

/** The scores side by side, where the teams are few enough to stand so. */
function scoreLine({ formats }: PageRequest, { teams, colours, facts }: MatchView): Html {
  if (teams.length < 2 || teams.length > 8) return html``;
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
  const players = teams.reduce((sum, team) => sum + team.players.length, 0);
  return html`<dl class="figures-row">
    ${figure(stopwatch(match.finished - match.started), text.match.length)}
    ${figure(formats.number(players), text.match.playerCount)}
    ${figure(formats.number(facts.kill_count), text.columns.kills)}
    ${figure(formats.number(facts.death_count), text.columns.deaths)}
  </dl>`;
}

const LISTED_OBJECTIVES = 200;

function objectives(request: PageRequest, received: MatchView): Html {
  const { text, formats } = request;
  if (received.objectives.length === 0) return html``;
  const inOrder = [...received.objectives].sort((a, b) => a.time - b.time);
  const rest = inOrder.length - LISTED_OBJECTIVES;
  return html`<section class="card" aria-labelledby="objectives">
    ${heading('objectives', text.match.objectives)} ${line(request, received, inOrder)}
    <ol class="objectives">
      ${inOrder.slice(0, LISTED_OBJECTIVES).map((objective) => completed(request, received, objective))}
    </ol>
    ${rest > 0 ? html`<p class="soft">${text.match.moreObjectives(formats.number(rest))}</p>` : ''}
  </section>`;
}

function line({ text }: PageRequest, { match, teams, colours }: MatchView, inOrder: MatchObjective[]): Html {
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
      ${timeLine(marks, rows.length, text.match.timeLine(inOrder.length, teams.length))}
      <div class="timeline-ends soft small"><span>0:00</span><span>${stopwatch(length)}</span></div>
    </div>
  </div>`;
}

function completed({ text }: PageRequest, { match, colours }: MatchView, objective: MatchObjective): Html {
  const { player: by, team, type, name, color, time } = objective;
  const colour = colourNamed(color) ?? colours.get(team) ?? 'gray';
  return html`<li>
    <span class="figures">${stopwatch(time - match.started)}</span><span class="dot c-${colour}"></span>
    <span
      ><bdi>${name === '' ? text.objectives[type as keyof typeof text.objectives] : name}</bdi>
      <span class="soft small">${text.objectiveDone[type as keyof typeof text.objectiveDone]}</span>
      ${by === null ? '' : player(by, 20)}<span class="soft small"> <bdi>${team}</bdi></span></span
    >
  </li>`;
}

function scoreboard(request: PageRequest, { colours, facts }: MatchView, team: MatchTeam): Html {
  const { text, formats } = request;
  const { columns } = text;
  const sorted = [...team.players].sort((a, b) => b.score - a.score || b.kill_count - a.kill_count);
  const extra = EXTRA.filter((counter) => team.players.some((one) => one[counter] > 0));
  return html`<div class="scoreboard c-${colours.get(team.name)!}">
    <h3>
      <span class="team-name"><bdi>${team.name}</bdi></span
      >${team.name === facts.win ? html` <span class="small">${text.match.winner}</span>` : ''}<span class="figures"
        >${formats.number(team.score)}</span
      >
    </h3>
    ${
      sorted.length === 0
        ? html`<p class="soft">${text.match.nobody}</p>`
        : html`<div class="scroll" tabindex="0" role="group" aria-label="${team.name}">
            <table>
              <thead>
                <tr>
                  <th scope="col">${columns.player}</th>
                  <th scope="col" class="n">${columns.score}</th>
                  <th scope="col" class="n">${columns.kills}</th>
                  <th scope="col" class="n">${columns.deaths}</th>
                  <th scope="col" class="n">${columns.ratio}</th>
                  ${extra.map((counter) => html`<th scope="col" class="n">${columns[counter]}</th>`)}
                </tr>
              </thead>
              <tbody>
                ${sorted.map(
                  (one) =>
                    html`<tr>
                      <th scope="row">${player(one)}</th>
                      <td class="n">${formats.number(one.score)}</td>
                      <td class="n">${formats.number(one.kill_count)}</td>
                      <td class="n">${formats.number(one.death_count)}</td>
                      <td class="n">${formats.ratio(one.kill_count / Math.max(1, one.death_count))}</td>
                      ${extra.map((counter) => html`<td class="n">${formats.number(one[counter])}</td>`)}
                    </tr> `,
                )}
              </tbody>
            </table>
          </div>`
    }
  </div>`;
}

const EXTRA = ['shot_count', 'hit_count', 'paint_count'] as const;

/** The picture of the match's map, for feeds. */
export function mapImageOf(sign: MapSummary | undefined): string | undefined {
  return sign === undefined || sign.image === null ? undefined : mapImagePath(sign.key, sign.image);
}
