import { html } from 'hono/html';
import { idOf } from '#platform/ids.ts';
import { punishmentsOfNamed } from '#admin/punishments.ts';
import { keyCursor, listed } from '#http/pager.ts';
import { strippedPunishment } from '#store/accounts/deleted-players.ts';
import { listPunishments, type Punishment } from '#store/game/punishments.ts';
import { timestamp, textOf } from '../../components.ts';
import { moderatorPage, type Route, type ConsoleRequest } from '../../routes.ts';
import { inOperator } from '../layout.ts';
import { searchForm, keyBefore, nothingFound, olderPager, PAGE_SIZE, table } from '../../lists.ts';
import { stateBadge, typeName } from '../punishment-labels.ts';
import { expiryOf } from './terms.ts';

async function punishmentsPage(request: ConsoleRequest) {
  const { c, person } = request;
  const { operator: t } = request.texts;
  const query = textOf(c.req.query('q'), 64);
  const { deleted, punishments } = await find(request, query);
  const { items, next } = listed(punishments, PAGE_SIZE, keyCursor);
  const rows = items.map((punishment) => [
    deleted ?? html`<a href="/console/operator/punishments/${idOf(punishment.key)}">${punishment.punished.name}</a>`,
    typeName(request, punishment.type),
    punishment.reason,
    stateBadge(request, punishment),
    timestamp(request, punishment.time),
    expiryOf(request, punishment),
  ]);
  const headings = [t.player, t.kind, t.reason, t.state, t.when, t.expires];
  const inner = html`<section class="card">
    <div class="actions">
      <a class="button" href="/console/operator/punishments/new">${t.issue}</a>
      ${person.isOperator ? html`<a class="button quiet" href="/console/operator/punishments/changes">${t.all_changes}</a>` : ''}
    </div>
    ${searchForm(request, t.find_player, query)}
    ${items.length === 0 || deleted !== undefined ? await nothingFound(request, query) : ''}
    ${items.length === 0 ? '' : table(t.sections['/punishments'], headings, rows)} ${olderPager(request, next)}
  </section>`;
  return inOperator(request, '/punishments', t.sections['/punishments'], inner);
}

/** `deleted` is the UUID of a deleted account, whose punishments are shown without a way to the pseudonym. */
async function find(
  request: ConsoleRequest,
  query: string | undefined,
): Promise<{ deleted: string | undefined; punishments: Punishment[] }> {
  const { deps, now } = request;
  const page = { before: keyBefore(request), limit: PAGE_SIZE + 1, now };
  if (query === undefined)
    return { deleted: undefined, punishments: await listPunishments(deps.db, page.before, page.limit, now) };
  const found = await punishmentsOfNamed(deps.db, query, page);
  if (found === undefined) return { deleted: undefined, punishments: [] };
  const { deleted, punishments } = found;
  if (deleted === undefined) return found;
  return { deleted, punishments: punishments.slice(0, PAGE_SIZE).map((one) => strippedPunishment(one, deleted)) };
}

export const punishmentRoutes: readonly Route[] = [moderatorPage('/operator/punishments', punishmentsPage)];
