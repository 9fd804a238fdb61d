import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import { type MatchObjective, type MatchPlayer, type MatchTeam, parseExtras } from '#store/game/matches.ts';
import type { PageRequest } from '../page-request.ts';
import { heading, stopwatch } from './labels.ts';
import { isFreeForAll } from './match-list.ts';
import { type Timed, whoKilled } from './match-timeline.ts';
import { playerLink } from './links.ts';

/** A player of a match with the number of objectives that the player completed. */
export interface Feats extends MatchPlayer {
  team: string;
  objectives: number;
}

/** The players of each team whose result the team decides, the best first, with what they did. */
export function rankedPlayers(
  teams: readonly MatchTeam[],
  objectives: readonly MatchObjective[],
  extras: string | null,
): Feats[][] {
  const secondary = new Set((parseExtras(extras).secondary ?? []).map(String));
  const completed = Map.groupBy(objectives, ({ player }) => player?.uuid);
  return teams.map(({ name: team, players }, t) =>
    players
      .filter((_, p) => !secondary.has(String([t, p])))
      .map((player) => ({ ...player, team, objectives: completed.get(player.uuid)?.length ?? 0 }))
      .filter(({ uuid, objectives: count, score, kill_count }) => uuid !== '' && count + score + kill_count > 0)
      .sort(byFeats),
  );
}

/** More objectives, then a higher score, then more kills, then fewer deaths: the rule that `text.match.bestRule` states. */
export const byFeats = (a: Feats, b: Feats): number =>
  b.objectives - a.objectives || b.score - a.score || b.kill_count - a.kill_count || a.death_count - b.death_count;

const MAX_TEAMS = 8;

/** The best player of each team, with the rule, and the first kill. Of a free-for-all the first kill alone. */
export function bestPlayers(request: PageRequest, view: Timed, extras: string | null): Html {
  const { text } = request;
  const { teams, match, colours, kills = [] } = view;
  const hasBest = !isFreeForAll(teams) && teams.length <= MAX_TEAMS;
  const best = hasBest ? rankedPlayers(teams, view.objectives, extras).flatMap(([first]) => first ?? []) : [];
  const first = kills[0];
  if (best.length === 0 && first === undefined) return html``;
  return html`<section class="card" aria-labelledby="best">
    ${heading('best', best.length > 0 ? text.match.best : text.match.firstBlood)}
    <ul class="best">
      ${best.map(
        (player) =>
          html`<li>
            <span class="small"
              ><span class="dot c-${colours.get(player.team) ?? 'gray'}"></span><bdi>${player.team}</bdi></span
            >
            ${playerLink(request, player, 40)}
            <span class="figures small">${featsOf(request, player).join(' · ')}</span>
          </li>`,
      )}
      ${
        first === undefined
          ? ''
          : html`<li>
              <span class="small">${text.match.firstBlood}</span> <span>${whoKilled(request, view, first)}</span>
              <span class="figures small">${stopwatch(first.time - match.started)}</span>
            </li>`
      }
    </ul>
    ${best.length > 0 ? html`<p class="soft small">${text.match.bestRule}</p>` : ''}
  </section>`;
}

/** What a player did, without what is zero: objectives, score, kills with deaths. */
export function featsOf({ text, formats }: PageRequest, player: Feats): string[] {
  const { objectives, score, kill_count, death_count } = player;
  return [
    ...(objectives > 0 ? [text.modeCounters.objective(formats.number(objectives))] : []),
    ...(score > 0 ? [text.modeCounters.score(formats.number(score))] : []),
    ...(kill_count + death_count > 0
      ? [text.match.record(formats.number(kill_count), formats.number(death_count))]
      : []),
  ];
}
