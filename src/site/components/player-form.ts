import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import { idOf } from '#platform/ids.ts';
import { duelsWith, type KillRole, rivalsByKills } from '#store/game/rivals/kill-pairs.ts';
import {
  noRecords,
  type PlayerRecords,
  RECORDS,
  type RecordName,
  recordsOf,
} from '#store/game/rivals/player-records.ts';
import { bestMap, type RecentMatch, recentMatches } from '#store/game/rivals/recent-matches.ts';
import type { PageRequest } from '../page-request.ts';
import { figure, heading } from './labels.ts';
import { playerLink } from './links.ts';

const SHOWN_RESULTS = 10;

/** The newest results, best map, favourite victim, nemesis, streaks and records of a player. */
export async function formSection(request: PageRequest, player: { key: number; uuid: string }): Promise<Html> {
  const { db, text } = request;
  const recent = await recentMatches(db, player.key);
  const records = (await recordsOf(db, [player.key])).get(player.key) ?? noRecords();
  return html`<section class="card" aria-labelledby="form">
    ${heading('form', text.rivals.form, { href: `/players/${player.uuid}/rivals`, label: text.rivals.link })}
    ${results(request, recent)}
    <ul class="kills">
      ${bestMapItem(request, recent)}${await rivalItem(request, player.key, 'victims')}${await rivalItem(request, player.key, 'killers')}
    </ul>
    <dl class="figures-row">
      ${figure(streakLabel(request, records.streak), text.rivals.streak)}
      ${figure(request.formats.number(records.win_streak), text.rivals.winStreak)}
      ${RECORDS.map((name) => recordFigure(request, name, records))}
    </dl>
  </section>`;
}

function results({ text }: PageRequest, recent: readonly RecentMatch[]): Html {
  if (recent.length === 0) return html``;
  return html`<ol class="form" aria-label="${text.rivals.newest}">
    ${recent.slice(0, SHOWN_RESULTS).map(
      ({ key, map, result }) =>
        html`<li>
          <a class="result ${result}" href="/matches/${idOf(key)}" title="${map}"
            >${text.results[result]}<span class="hidden"> <bdi>${map}</bdi></span></a
          >
        </li>`,
    )}
  </ol>`;
}

export function streakLabel({ text, formats }: PageRequest, streak: number): string {
  if (streak === 0) return text.rivals.noStreak;
  return streak > 0 ? text.rivals.wins(formats.number(streak)) : text.rivals.losses(formats.number(-streak));
}

export const recordValue = ({ formats }: PageRequest, name: RecordName, records: PlayerRecords): string =>
  name === 'time' ? formats.duration(records.time) : formats.number(records[name]);

/** A record, as a link to its match. */
function recordFigure(request: PageRequest, name: RecordName, records: PlayerRecords): Html {
  const match = records[`${name}_match`];
  if (match === null) return html``;
  return html`<div class="figure">
    <dt>${request.text.rivals.records[name]}</dt>
    <dd><a href="/matches/${idOf(match)}">${recordValue(request, name, records)}</a></dd>
  </div>`;
}

function bestMapItem({ text, formats }: PageRequest, recent: readonly RecentMatch[]): Html {
  const best = bestMap(recent);
  if (best === undefined) return html``;
  const { map, play, win } = best;
  const note = text.rivals.bestMapOf(formats.number(win), formats.number(play), formats.number(recent.length));
  return html`<li>
    <span
      >${text.rivals.bestMap}: <strong><bdi>${map}</bdi></strong></span
    >
    <span class="soft small">${note}</span>
  </li>`;
}

const LABELS = { victims: 'victim', killers: 'nemesis' } as const;

async function rivalItem(request: PageRequest, player: number, role: KillRole): Promise<Html> {
  const { db, text, formats } = request;
  const [rival] = await rivalsByKills(db, role, { player, limit: 1 });
  if (rival === undefined) return html``;
  const { kill, death } = (await duelsWith(db, player, [rival.key])).get(rival.key)!;
  const count = formats.number(role === 'victims' ? kill : death);
  return html`<li>
    <span>${text.rivals[LABELS[role]]}: ${playerLink(request, rival, 20)}</span>
    <span class="soft small">${text.rivals.times(count)}</span>
  </li>`;
}
