import { html } from 'hono/html';
import { keyCursor, listed } from '#http/pager.ts';
import { uuidOf } from '#text/text.ts';
import { type Player, playerByUuid, playersBefore, playersNamed } from '#store/game/players.ts';
import { textOf, timestamp } from '../components.ts';
import { operatorPage, type Route, type ConsoleRequest } from '../routes.ts';
import { inOperator } from './layout.ts';
import { keyBefore, nothingFound, olderPager, PAGE_SIZE, searchForm, table } from '../lists.ts';

/** Players by name, former name or UUID; without a query the newest ones. */
async function playersPage(request: ConsoleRequest) {
  const { operator: t, player_page: p } = request.texts;
  const query = textOf(request.c.req.query('q'), 64);
  const { items, next } = listed(await find(request, query), PAGE_SIZE, keyCursor);
  const rows = items.map(({ uuid, name, last_login }) => [
    html`<a href="/console/operator/players/${uuid}">${name}</a><br /><code class="hint">${uuid}</code>`,
    last_login === null ? '–' : timestamp(request, last_login),
  ]);
  const title = query === undefined ? p.newest : t.sections['/players'];
  const inner = html`<section class="card">
    ${searchForm(request, p.find, query)}
    ${table(title, [t.player, p.last_login], rows, { empty: await nothingFound(request, query) })}
    ${query === undefined ? olderPager(request, next) : ''}
    <p><a href="/console/operator/players/merge">${p.merge}</a></p>
  </section>`;
  return inOperator(request, '/players', t.sections['/players'], inner);
}

async function find(request: ConsoleRequest, query: string | undefined): Promise<Player[]> {
  const { db } = request.deps;
  if (query === undefined) return await playersBefore(db, keyBefore(request), PAGE_SIZE + 1);
  const uuid = uuidOf(query);
  const player = uuid === undefined ? undefined : await playerByUuid(db, uuid);
  return player === undefined ? await playersNamed(db, query, PAGE_SIZE) : [player];
}

export const playerListRoutes: readonly Route[] = [operatorPage('/operator/players', playersPage)];
