import { html } from 'hono/html';
import { keyCursor, listed } from '#http/pager.ts';
import { uuidOf } from '#text/text.ts';
import { hasPseudonym, namesOf, type Player, playerByUuid, playersBefore, playersNamed } from '#store/game/players.ts';
import { perform } from '#admin/operation.ts';
import { mergePlayers } from '#admin/players.ts';
import { field, notice } from '#http/fields.ts';
import { type Html, section } from '#http/page.ts';
import { idOf } from '#platform/ids.ts';
import { findOpenMerge } from '#events/handlers/merge-records.ts';
import { findForStaff } from '#store/accounts/deleted-players.ts';
import { factsList, formTo, textOf, timestamp } from '../components.ts';
import { actForm, type ConsoleRequest, operatorPage, type Route } from '../routes.ts';
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

/**
 * Merges two players. The first form shows both, the second one merges them: merging cannot be undone, so the operator
 * sees both players before.
 */
async function mergePage(request: ConsoleRequest, error?: string) {
  const { c, form } = request;
  const { operator: t } = request.texts;
  const submitted = c.req.method === 'GET' ? c.req.query() : form;
  const [from, into] = [
    await findSubmitted(request, submitted['from']),
    await findSubmitted(request, submitted['into']),
  ];
  const isErased = [from, into].some((one) => one && (one.player === undefined || hasPseudonym(one.player)));
  const isReady = !isErased && from?.player && into?.player && from.player.uuid !== into.player.uuid;
  const isSubmitted = submitted['from'] !== undefined || submitted['into'] !== undefined;
  const problem = error ?? (isErased ? t.merge_erased : isSubmitted && !isReady ? t.merge_unknown : undefined);
  const uuidField = (name: 'from' | 'into', label: string): Html =>
    field({ name, label, hint: t.merge_hint, value: submitted[name], maxlength: 64 });
  const inner = html`<section class="card form">
      <p>${t.merge_lead}</p>
      ${notice(problem, 'bad')}
      <form class="stack" action="/console/operator/players/merge">
        ${uuidField('from', t.merge_from)} ${uuidField('into', t.merge_into)}
        <button class="quiet">${t.merge_look}</button>
      </form>
    </section>
    ${isReady ? await confirmation(request, from.player, into.player) : ''}`;
  return inOperator(request, '/players', request.texts.player_page.merge, inner, problem === undefined ? 200 : 422);
}

async function findSubmitted({ deps: { db } }: ConsoleRequest, text: string | undefined) {
  const submitted = textOf(text, 64);
  return submitted === undefined ? undefined : await findForStaff(db, submitted);
}

async function confirmation(request: ConsoleRequest, from: Player, into: Player): Promise<Html> {
  const { operator: t } = request.texts;
  const content = html`${factsList([
      [t.merge_from, await playerFacts(request, from)],
      [t.merge_into, await playerFacts(request, into)],
    ])}
    <p><strong>${t.merge_for_good}</strong></p>
    ${formTo(
      request,
      '/operator/players/merge',
      html`<input type="hidden" name="from" value="${from.uuid}" />
        <input type="hidden" name="into" value="${into.uuid}" />
        <button class="danger">${t.merge_submit}</button>`,
    )}`;
  return section('sure', t.merge_title(from.name, into.name), content, 'card form');
}

async function playerFacts(request: ConsoleRequest, { key, uuid, name, last_login }: Player): Promise<Html> {
  const names = (await namesOf(request.deps.db, key)).map((observation) => observation.name);
  return html`<a href="/players/${uuid}">${name}</a><br /><code>${uuid}</code
    ><br />${names.length > 1 ? html`<span class="hint">${names.join(', ')}</span><br />` : ''}<span class="hint"
      >${last_login === null ? '' : timestamp(request, last_login)}</span
    >`;
}

async function merge(request: ConsoleRequest) {
  const { actor, deps, form, texts } = request;
  const [from, into] = [uuidOf(form['from'] ?? ''), uuidOf(form['into'] ?? '')];
  if (from === undefined || into === undefined) return await mergePage(request, texts.operator.merge_unknown);
  const outcome = await perform(mergePlayers, { ...deps, actor }, { from, into }, {});
  if ('refused' in outcome) return await mergePage(request, texts.operator.merge_erased);
  if ('rejected' in outcome) return await mergePage(request, texts.operator.merge_again);
  const job = await findOpenMerge(deps.db, from);
  return job === undefined ? `/operator/players/${into}?done=merged` : `/operator/jobs/${idOf(job)}`;
}

export const playerListRoutes: readonly Route[] = [
  operatorPage('/operator/players', playersPage),
  operatorPage('/operator/players/merge', (request) => mergePage(request)),
  actForm('/operator/players/merge', mergePlayers, merge),
];
