import { html } from 'hono/html';
import { field, notice } from '#http/fields.ts';
import { COLON } from '#http/languages.ts';
import type { Html } from '#http/page.ts';
import { approveChange, MAX_NOTE, refuseChange } from '#admin/access.ts';
import { type ApplicationChange, changeById, waitingChanges } from '#store/applications/application-changes.ts';
import { changeTable, mailOwners } from '../applications/changes.ts';
import { formTo, type Problems, timestamp } from '../components.ts';
import { oneOfForms, operationForm } from '../operation-form.ts';
import { operatorPage, type ConsoleRequest, type Route } from '../routes.ts';
import { notFound } from '../sign-in.ts';
import { inOperator } from './layout.ts';

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
          >${t.review}<span class="hidden">${COLON[request.texts.lang]}${old.name}</span></a
        >
      </li>`,
  );
}

const findChange = ({ c, deps }: ConsoleRequest) => changeById(deps.db, c.req.param('id') ?? '');

async function changePage(request: ConsoleRequest, problem?: string) {
  const { form, texts } = request;
  const { operator: t, changes } = texts;
  const change = await findChange(request);
  if (change === undefined) throw notFound();
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

const AT = '/operator/changes/:id';
const GONE = '/operator?done=gone';

/** The sentence about a note that is missing or wrong. */
export const wrongNote = ({ texts: { operator: t }, form }: ConsoleRequest): string =>
  (form['note'] ?? '').trim() === '' ? t.note_missing : t.note_wrong(MAX_NOTE);

const decision = (state: 'approved' | 'refused') => ({
  find: async ({ c }: ConsoleRequest) => ({ id: c.req.param('id') ?? '' }),
  wrong: wrongNote,
  again: async (request: ConsoleRequest, { note }: Problems) =>
    (await findChange(request)) === undefined ? GONE : await changePage(request, note),
  refused: { not_waiting: () => GONE },
  done: async ({ deps }: ConsoleRequest, _: unknown, change: ApplicationChange, { note }: { note: string }) => {
    await mailOwners(deps, change, { state, note });
    return `/operator?done=${state}`;
  },
});

const ACTS = {
  approved: operationForm(AT, approveChange, decision('approved')),
  refused: operationForm(AT, refuseChange, decision('refused')),
};

export const changeRoutes: readonly Route[] = [
  operatorPage(AT, (request) => changePage(request)),
  oneOfForms(
    [ACTS.approved, ACTS.refused],
    ({ state }) => (state === 'approved' || state === 'refused' ? ACTS[state] : undefined),
    ({ c }) => `/operator/changes/${c.req.param('id')!}`,
  ),
];
