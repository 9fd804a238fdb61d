import { html } from 'hono/html';
import { field, notice } from '#http/fields.ts';
import { COLON } from '#http/languages.ts';
import { type Html, rowItem, section } from '#http/page.ts';
import { approveRequest, refuseRequest } from '#admin/access.ts';
import { type AccessRequest, listRequests, requestById } from '#store/applications/access-requests.ts';
import { suspendedApplications } from '#store/applications/applications.ts';
import { mailApplicant } from '#mails/application-mails.ts';
import { factsList, timestamp, number, type Problems } from '../components.ts';
import { oneOfForms, operationForm } from '../operation-form.ts';
import { operatorPage, type Route, type ConsoleRequest, type OwnedRequest } from '../routes.ts';
import { orNotFound } from '../sign-in.ts';
import { askedBy, changeRows, decisionForm, reviewLink, wrongNote } from './changes.ts';
import { firstHourCard, healthCard, refusedRequestsCard } from './overview-cards.ts';
import { inOperator } from './layout.ts';

const MAX_LISTED = 50;

/** The operator's front page: waiting requests, suspended applications, health, recent decisions. */
async function requestsPage(request: ConsoleRequest) {
  const { deps, texts } = request;
  const { operator: t } = texts;
  const waiting = await listRequests(deps.db, 'waiting', MAX_LISTED);
  const changes = await changeRows(request);
  const [approved, refused] = [await listRequests(deps.db, 'approved', 10), await listRequests(deps.db, 'refused', 10)];
  const decided = [...approved, ...refused].sort((a, b) => b.decided! - a.decided!).slice(0, 10);
  const open = html`${waiting.length + changes.length === 0 ? html`<p class="soft">${t.no_requests}</p>` : ''}
    <ul class="rows">
      ${waiting.map((accessRequest) => requestRow(request, accessRequest, true))} ${changes}
    </ul>`;
  const recent = html`<ul class="rows">
    ${decided.map((accessRequest) => requestRow(request, accessRequest, false))}
  </ul>`;
  const inner = html`${await firstHourCard(request)} ${section('waiting', t.waiting, open)}
  ${await suspendedCard(request)} ${await healthCard(request)} ${await refusedRequestsCard(request)}
  ${decided.length === 0 ? '' : section('decided', t.decided, recent)}`;
  return inOperator(request, '', t.sections[''], inner);
}

/** Applications without an active owner. The operator resumes them, gives them an owner or deletes them. */
async function suspendedCard(request: ConsoleRequest): Promise<Html> {
  const { deps, texts } = request;
  const suspended = await suspendedApplications(deps.db, MAX_LISTED);
  if (suspended.length === 0) return html``;
  const content = html`<ul class="rows">
    ${suspended.map(({ client_id, name, suspended: reason }) =>
      rowItem(
        html`<strong><a href="/console/applications/${client_id}">${name}</a></strong>`,
        texts.suspended.why[reason!],
      ),
    )}
  </ul>`;
  return section('suspended', texts.operator.suspended, content);
}

function requestRow(request: ConsoleRequest, accessRequest: AccessRequest, isWaiting: boolean): Html {
  const { operator: t, access } = request.texts;
  const { id, client_id, application_name, kind, state, decided_by: by } = accessRequest;
  const asked = html`${t.asked_by(accessRequest.account_name ?? t.nobody)} ${timestamp(request, accessRequest.created)}`;
  return rowItem(
    html`<strong><a href="/console/applications/${client_id}">${application_name}</a></strong> ${access.kinds[kind]} ·
      ${access.per_hour(number(request, accessRequest.volume))}`,
    isWaiting ? asked : html`${asked} · ${by === null ? t.automatic : t.decided_by(by)}`,
    isWaiting
      ? reviewLink(request, `/console/operator/requests/${id}`, application_name)
      : html`<span class="badge ${state === 'approved' ? 'good' : 'bad'}">${access.request_states[state]}</span>`,
  );
}

const requireRequest = async ({ c, deps }: ConsoleRequest): Promise<AccessRequest> =>
  orNotFound(await requestById(deps.db, c.req.param('id') ?? ''));

async function requestPage(request: ConsoleRequest, problem?: string) {
  const { texts, form } = request;
  const { operator: t, access } = texts;
  const accessRequest = await requireRequest(request);
  const { id, kind, site, application_name, state } = accessRequest;
  const value = form['limit'] ?? String(accessRequest.volume);
  const limit = { name: 'limit', label: t.grant_limit, type: 'number', value } as const;
  const title = `${access.kinds[kind]}${COLON[texts.lang]}${application_name}`;
  const content = html`${factsList([
    ...askedBy(request, accessRequest, application_name),
    [access[kind].purpose, html`<span class="pre">${accessRequest.purpose}</span>`],
    site !== '' && [access.site, html`<a href="${site}" rel="noreferrer">${site}</a>`],
    [access[kind].volume, number(request, accessRequest.volume)],
    [t.when, timestamp(request, accessRequest.created)],
  ])}
  ${notice(problem, 'bad')}
  ${state === 'waiting' ? decisionForm(request, `/operator/requests/${id}`, kind === 'limit' ? field(limit) : '') : html`<p class="badge">${access.request_states[state]}</p>`}`;
  const inner = section('request', t.request, content, 'card form');
  return inOperator(request, '', title, inner);
}

const AT = '/operator/requests/:id';

const DECISION = {
  find: requireRequest,
  wrong: (request: ConsoleRequest, name: string) =>
    name === 'note' ? wrongNote(request) : request.texts.operator.limit_wrong,
  again: (request: ConsoleRequest, { note, limit }: Problems) => requestPage(request, note ?? limit),
  refused: { not_waiting: () => '/operator?done=gone' },
  done: async ({ deps }: ConsoleRequest, _: unknown, decided: AccessRequest) => {
    await mailApplicant(deps, decided);
    return `/operator?done=${decided.state}`;
  },
};

const APPROVAL = operationForm(AT, approveRequest, DECISION);

/** Only a request of a higher limit has the field, and must have it. */
async function approve(request: OwnedRequest) {
  const { kind } = await requireRequest(request);
  const { limit, ...form } = request.form;
  return await APPROVAL.handle({ ...request, form: kind === 'limit' ? { ...form, limit: limit ?? '' } : form });
}

export const requestRoutes: readonly Route[] = [
  operatorPage('/operator', requestsPage),
  operatorPage(AT, (request) => requestPage(request)),
  oneOfForms('state', {
    approved: { ...APPROVAL, handle: approve },
    refused: operationForm(AT, refuseRequest, DECISION),
  }),
];
