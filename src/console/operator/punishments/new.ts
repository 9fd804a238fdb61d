import { html } from 'hono/html';
import { field, notice } from '#http/fields.ts';
import { perform } from '#admin/operation.ts';
import { findPunished, issuePunishment } from '#admin/punishments.ts';
import { namesakes } from '#store/game/players.ts';
import { formTo, type Problems, textOf } from '../../components.ts';
import { actForm, moderatorPage, type Route, type ConsoleRequest } from '../../routes.ts';
import { inOperator } from '../layout.ts';
import { isComplete, playerOf, readTerms, termsFields, wireExpiry } from './terms.ts';

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
  return inOperator(request, '/punishments', t.issue, inner, problems === undefined ? 200 : 422);
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
  return newPage(request, { form: 'rejected' in outcome ? outcome.rejected.reason : undefined });
}

export const newPunishmentRoutes: readonly Route[] = [
  moderatorPage('/operator/punishments/new', (request) => newPage(request)),
  actForm('/operator/punishments/new', issuePunishment, issue),
];
