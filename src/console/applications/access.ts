import { html } from 'hono/html';
import { approveAccess } from '#admin/access.ts';
import type { Form } from '#http/form.ts';
import { field, notice } from '#http/fields.ts';
import { type Html, rowItem, section } from '#http/page.ts';
import {
  type AccessRequest,
  requestAccess,
  type RequestKind,
  listAccessRequests,
} from '#store/applications/access-requests.ts';
import { inApplication } from './layout.ts';
import { mailWaitingRequests } from '#mails/operator-mails.ts';
import { waitingCard } from './first-steps.ts';
import type { PageContent } from '../layout.ts';
import { button, countOf, fieldsOf, formTo, isFine, linesOf, timestamp, number, type Problems } from '../components.ts';
import { ownedForm, ownedPage, type OwnedRequest, type Route } from '../routes.ts';

const MAX_PURPOSE = 1000;
const MAX_SITE = 300;

/** The API access of an application: its state and limit, the forms to ask for access or a higher limit, past requests. */
async function accessPage(request: OwnedRequest, kind?: RequestKind, problems: Problems = {}): Promise<PageContent> {
  const { application, texts, deps } = request;
  const { access: t } = texts;
  const requests = await listAccessRequests(deps.db, application.key);
  const isWaiting = (which: RequestKind): boolean =>
    requests.some((accessRequest) => accessRequest.kind === which && accessRequest.state === 'waiting');
  const isOpen = application.access === 'approved';
  const inner = html`<section class="card" aria-labelledby="state">
      <h2 id="state">${t.title}</h2>
      ${application.access === 'waiting' ? '' : html`<p>${t.states[application.access]}</p>`}
      ${isOpen ? html`<p>${t.limit_now} <strong>${limitOf(request)}</strong></p>` : ''}
    </section>
    ${requests.filter(({ state }) => state === 'waiting').map((waiting) => waitingCard(request, waiting))}
    ${!isOpen && !isWaiting('access') ? requestForm(request, 'access', kind === 'access' ? problems : {}) : ''}
    ${isOpen && !isWaiting('limit') ? requestForm(request, 'limit', kind === 'limit' ? problems : {}) : ''}
    ${historyCard(request, requests)} ${request.person.isOperator ? operatorCard(request) : ''}`;
  return await inApplication(request, '/access', texts.tabs['/access'], inner);
}

function limitOf(request: OwnedRequest): string {
  const { application, deps, texts } = request;
  const { hourly_limit } = application;
  if (hourly_limit !== null) return texts.access.raised(number(request, hourly_limit));
  const { APP_LIMIT, USER_LIMIT, ADDRESS_LIMIT } = deps.config;
  return texts.access.usual(number(request, APP_LIMIT), number(request, USER_LIMIT), number(request, ADDRESS_LIMIT));
}

function requestForm(request: OwnedRequest, kind: RequestKind, problems: Problems): Html {
  const { application, texts, form } = request;
  const { [kind]: t, problems: _, ...common } = texts.access;
  const entered = form['kind'] === kind ? form : {};
  const input = fieldsOf(t, entered, problems);
  const fields = html`<input type="hidden" name="kind" value="${kind}" />
    ${notice(isFine(problems) ? undefined : texts.problem, 'bad')}
    ${input('purpose', { rows: 4, maxlength: MAX_PURPOSE })}
    ${kind === 'access' ? fieldsOf(common, entered, problems)('site', { type: 'url', maxlength: MAX_SITE, optional: true }) : ''}
    ${input('volume', { type: 'number' })}
    <button>${t.submit}</button>`;
  const content = formTo(request, `/applications/${application.client_id}/access`, fields);
  return section('ask', t.title, content, 'card form');
}

const BADGES = { waiting: 'warn', approved: 'good', refused: 'bad' };

function historyCard(request: OwnedRequest, requests: readonly AccessRequest[]): Html {
  const { access: t } = request.texts;
  if (requests.length === 0) return html``;
  const content = html`<ul class="rows">
    ${requests.map(({ kind, purpose, created, volume, note, state }) =>
      rowItem(
        html`<strong>${t.kinds[kind]}</strong> <span class="pre">${purpose}</span>
          <span class="hint">${timestamp(request, created)} · ${t.per_hour(number(request, volume))}</span>
          ${note === '' ? '' : html`<span class="quote pre">${note}</span>`}`,
        '',
        html`<span class="badge ${BADGES[state]}">${t.request_states[state]}</span>`,
      ),
    )}
  </ul>`;
  return section('history', t.history, content);
}

/** What an operator can change without a request: access, limit, and a suspension. */
function operatorCard(request: OwnedRequest): Html {
  const { client_id, access: state, hourly_limit, suspended } = request.application;
  const { operator: t } = request.texts;
  const path = `/operator/applications/${client_id}`;
  const value = hourly_limit?.toString();
  const limit = field({ name: 'limit', label: t.set_limit, type: 'number', value, optional: true });
  const content = html`${
    state === 'approved'
      ? button(request, path, t.close_access, { kind: 'quiet danger', fields: { access: 'revoked' } })
      : button(request, path, t.open_access, { fields: { access: 'approved' } })
  }
  ${suspended === null ? '' : button(request, path, t.resume, { fields: { start: '1' } })}
  ${formTo(request, path, html`${limit}<button class="quiet">${request.texts.save}</button>`, 'row bottom')}`;
  return section('by-operator', t.set_access, content);
}

interface RequestFields {
  purpose: string;
  site: string;
  volume: number;
}

function readRequest(form: Form, { texts }: OwnedRequest): RequestFields | Problems {
  const { problems: t } = texts.access;
  const purpose = linesOf(form['purpose'], MAX_PURPOSE);
  const site = (form['site'] ?? '').trim();
  const volume = countOf(form['volume']);
  const isSite = site === '' || (site.length <= MAX_SITE && /^https?:$/.test(URL.parse(site)?.protocol ?? ''));
  if (purpose !== undefined && volume !== undefined && isSite) return { purpose, site, volume };
  return {
    purpose: purpose === undefined ? t.purpose(MAX_PURPOSE) : undefined,
    site: isSite ? undefined : t.site,
    volume: volume === undefined ? t.volume : undefined,
  };
}

const isComplete = (read: RequestFields | Problems): read is RequestFields => typeof read['volume'] === 'number';

async function submitRequest(request: OwnedRequest): Promise<PageContent | string> {
  const { deps, application, form, person, now } = request;
  const { client_id, name } = application;
  const kind: RequestKind = form['kind'] === 'limit' ? 'limit' : 'access';
  const path = `/applications/${client_id}/access`;
  if ((kind === 'access') === (application.access === 'approved')) return path;
  const read = readRequest(form, request);
  if (!isComplete(read)) return await accessPage(request, kind, read);
  const wanted = { kind, account_id: person.account.id, ...read };
  const accessRequest = await deps.db.transaction(async (tx) => {
    const made = await requestAccess(tx, now, application, wanted, isAutomatic(request, kind));
    if (made === undefined) return undefined;
    const about = { subject: client_id, label: name };
    await request.record(tx, { action: 'access.ask', ...about, detail: { kind, volume: read.volume } });
    if (made.state !== 'waiting')
      await request.record(tx, { action: approveAccess.name, ...about, detail: { automatic: true } });
    return made;
  });
  if (accessRequest?.state === 'approved') return `/applications/${client_id}?done=approved`;
  if (accessRequest !== undefined) await mailWaitingRequests(deps);
  return `${path}?done=asked`;
}

/**
 * Whether a request may be approved without an operator: the first one of an application, by an account with a confirmed
 * address. One after a refusal or revocation needs an operator, and so does a higher limit.
 */
function isAutomatic({ deps, application, person }: OwnedRequest, kind: RequestKind): boolean {
  const { ACCESS_APPROVAL } = deps.config;
  return (
    ACCESS_APPROVAL === 'auto' && kind === 'access' && application.access === 'none' && person.account.email_verified
  );
}

export const accessRoutes: readonly Route[] = [
  ownedPage('/applications/:client_id/access', (request) => accessPage(request)),
  ownedForm('/applications/:client_id/access', 'never', submitRequest),
];
