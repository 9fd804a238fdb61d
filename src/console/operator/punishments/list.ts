import { html } from 'hono/html';
import { idOf } from '#platform/ids.ts';
import { findPunished, issuePunishment, punishmentsOfNamed } from '#admin/punishments.ts';
import { keyCursor, listed } from '#http/pager.ts';
import { strippedPunishment } from '#store/accounts/deleted-players.ts';
import { listPunishments, type Punishment } from '#store/game/punishments.ts';
import { field, notice } from '#http/fields.ts';
import { perform } from '#admin/operation.ts';
import { namesakes } from '#store/game/players.ts';
import { formTo, type Problems, textOf, timestamp } from '../../components.ts';
import { actForm, type ConsoleRequest, moderatorPage, type Route } from '../../routes.ts';
import { inOperator } from '../layout.ts';
import { keyBefore, nothingFound, olderPager, PAGE_SIZE, searchForm, table } from '../../lists.ts';
import { expiryOf, stateBadge, typeName } from '../punishment-labels.ts';
import { isComplete, playerOf, readTerms, termsFields, wireExpiry } from './terms.ts';

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

/** The form that issues a punishment of the network. */
async function newPage(request: ConsoleRequest, problems?: Problems) {
  const { c } = request;
  const { operator: t } = request.texts;
  const entered = problems === undefined ? { player: c.req.query('player') ?? '' } : request.form;
  const errors = problems ?? {};
  const fields = html`${field({ name: 'player', label: t.player, hint: t.issue_player_hint, value: entered['player'], error: errors['player'], maxlength: 64 })}
    ${field({ name: 'name', label: t.issue_name, hint: t.issue_name_hint, value: entered['name'], error: errors['name'], maxlength: 64, optional: true })}
    ${await termsFields(request, entered, errors)}<button class="danger">${t.issue}</button>`;
  const inner = html`<section class="card form">
    ${notice(errors['form'], 'bad')} ${formTo(request, '/operator/punishments/new', fields)}
  </section>`;
  return inOperator(request, '/punishments', t.issue, inner);
}

async function issue(request: ConsoleRequest) {
  const { actor, deps, form, texts } = request;
  const [query, name] = [textOf(form['player'], 64), textOf(form['name'], 64)];
  const isShared = query !== undefined && (await namesakes(deps.db, query, 2)).length > 0;
  const punished = query === undefined || isShared ? undefined : await findPunished(deps.db, query, name);
  const read = readTerms(request);
  if (punished === undefined || !isComplete(read)) {
    const problems = isComplete(read) ? {} : read;
    const { shared_name, unknown_player } = texts.operator;
    const player = isShared ? shared_name : unknown_player;
    return newPage(request, { ...problems, ...(punished === undefined && { player }) });
  }
  const terms = { ...read, expires: wireExpiry(read.expires) };
  const row = { punished, punisher: await playerOf(request) };
  const outcome = await perform(issuePunishment, { ...deps, actor }, row, terms);
  // The page of the punishment would show the pseudonym of a deleted player.
  if ('done' in outcome && punished.deleted !== undefined)
    return `/operator/punishments?q=${punished.deleted}&done=completed`;
  if ('done' in outcome) return `/operator/punishments/${outcome.done.receipt}?done=completed`;
  return newPage(
    request,
    'rejected' in outcome ? { form: outcome.rejected.reason } : { player: texts.operator.unknown_player },
  );
}

export const punishmentRoutes: readonly Route[] = [
  moderatorPage('/operator/punishments', punishmentsPage),
  moderatorPage('/operator/punishments/new', (request) => newPage(request)),
  actForm('/operator/punishments/new', issuePunishment, issue),
];
