import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import { findPlayer, type Player } from '#store/game/players.ts';
import { statsOf } from '#store/game/player-stats.ts';
import { type Duel, duelsWith, rivalsByKills, type Rival } from '#store/game/rivals/kill-pairs.ts';
import { noRecords, RECORDS, recordsOf } from '#store/game/rivals/player-records.ts';
import { companions, matchesTogether, type Together } from '#store/game/rivals/recent-matches.ts';
import { heading } from '#site/components/labels.ts';
import { recordValue, streakLabel } from '#site/components/player-form.ts';
import { playerLink } from '#site/components/links.ts';
import { totalOf } from '#site/components/stats-table.ts';
import { numberCells, table } from '#site/components/table.ts';
import type { PageContent, PageRequest } from '#site/page-request.ts';
import { isVisible, requirePlayer } from './player.ts';

const SHOWN = 20;
const LISTS = ['victims', 'killers', 'teammates', 'opponents'] as const;
type List = (typeof LISTS)[number];

/** `/players/:uuid/rivals`: whom a player kills and who kills the player, teammates and opponents. */
export async function rivalsPage(request: PageRequest): Promise<PageContent | Response> {
  const player = await requirePlayer(request, '/rivals');
  if (player instanceof Response) return player;
  const { text } = request;
  const title = text.rivals.title(player.name);
  const main = (await isVisible(request, player))
    ? html`${compareForm(request, player, '')}
        <div class="two even">${await Promise.all(LISTS.map((list) => rivalList(request, player, list)))}</div>`
    : html`<p class="notice">${text.player.private}</p>`;
  return {
    ...{ title, description: title, path: `/players/${player.uuid}/rivals`, section: 'players', noIndex: true },
    main: html`<h1><bdi>${title}</bdi></h1>
      <p>${playerLink(request, player, 40)}</p>
      ${main}`,
  };
}

async function rivalList(request: PageRequest, { key }: Player, list: List): Promise<Html> {
  const { db, text, formats } = request;
  const page = { player: key, limit: SHOWN };
  const byKills = list === 'victims' || list === 'killers';
  const found: readonly (Rival & { play?: number; win?: number })[] = byKills
    ? await rivalsByKills(db, list, page)
    : await companions(db, list, page);
  const duels = await duelsWith(db, key, byKills ? found.map((rival) => rival.key) : []);
  const note = ({ key: other, play = 0, win = 0 }: (typeof found)[number]): string => {
    const { kill, death } = duels.get(other) ?? { kill: 0, death: 0 };
    return byKills
      ? text.rivals.duel(formats.number(kill), formats.number(death))
      : text.rivals.together(formats.number(play), formats.number(win));
  };
  return html`<section class="card" aria-labelledby="${list}">
    ${heading(list, text.rivals.lists[list])}
    <p class="soft small">${text.rivals.notes[list]}</p>
    ${
      found.length === 0
        ? html`<p class="soft">${text.rivals.none}</p>`
        : html`<ul class="kills">
            ${found.map((rival) => html`<li>${playerLink(request, rival, 20)} <span class="soft small">${note(rival)}</span></li>`)}
          </ul>`
    }
  </section>`;
}

function compareForm({ text }: PageRequest, { uuid }: Player, value: string): Html {
  return html`<form
    class="big-find"
    role="search"
    aria-label="${text.rivals.compare}"
    action="/players/${uuid}/compare"
  >
    <input
      type="search"
      name="with"
      value="${value}"
      maxlength="64"
      required
      aria-label="${text.rivals.compare}"
      placeholder="${text.rivals.compareHint}"
    /><button>${text.rivals.compareButton}</button>
  </form>`;
}

/** `/players/:uuid/compare?with=NAME`: two players side by side. */
export async function comparePage(request: PageRequest): Promise<PageContent | Response> {
  const asked = request.query('with')?.trim() ?? '';
  const one = await requirePlayer(request, `/compare?with=${encodeURIComponent(asked)}`);
  if (one instanceof Response) return one;
  const { text, db } = request;
  const found = asked === '' || asked.length > 64 ? undefined : await findPlayer(db, asked, 'public');
  const other = found?.key === one.key ? undefined : found;
  const title = other === undefined ? text.rivals.compare : text.rivals.comparison(one.name, other.name);
  const problem = found === undefined ? text.rivals.unknown(asked) : text.rivals.same;
  return {
    ...{ title, description: title, section: 'players', noIndex: true },
    path: `/players/${one.uuid}/compare${other === undefined ? '' : `?with=${other.uuid}`}`,
    main: html`<h1><bdi>${title}</bdi></h1>
      ${other === undefined ? html`${asked === '' ? '' : html`<p class="notice">${problem}</p>`}` : await comparison(request, one, other)}
      ${compareForm(request, one, other === undefined ? asked : '')}`,
  };
}

async function comparison(request: PageRequest, one: Player, other: Player): Promise<Html> {
  const { db, text } = request;
  for (const player of [one, other])
    if (!(await isVisible(request, player)))
      return html`<p>${playerLink(request, player, 28)}</p>
        <p class="notice">${text.player.private}</p>`;
  const columns = [await valuesOf(request, one), await valuesOf(request, other)];
  const duel = (await duelsWith(db, one.key, [other.key])).get(other.key)!;
  return html`${table({
    label: text.rivals.comparison(one.name, other.name),
    kind: 'stats lines',
    head: html`<th scope="col">${text.rivals.value}</th>
      ${[one, other].map((player) => html`<th scope="col" class="n">${playerLink(request, player, 24)}</th>`)}`,
    rows: columns[0]!.map(
      ([name], place) =>
        html`<tr>
          <th scope="row">${name}</th>
          ${numberCells(
            [one.name, other.name],
            columns.map((column) => column[place]![1]),
          )}
        </tr>`,
    ),
  })}
  ${between(request, [one, other], duel, await matchesTogether(db, one.key, other.key))}`;
}

async function valuesOf(request: PageRequest, { key }: Player): Promise<[name: string, value: string][]> {
  const { db, text, formats } = request;
  const { play, win, lose, kill, death, time } = totalOf(await statsOf(db, key));
  const records = (await recordsOf(db, [key])).get(key) ?? noRecords();
  return [
    [text.columns.matches, formats.number(play)],
    [text.columns.wins, formats.number(win)],
    [text.columns.winShare, win + lose === 0 ? '–' : formats.percent(win / (win + lose))],
    [text.columns.kills, formats.number(kill)],
    [text.columns.deaths, formats.number(death)],
    [text.columns.ratio, formats.ratio(kill / Math.max(1, death))],
    [text.columns.time, formats.duration(time)],
    [text.rivals.streak, streakLabel(request, records.streak)],
    [text.rivals.winStreak, formats.number(records.win_streak)],
    [text.rivals.loseStreak, formats.number(records.lose_streak)],
    ...RECORDS.map((name): [string, string] => [text.rivals.records[name], recordValue(request, name, records)]),
  ];
}

/** What two players did to each other, and the newest matches of the first one in which both took part. */
function between(request: PageRequest, players: [Player, Player], { kill, death }: Duel, together: Together): Html {
  const { text, formats } = request;
  const side = ({ play, win }: Together['teammates']): string =>
    text.rivals.together(formats.number(play), formats.number(win));
  const facts = [
    [text.rivals.kills(players[0].name), formats.number(kill)],
    [text.rivals.kills(players[1].name), formats.number(death)],
    [text.rivals.asTeammates, side(together.teammates)],
    [text.rivals.asOpponents, side(together.opponents)],
  ];
  return html`<section class="card" aria-labelledby="between">
    ${heading('between', text.rivals.between)}
    <p class="soft small">${text.rivals.betweenNote(players[0].name)}</p>
    <ul class="kills">
      ${facts.map(([name, value]) => html`<li><bdi>${name}</bdi> <span>${value}</span></li>`)}
    </ul>
  </section>`;
}
