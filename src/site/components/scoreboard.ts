import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import type { MatchCounters } from '#store/game/counters/counter-reports.ts';
import { type Counter, countsIn, labelIn } from '#store/game/counters/counters.ts';
import type { MatchPlayer } from '#store/game/matches.ts';
import { groupOf } from '#store/game/statistics-groups.ts';
import type { PageRequest } from '../page-request.ts';
import { playerLink } from './player-link.ts';

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
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${label}">
    <table class="lines">
      <thead>
        <tr>
          <th scope="col">${columns.player}</th>
          ${names.map((name) => html`<th scope="col" class="n">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${sorted.slice(shown.from, shown.to).map(
          (played, index) =>
            html`<tr>
              <th scope="row">
                ${playerLink(request, played)}${shown.from + index < winners ? html` <span class="small soft">${text.match.winner}</span>` : ''}${played.isSecondary ? html` <span class="small soft">${text.match.changedSides}</span>` : ''}
              </th>
              ${cells(played).map((cell, column) => html`<td class="n" data-label="${names[column]!}">${cell}</td>`)}
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Columns that only scoreboards with such counters have. */
const EXTRA_COUNTERS = ['shot_count', 'hit_count', 'paint_count'] as const;
