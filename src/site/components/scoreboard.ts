import { html } from 'hono/html';
import { HttpError } from '#http/errors.ts';
import type { Html } from '#http/page.ts';
import type { MatchCounters } from '#store/game/counters/counter-reports.ts';
import { type Counter, countsIn, labelIn } from '#store/game/counters/counters.ts';
import type { MatchPlayer } from '#store/game/matches.ts';
import { groupOf } from '#store/game/statistics-groups.ts';
import type { PageRequest } from '../page-request.ts';
import type { Colour } from './colours.ts';
import { playerLink } from './links.ts';
import { numberCells, numberHeads, table } from './table.ts';

/** A player with the name of the team, and whether another team decided the player's result. */
export type ScoredPlayer = MatchPlayer & { team: string; isSecondary: boolean };

export interface Scores {
  label: string;
  players: readonly ScoredPlayer[];
  /** The number of winners, who are first in `players` and stay first with any score. */
  winners?: number;
  /** The places that the page shows, from 0; default: all. */
  shown?: { from: number; to: number };
}

/** A counter of the network's own as a column of a scoreboard. */
export interface CounterColumn {
  label: string;
  valueOf: (player: ScoredPlayer) => number;
}

/** The columns of the declared counters that count in the gamemode of a match. */
export function counterColumns(
  { language }: Pick<PageRequest, 'language'>,
  gamemode: string,
  declared: readonly Counter[],
  reported: readonly MatchCounters[],
): CounterColumn[] {
  const values = new Map<string, number>();
  for (const { team, uuid, counters } of reported) {
    for (const [key, value] of Object.entries(counters)) values.set(`${key} ${uuid} ${team}`, value);
  }
  return declared
    .filter((counter) => countsIn(counter, groupOf(gamemode)))
    .map((counter) => ({
      label: labelIn(counter, language),
      valueOf: ({ uuid, team }) => values.get(`${counter.key} ${uuid} ${team}`) ?? 0,
    }));
}

/**
 * The players of a team, the highest score first.
 * @param counters the network's own counters that the match has
 */
export function scoreTable(
  request: PageRequest,
  { label, players, winners = 0, shown = { from: 0, to: players.length } }: Scores,
  counters: readonly CounterColumn[],
): Html {
  const { text, formats } = request;
  const { columns } = text;
  if (players.length === 0) return html`<p class="soft">${text.match.nobody}</p>`;
  const rest = players.slice(winners).sort((a, b) => b.score - a.score || b.kill_count - a.kill_count);
  const sorted = [...players.slice(0, winners), ...rest];
  const extra = EXTRA_COUNTERS.filter((counter) => players.some((played) => played[counter] > 0));
  const own = counters.filter(({ valueOf }) => players.some((played) => valueOf(played) > 0));
  const names = [
    ...[columns.score, columns.kills, columns.deaths, columns.ratio],
    ...extra.map((name) => columns[name]),
    ...own.map((column) => column.label),
  ];
  const cells = (played: ScoredPlayer): string[] => [
    formats.number(played.score),
    formats.number(played.kill_count),
    formats.number(played.death_count),
    formats.ratio(played.kill_count / Math.max(1, played.death_count)),
    ...extra.map((counter) => formats.number(played[counter])),
    ...own.map(({ valueOf }) => formats.number(valueOf(played))),
  ];
  return table({
    label,
    kind: 'lines',
    isBare: true,
    head: html`<th scope="col">${columns.player}</th>
      ${numberHeads(names)}`,
    rows: sorted.slice(shown.from, shown.to).map(
      (played, index) =>
        html`<tr>
          <th scope="row">
            ${playerLink(request, played)}${shown.from + index < winners ? note(text.match.winner) : ''}${played.isSecondary ? note(text.match.changedSides) : ''}
          </th>
          ${numberCells(names, cells(played))}
        </tr> `,
    ),
  });
}

/** Words behind the name of a player. */
const note = (words: string): Html => html` <span class="small soft">${words}</span>`;

/** A team with its score, and the table of its players. */
export function teamScoreboard(
  { text, formats }: PageRequest,
  { name, score, colour, hasWon }: { name: string; score: number; colour: Colour; hasWon: boolean },
  players: Html,
): Html {
  return html`<div class="scoreboard c-${colour}">
    <h3>
      <span class="team-name"><bdi>${name}</bdi></span
      >${hasWon ? html` <span class="small">${text.match.winner}</span>` : ''}<span class="figures"
        >${formats.number(score)}</span
      >
    </h3>
    ${players}
  </div>`;
}

/** Columns that only scoreboards with such counters have. */
const EXTRA_COUNTERS = ['shot_count', 'hit_count', 'paint_count'] as const;

const PLAYERS_PER_PAGE = 100;

/**
 * Divides the rows of all scoreboards of a match into pages (`players=2`): a match may have 1,000 players.
 * @param sizes the players of each scoreboard
 * @returns the places of each scoreboard that the page shows, undefined for none of them, and the links to the other pages
 * @throws HttpError 400
 */
export function scoreboardPages(request: PageRequest, sizes: readonly number[]) {
  const { text, formats } = request;
  const value = request.query('players') ?? '1';
  if (!/^[1-9]\d{0,3}$/.test(value)) throw new HttpError(400, 'players', text.error.parameter('players'));
  const page = Number(value);
  let all = 0;
  const places = sizes.map((players) => {
    const rows = Math.max(1, players);
    const from = (page - 1) * PLAYERS_PER_PAGE - all;
    const to = from + PLAYERS_PER_PAGE;
    all += rows;
    return to <= 0 || from >= rows ? undefined : { from: Math.max(0, from), to: Math.min(rows, to) };
  });
  if (all <= PLAYERS_PER_PAGE) return { places, links: html`` };
  const link = (to: number, label: string, rel: string): Html => {
    const address = request.link({ players: to === 1 ? undefined : String(to) });
    return html`<a href="${address}#players" rel="${rel}" aria-label="${label}">${rel === 'prev' ? '←' : '→'}</a>`;
  };
  const last = Math.ceil(all / PLAYERS_PER_PAGE);
  const first = (Math.min(page, last) - 1) * PLAYERS_PER_PAGE + 1;
  const end = Math.min(all, first + PLAYERS_PER_PAGE - 1);
  const links = html`<nav class="stretch" aria-label="${text.match.playerPages}">
    ${page > 1 ? link(page - 1, text.boards.earlier, 'prev') : html`<span></span>`}
    <span>${text.match.playerRange(formats.number(first), formats.number(end), formats.number(all))}</span>
    ${page < last ? link(page + 1, text.pager.next, 'next') : html`<span></span>`}
  </nav>`;
  return { places, links };
}
