import { html } from 'hono/html';
import { field, notice } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import {
  type ApplicationChange,
  changeById,
  decideChange,
  waitingChanges,
} from '#store/applications/application-changes.ts';
import { changeTable, mailOwners } from '../applications/changes.ts';
import { formTo, linesOf, timestamp } from '../components.ts';
import { operatorForm, operatorPage, type ConsoleRequest, type Route } from '../routes.ts';
import { notFound } from '../sign-in.ts';
import { inOperator } from './layout.ts';

const MAX_NOTE = 1000;
const MAX_LISTED = 50;

/** The rows of waiting changes in the list of requests. */
export async function changeRows(request: ConsoleRequest): Promise<Html[]> {
  const { operator: t, changes } = request.texts;
  return (await waitingChanges(request.deps.db, MAX_LISTED)).map(
    ({ id, client_id, old, account_name, created }) =>
      html`<li>
        <span class="what"
          ><strong><a href="/console/applications/${client_id}">${old.name}</a></strong> ${changes.kind}
          <span class="hint">${t.asked_by(account_name ?? t.nobody)} ${timestamp(request, created)}</span></span
        >
        <a class="button quiet" href="/console/operator/changes/${id}"
          >${t.review}<span class="hidden">: ${old.name}</span></a
        >
      </li>`,
  );
}

async function requireChange({ c, deps }: ConsoleRequest): Promise<ApplicationChange> {
  const change = await changeById(deps.db, c.req.param('id') ?? '');
  if (change === undefined) throw notFound();
  return change;
}

async function changePage(request: ConsoleRequest, problem?: string) {
  const { form, texts } = request;
  const { operator: t, changes } = texts;
  const change = await requireChange(request);
  const { id, client_id, old, account_id, account_name } = change;
  const note = { name: 'note', label: t.note, hint: t.note_hint, value: form['note'], optional: true } as const;
  const buttons = html`<div class="actions">
    <button name="state" value="approved">${t.approve}</button>
    <button class="quiet danger" name="state" value="refused">${t.refuse}</button>
  </div>`;
  const inner = html`<section class="card form stack" aria-labelledby="change">
    <h2 id="change">${changes.kind}</h2>
    <p>${changes.review_lead}</p>
    <dl class="facts">
      <dt>${t.application}</dt>
      <dd><a href="/console/applications/${client_id}">${old.name}</a></dd>
      <dt>${t.applicant}</dt>
      <dd>
        ${account_id === null ? t.nobody : html`<a href="/console/operator/accounts/${account_id}">${account_name}</a>`}
      </dd>
      <dt>${t.when}</dt>
      <dd>${timestamp(request, change.created)}</dd>
    </dl>
    ${changeTable(request, change)} ${notice(problem, 'bad')}
    ${formTo(request, `/operator/changes/${id}`, html`${field({ ...note, rows: 3, maxlength: MAX_NOTE })} ${buttons}`)}
  </section>`;
  return inOperator(request, '', changes.review_title(old.name), inner, problem === undefined ? 200 : 422);
}

async function decide(request: ConsoleRequest) {
  const { c, deps, form, texts } = request;
  const { operator: t } = texts;
  const state = form['state'] === 'approved' ? 'approved' : 'refused';
  const note = (form['note'] ?? '').trim() === '' ? '' : linesOf(form['note'], MAX_NOTE);
  const id = c.req.param('id') ?? '';
  if ((await changeById(deps.db, id)) === undefined) return '/operator?done=gone';
  if (note === undefined) return await changePage(request, t.note_wrong(MAX_NOTE));
  if (state === 'refused' && note === '') return await changePage(request, t.note_missing);
  const change = await decideChange(deps.db, id, state);
  if (change === undefined) return '/operator?done=gone';
  const { client_id, name, redirect_uris, logo, old } = change;
  const action = state === 'approved' ? 'application.change.approve' : 'application.change.refuse';
  const detail = { name, redirect_uris: redirect_uris.join(' '), ...(logo === null ? {} : { logo }), note };
  await request.record({ action, subject: client_id, label: old.name, detail });
  await mailOwners(deps, change, { state, note });
  return `/operator?done=${state}`;
}

export const changeRoutes: readonly Route[] = [
  operatorPage('/operator/changes/:id', (request) => changePage(request)),
  operatorForm('/operator/changes/:id', ({ state }) => state === 'approved', decide),
];
