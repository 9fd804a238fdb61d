import { html } from 'hono/html';
import { field, notice } from '#http/fields.ts';
import { COLON } from '#http/languages.ts';
import { type Html, rowItem, section } from '#http/page.ts';
import { approveChange, MAX_NOTE, refuseChange } from '#admin/access.ts';
import { type ApplicationChange, changeById, waitingChanges } from '#store/applications/application-changes.ts';
import { mailOwners } from '#mails/application-mails.ts';
import { changeTable } from '../applications/changes.ts';
import { type Fact, factsList, formTo, type Problems, timestamp } from '../components.ts';
import { oneOfForms, operationForm } from '../operation-form.ts';
import { operatorPage, type ConsoleRequest, type Route } from '../routes.ts';
import { orNotFound } from '../sign-in.ts';
import { inOperator } from './layout.ts';

const MAX_LISTED = 50;

/** The rows of waiting changes in the list of requests. */
export async function changeRows(request: ConsoleRequest): Promise<Html[]> {
  const { operator: t, changes } = request.texts;
  return (await waitingChanges(request.deps.db, MAX_LISTED)).map(({ id, client_id, old, account_name, created }) =>
    rowItem(
      html`<strong><a href="/console/applications/${client_id}">${old.name}</a></strong> ${changes.kind}`,
      html`${t.asked_by(account_name ?? t.nobody)} ${timestamp(request, created)}`,
      reviewLink(request, `/console/operator/changes/${id}`, old.name),
    ),
  );
}

export const reviewLink = ({ texts }: ConsoleRequest, href: string, about: string): Html =>
  html`<a class="button quiet" href="${href}"
    >${texts.operator.review}<span class="hidden">${COLON[texts.lang]}${about}</span></a
  >`;

type Asked = Pick<ApplicationChange, 'client_id' | 'account_id' | 'account_name'>;

/** The application and the applicant of what waits for a decision. */
export function askedBy(
  { texts }: ConsoleRequest,
  { client_id, account_id, account_name }: Asked,
  name: string,
): Fact[] {
  const { operator: t } = texts;
  return [
    [t.application, html`<a href="/console/applications/${client_id}">${name}</a>`],
    [
      t.applicant,
      account_id === null ? t.nobody : html`<a href="/console/operator/accounts/${account_id}">${account_name}</a>`,
    ],
  ];
}

/**
 * The form that approves or refuses what waits, with a note.
 * @param before other fields
 */
export function decisionForm(request: ConsoleRequest, path: string, before: Html | '' = ''): Html {
  const { form, texts } = request;
  const { operator: t } = texts;
  const note = { name: 'note', label: t.note, hint: t.note_hint, value: form['note'], rows: 3, maxlength: MAX_NOTE };
  const fields = html`${before} ${field({ ...note, optional: true })}
    <div class="actions">
      <button name="state" value="approved">${t.approve}</button>
      <button class="quiet danger" name="state" value="refused">${t.refuse}</button>
    </div>`;
  return formTo(request, path, fields);
}

const findChange = ({ c, deps }: ConsoleRequest) => changeById(deps.db, c.req.param('id') ?? '');

async function changePage(request: ConsoleRequest, problem?: string) {
  const { operator: t, changes } = request.texts;
  const change = orNotFound(await findChange(request));
  const { id, old } = change;
  const content = html`<p>${changes.review_lead}</p>
    ${factsList([...askedBy(request, change, old.name), [t.when, timestamp(request, change.created)]])}
    ${changeTable(request, change)} ${notice(problem, 'bad')} ${decisionForm(request, `/operator/changes/${id}`)}`;
  const inner = section('change', changes.kind, content, 'card form stack');
  return inOperator(request, '', changes.review_title(old.name), inner);
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

export const changeRoutes: readonly Route[] = [
  operatorPage(AT, (request) => changePage(request)),
  oneOfForms('state', {
    approved: operationForm(AT, approveChange, decision('approved')),
    refused: operationForm(AT, refuseChange, decision('refused')),
  }),
];
