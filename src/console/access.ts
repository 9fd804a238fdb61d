import { html } from 'hono/html';
import { type Form, notice } from '#base/form.ts';
import type { Html } from '#base/page.ts';
import {
  type AccessRequest,
  askAccess,
  decideRequest,
  type RequestKind,
  requestsOf,
} from '#records/access-requests.ts';
import { inApplication } from './application.ts';
import type { Page } from './layout.ts';
import { button, countOf, formTo, input, isFine, linesOf, moment, number, type Problems } from './parts.ts';
import { ownedForm, ownedPage, type OwnedVisit, type Row } from './rows.ts';

const MAX_PURPOSE = 1000;
const MAX_SITE = 300;

/** Access to the data API: asking for it, for more of it, and what became of what was asked. */
async function access(visit: OwnedVisit, kind?: RequestKind, problems: Problems = {}): Promise<Page> {
  const { application, texts, desk } = visit;
  const { access: t } = texts;
  const requests = await requestsOf(desk.db, application.key);
  const isWaiting = (which: RequestKind): boolean =>
    requests.some((request) => request.kind === which && request.state === 'waiting');
  const isOpen = application.access === 'approved';
  const inner = html`<section class="card" aria-labelledby="state">
      <h2 id="state">${t.title}</h2>
      <p>${t.states[application.access]}</p>
      ${isOpen ? html`<p>${t.limit_now} <strong>${limitOf(visit)}</strong></p>` : ''}
    </section>
    ${!isOpen && !isWaiting('access') ? wishCard(visit, 'access', kind === 'access' ? problems : {}) : ''}
    ${isOpen && !isWaiting('limit') ? wishCard(visit, 'limit', kind === 'limit' ? problems : {}) : ''}
    ${historyCard(visit, requests)} ${visit.person.isOperator ? operatorCard(visit) : ''}`;
  return await inApplication(visit, '/access', texts.tabs['/access'], inner, kind === undefined ? 200 : 422);
}

function limitOf(visit: OwnedVisit): string {
  const { application, desk, texts } = visit;
  const { hourly_limit } = application;
  if (hourly_limit !== null) return texts.access.raised(number(visit, hourly_limit));
  const { APP_LIMIT, USER_LIMIT, ADDRESS_LIMIT } = desk.config;
  return texts.access.usual(number(visit, APP_LIMIT), number(visit, USER_LIMIT), number(visit, ADDRESS_LIMIT));
}

function wishCard(visit: OwnedVisit, kind: RequestKind, problems: Problems): Html {
  const { application, texts, form } = visit;
  const { [kind]: t, problems: _, ...common } = texts.access;
  const shown = (name: string): string | undefined => (form['kind'] === kind ? form[name] : undefined);
  const fields = html`<input type="hidden" name="kind" value="${kind}" />
    ${notice(isFine(problems) ? undefined : texts.problem, 'bad')}
    ${input({ name: 'purpose', label: t.purpose, hint: t.purpose_hint, value: shown('purpose'), error: problems['purpose'], rows: 4, maxlength: MAX_PURPOSE })}
    ${
      kind === 'access'
        ? input({
            name: 'site',
            label: common.site,
            hint: common.site_hint,
            value: shown('site'),
            error: problems['site'],
            type: 'url',
            maxlength: MAX_SITE,
            optional: true,
          })
        : ''
    }
    ${input({ name: 'volume', label: t.volume, hint: t.volume_hint, value: shown('volume'), error: problems['volume'], type: 'number' })}
    <button>${t.submit}</button>`;
  return html`<section class="card form" aria-labelledby="ask">
    <h2 id="ask">${t.title}</h2>
    ${formTo(visit, `/applications/${application.client_id}/access`, fields)}
  </section>`;
}

function historyCard(visit: OwnedVisit, requests: readonly AccessRequest[]): Html {
  const { access: t } = visit.texts;
  if (requests.length === 0) return html``;
  return html`<section class="card" aria-labelledby="asked">
    <h2 id="asked">${t.history}</h2>
    <ul class="rows">
      ${requests.map(
        (request) =>
          html`<li>
            <span class="what"
              ><strong>${t.kinds[request.kind]}</strong>
              <span class="pre">${request.purpose}</span>
              <span class="hint">${moment(visit, request.created)} · ${t.per_hour(number(visit, request.volume))}</span>
              ${request.note === '' ? '' : html`<span class="quote pre">${request.note}</span>`}</span
            >
            <span class="badge ${{ waiting: 'warn', approved: 'good', refused: 'bad' }[request.state]}"
              >${t.request_states[request.state]}</span
            >
          </li>`,
      )}
    </ul>
  </section>`;
}

/** What an operator may do without being asked. */
function operatorCard(visit: OwnedVisit): Html {
  const { client_id, access: state, hourly_limit, stopped } = visit.application;
  const { operator: t } = visit.texts;
  const path = `/operator/applications/${client_id}`;
  const limit = {
    name: 'limit',
    label: t.set_limit,
    type: 'number',
    value: hourly_limit ?? '',
    optional: true,
  } as const;
  return html`<section class="card" aria-labelledby="by-operator">
    <h2 id="by-operator">${t.set_access}</h2>
    ${
      state === 'approved'
        ? button(visit, path, t.close_access, { kind: 'quiet danger', fields: { access: 'revoked' } })
        : button(visit, path, t.open_access, { fields: { access: 'approved' } })
    }
    ${stopped === null ? '' : button(visit, path, t.start, { fields: { start: '1' } })}
    ${formTo(visit, path, html`${input({ ...limit, value: String(limit.value) })}<button class="quiet">${visit.texts.save}</button>`, 'row bottom')}
  </section>`;
}

interface Wanted {
  purpose: string;
  site: string;
  volume: number;
}

function readWish(form: Form, { texts }: OwnedVisit): Wanted | Problems {
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

const isWish = (read: Wanted | Problems): read is Wanted => typeof read['volume'] === 'number';

async function ask(visit: OwnedVisit): Promise<Page | string> {
  const { desk, application, form, person, now } = visit;
  const { client_id, name } = application;
  const kind: RequestKind = form['kind'] === 'limit' ? 'limit' : 'access';
  const path = `/applications/${client_id}/access`;
  if ((kind === 'access') === (application.access === 'approved')) return path;
  const read = readWish(form, visit);
  if (!isWish(read)) return await access(visit, kind, read);
  const request = await askAccess(desk.db, now, application, { kind, account_id: person.account.id, ...read });
  if (request === undefined) return `${path}?done=asked`;
  await visit.record({ action: `access.ask`, subject: client_id, label: name, detail: { kind, volume: read.volume } });
  if (kind === 'limit' || !isAuto(visit)) return `${path}?done=asked`;
  await decideRequest(desk.db, now, request.id, { state: 'approved', note: '', by: null });
  await visit.record({ action: 'access.approve', subject: client_id, label: name, detail: { automatic: true } });
  return `/applications/${client_id}?done=approved`;
}

/** What the operator has taken away once does not come back by itself. */
function isAuto({ desk, application }: OwnedVisit): boolean {
  return desk.config.ACCESS_APPROVAL === 'auto' && application.access === 'none';
}

export const accessRows: readonly Row[] = [
  ownedPage('/applications/:client_id/access', (visit) => access(visit)),
  ownedForm('/applications/:client_id/access', ask),
];
