import { html } from 'hono/html';
import { idOf } from '#platform/ids.ts';
import { keyCursor, listed } from '#http/pager.ts';
import { findPlayer } from '#store/game/players.ts';
import { listPunishments, listPunishmentsOf, type Punishment } from '#store/game/punishments.ts';
import { timestamp, textOf } from '../../components.ts';
import { moderatorPage, type Route, type ConsoleRequest } from '../../routes.ts';
import { inOperator } from '../layout.ts';
import { searchForm, keyBefore, olderPager, PAGE_SIZE, table } from '../lists.ts';
import { expiryOf, stateBadge, typeName } from './terms.ts';

async function punishmentsPage(request: ConsoleRequest) {
  const { c, person } = request;
  const { operator: t } = request.texts;
  const query = textOf(c.req.query('q'), 64);
  const { items, next } = listed(await find(request, query), PAGE_SIZE, keyCursor);
  const rows = items.map(
    (punishment) =>
      html`<tr>
        <th scope="row">
          <a href="/console/operator/punishments/${idOf(punishment.key)}">${punishment.punished.name}</a>
        </th>
        <td>${typeName(request, punishment.type)}</td>
        <td>${punishment.reason}</td>
        <td>${stateBadge(request, punishment)}</td>
        <td>${timestamp(request, punishment.time)}</td>
        <td>${expiryOf(request, punishment)}</td>
      </tr>`,
  );
  const headings = [t.player, t.kind, t.reason, t.state, t.when, t.expires];
  const inner = html`<section class="card">
    <div class="actions">
      <a class="button" href="/console/operator/punishments/new">${t.issue}</a>
      ${person.isOperator ? html`<a class="button quiet" href="/console/operator/punishments/changes">${t.all_changes}</a>` : ''}
    </div>
    ${searchForm(request, t.find_player, query)}
    ${items.length === 0 ? html`<p class="soft">${t.nothing_found}</p>` : table(t.sections['/punishments'], headings, rows)}
    ${olderPager(request, next)}
  </section>`;
  return inOperator(request, '/punishments', t.sections['/punishments'], inner);
}

async function find(request: ConsoleRequest, query: string | undefined): Promise<Punishment[]> {
  const { deps, now } = request;
  const before = keyBefore(request);
  if (query === undefined) return await listPunishments(deps.db, before, PAGE_SIZE + 1, now);
  const player = await findPlayer(deps.db, query);
  return player === undefined ? [] : await listPunishmentsOf(deps.db, player.key, before, PAGE_SIZE + 1, now);
}

export const punishmentRoutes: readonly Route[] = [moderatorPage('/operator/punishments', punishmentsPage)];
