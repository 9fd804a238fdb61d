import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import type { MatchKill } from '#store/game/kills.ts';
import type { MatchObjective, MatchTeam } from '#store/game/matches.ts';
import type { PageRequest } from '../page-request.ts';
import { type KillBar, timeline } from './charts.ts';
import { type Colour, colourNamed } from './colours.ts';
import { heading, stopwatch } from './labels.ts';
import { playerLink } from './links.ts';

/** A match in time. A running one ends at its newest report, and has no kills yet. */
export interface Timed {
  match: { started: number; finished: number };
  teams: readonly MatchTeam[];
  objectives: readonly MatchObjective[];
  colours: ReadonlyMap<string, Colour>;
  /** In the order of their times, without deaths that have no killer. */
  kills?: readonly MatchKill[];
}

const LISTED = 200;
/** More entries than these are folded. */
const UNFOLDED = 12;
/** With more teams than this, as in a free-for-all, the kills of all are one row. */
const MAX_ROWS = 8;
const SLICES = 100;

/** Kills and objectives in the order of their times: as a chart with a row for each team, and as a list. */
export function matchTimeline(request: PageRequest, view: Timed): Html {
  const { text, formats } = request;
  const entries = entriesOf(request, view);
  if (entries.length === 0) return html``;
  const rest = entries.length - LISTED;
  return html`<section class="card" aria-labelledby="timeline">
    ${heading('timeline', text.match.course)} ${chart(request, view)}
    ${folded(
      entries.length > UNFOLDED,
      text.match.allEntries(formats.number(entries.length)),
      html`<ol class="entries">
        ${entries.slice(0, LISTED)}
      </ol>`,
    )}
    ${rest > 0 ? html`<p class="soft">${text.match.moreEntries(formats.number(rest))}</p>` : ''}
  </section>`;
}

/** A long part behind its summary, which opens without a script. */
const folded = (isLong: boolean, summary: string, part: Html): Html =>
  isLong
    ? html`<details class="more">
        <summary>${summary}</summary>
        ${part}
      </details>`
    : part;

/** The team of each player, by the UUID. */
const teamsByPlayer = (teams: readonly MatchTeam[]): ReadonlyMap<string, string> =>
  new Map(teams.flatMap(({ name, players }) => players.map(({ uuid }) => [uuid, name])));

function chart({ text, formats }: PageRequest, { match, teams, objectives, colours, kills = [] }: Timed): Html {
  const teamOf = teamsByPlayer(teams);
  const rowOf = ({ killer }: MatchKill): string => (teams.length > MAX_ROWS ? '' : (teamOf.get(killer) ?? ''));
  const names = [...new Set([...objectives.map(({ team }) => team), ...kills.map(rowOf)])];
  const length = Math.max(1, match.finished - match.started);
  const place = (time: number): number => Math.min(1, Math.max(0, (time - match.started) / length));
  const colourOf = (team: string): Colour => colours.get(team) ?? 'gray';
  const marks = objectives.map(({ time, team, name, color }) => ({
    at: place(time),
    colour: colourNamed(color) ?? colourOf(team),
    title: `${stopwatch(time - match.started)} ${name}`,
    row: names.indexOf(team),
  }));
  const bars = killBars(kills.map((kill) => ({ slice: Math.floor(place(kill.time) * SLICES), team: rowOf(kill) })));
  const shown = bars.map(({ team, ...bar }) => ({ ...bar, colour: colourOf(team), row: names.indexOf(team) }));
  const label = text.match.timeline(formats.number(objectives.length), formats.number(kills.length), names.length);
  return html`<div class="timeline-box">
    <div class="timeline-names">
      ${names.map((name) => html`<span class="small"><span class="dot c-${colourOf(name)}"></span>${name === '' ? text.columns.kills : html`<bdi>${name}</bdi>`}</span>`)}
    </div>
    <div>
      ${timeline(marks, shown, names.length, label)}
      <div class="timeline-ends soft small"><span>0:00</span><span>${stopwatch(length)}</span></div>
    </div>
  </div>`;
}

/** One bar for each slice of the time and each team; the highest is as high as a row. */
function killBars(
  kills: readonly { slice: number; team: string }[],
): (Omit<KillBar, 'colour' | 'row'> & { team: string })[] {
  const bySlice = [...Map.groupBy(kills, ({ slice, team }) => `${Math.min(slice, SLICES - 1)} ${team}`).values()];
  const most = bySlice.reduce((max, { length }) => Math.max(max, length), 1);
  return bySlice.map((all) => ({
    at: Math.min(all[0]!.slice, SLICES - 1) / SLICES,
    height: all.length / most,
    team: all[0]!.team,
  }));
}

type Entry = { time: number } & ({ objective: MatchObjective } | { kill: MatchKill });

/** Objectives and the first kill one by one; the other kills between two of them as one entry. */
function entriesOf(request: PageRequest, view: Timed): Html[] {
  const { objectives, kills = [] } = view;
  const inOrder: Entry[] = [
    ...objectives.map((objective) => ({ time: objective.time, objective })),
    ...kills.map((kill) => ({ time: kill.time, kill })),
  ].sort((a, b) => a.time - b.time);
  const entries: Html[] = [];
  let between: MatchKill[] = [];
  const endRun = (): void => {
    if (between.length > 0) entries.push(runItem(request, view, between));
    between = [];
  };
  for (const entry of inOrder) {
    if ('kill' in entry && entry.kill !== kills[0]) between.push(entry.kill);
    else {
      endRun();
      entries.push(
        'kill' in entry ? firstBloodItem(request, view, entry.kill) : objectiveItem(request, view, entry.objective),
      );
    }
  }
  endRun();
  return entries;
}

const item = ({ match }: Timed, time: number, colour: Colour, words: Html): Html =>
  html`<li>
    <span class="figures">${stopwatch(time - match.started)}</span><span class="dot c-${colour}"></span>
    <span>${words}</span>
  </li>`;

/** The kills between two other entries, of each team. */
function runItem({ text, formats }: PageRequest, view: Timed, kills: readonly MatchKill[]): Html {
  const teamOf = teamsByPlayer(view.teams);
  const byTeam = [...Map.groupBy(kills, ({ killer }) => teamOf.get(killer) ?? '')].filter(([team]) => team !== '');
  const counts = byTeam.length > MAX_ROWS ? [] : byTeam.sort(([, a], [, b]) => b.length - a.length);
  const all = `${formats.number(kills.length)} ${text.counters.kills(kills.length)}`;
  const teams = counts.map(
    ([team, { length }]) => html` · <bdi>${team}</bdi> <span class="figures">${formats.number(length)}</span>`,
  );
  return item(view, kills[0]!.time, 'gray', html`<span class="soft">${all}${teams}</span>`);
}

function firstBloodItem(request: PageRequest, view: Timed, kill: MatchKill): Html {
  const team = teamsByPlayer(view.teams).get(kill.killer) ?? '';
  const words = html`${request.text.match.firstBlood}
    <span class="soft small">${whoKilled(request, view, kill)}</span>`;
  return item(view, kill.time, view.colours.get(team) ?? 'gray', words);
}

/** "Ann killed Bob", by the names in the teams: somebody who is not in them has no name here. */
export function whoKilled(request: PageRequest, { teams }: Pick<Timed, 'teams'>, { killer, victim }: MatchKill): Html {
  const { text } = request;
  const players = new Map(teams.flatMap(({ players }) => players.map((player) => [player.uuid, player])));
  const shown = [killer, victim].map((uuid) => {
    const player = players.get(uuid);
    return player === undefined ? html`${text.match.somebody}` : playerLink(request, player, 20);
  });
  const [between, after] = text.match.killed;
  return html`${shown[0]}${between}${shown[1]}${after}`;
}

function objectiveItem(request: PageRequest, view: Timed, objective: MatchObjective): Html {
  const { text } = request;
  const { team, type, name, color, time } = objective;
  const colour = colourNamed(color) ?? view.colours.get(team) ?? 'gray';
  const title = name === '' ? text.objectives[type as keyof typeof text.objectives] : name;
  return item(
    view,
    time,
    colour,
    html`<bdi>${title}</bdi> <span class="soft small">${doneBy(request, objective)}</span>`,
  );
}

/** The event of an objective with its player or team: "captured by Leitund46 Red", or "captured by Red" without a player. */
function doneBy(request: PageRequest, { player, team, type }: MatchObjective): Html {
  const { text } = request;
  const done = text.objectiveDone[type as keyof typeof text.objectiveDone];
  const [before, after] = text.by;
  const teamName = html`<bdi>${team}</bdi>`;
  // Japanese breaks between any two characters, also between subject particle and verb.
  const verb = html`<span class="unbroken">${after(done)}</span>`;
  if (player === null) return html`${before(done)} ${teamName} ${verb}`;
  return html`${before(done)} ${playerLink(request, player, 20)} ${verb} ${teamName}`;
}
