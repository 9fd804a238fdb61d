import { html } from 'hono/html';
import { notice } from '#base/form.ts';
import type { Html } from '#base/page.ts';
import { type AccessRequest, decideRequest, listRequests, requestById } from '#records/access-requests.ts';
import { stoppedApplications } from '#records/applications.ts';
import { accountById } from '#records/accounts.ts';
import { decisionMail } from '../mails.ts';
import { countOf, formTo, input, linesOf, moment, number } from '../parts.ts';
import { operatorForm, operatorPage, type Row, type Visit } from '../rows.ts';
import { notFound } from '../sign-in.ts';
import { healthCard } from './health.ts';
import { inOperator } from './frame.ts';

const MAX_NOTE = 1000;
const AT_ONCE = 50;

/** What waits for the operator, and how the service is. */
async function queue(visit: Visit) {
  const { desk, texts } = visit;
  const { operator: t } = texts;
  const waiting = await listRequests(desk.db, 'waiting', AT_ONCE);
  const [approved, refused] = [await listRequests(desk.db, 'approved', 10), await listRequests(desk.db, 'refused', 10)];
  const decided = [...approved, ...refused].sort((a, b) => b.decided! - a.decided!).slice(0, 10);
  const inner = html`<section class="card" aria-labelledby="waiting">
      <h2 id="waiting">${t.waiting}</h2>
      ${waiting.length === 0 ? html`<p class="soft">${t.nothing_waits}</p>` : ''}
      <ul class="rows">
        ${waiting.map((request) => wishRow(visit, request, true))}
      </ul>
    </section>
    ${await stoppedCard(visit)} ${await healthCard(visit)}
    ${
      decided.length === 0
        ? ''
        : html`<section class="card" aria-labelledby="decided">
            <h2 id="decided">${t.decided}</h2>
            <ul class="rows">
              ${decided.map((request) => wishRow(visit, request, false))}
            </ul>
          </section>`
    }`;
  return inOperator(visit, '', t.sections[''], inner);
}

/** Applications for which nobody answers: the operator starts them, gives them an owner, or removes them. */
async function stoppedCard(visit: Visit): Promise<Html> {
  const { desk, texts } = visit;
  const stopped = await stoppedApplications(desk.db, AT_ONCE);
  if (stopped.length === 0) return html``;
  return html`<section class="card" aria-labelledby="stopped">
    <h2 id="stopped">${texts.operator.stopped}</h2>
    <ul class="rows">
      ${stopped.map(
        ({ client_id, name, stopped: why }) =>
          html`<li>
            <span class="what"
              ><strong><a href="/console/applications/${client_id}">${name}</a></strong>
              <span class="hint">${texts.stopped.why[why!]}</span></span
            >
          </li>`,
      )}
    </ul>
  </section>`;
}

function wishRow(visit: Visit, request: AccessRequest, isOpen: boolean): Html {
  const { operator: t, access } = visit.texts;
  const { id, client_id, application_name, kind, state } = request;
  return html`<li>
    <span class="what"
      ><strong><a href="/console/applications/${client_id}">${application_name}</a></strong>
      ${access.kinds[kind]} · ${access.per_hour(number(visit, request.volume))}
      <span class="hint"
        >${t.asked_by(request.account_name ?? t.nobody)}
        ${moment(visit, request.created)}${
          isOpen ? '' : html` · ${request.decided_by === null ? t.by_itself : t.decided_by(request.decided_by)}`
        }</span
      ></span
    >
    ${
      isOpen
        ? html`<a class="button quiet" href="/console/operator/requests/${id}"
            >${t.look}<span class="hidden">: ${application_name}</span></a
          >`
        : html`<span class="badge ${state === 'approved' ? 'good' : 'bad'}">${access.request_states[state]}</span>`
    }
  </li>`;
}

async function demandRequest({ c, desk }: Visit): Promise<AccessRequest> {
  const request = await requestById(desk.db, c.req.param('id') ?? '');
  if (request === undefined) throw notFound();
  return request;
}

async function one(visit: Visit, wrong?: string) {
  const { texts, form } = visit;
  const { operator: t, access } = texts;
  const request = await demandRequest(visit);
  const { kind, client_id, application_name } = request;
  const title = `${access.kinds[kind]}: ${application_name}`;
  const inner = html`<section class="card form" aria-labelledby="wish">
    <h2 id="wish">${t.wish}</h2>
    <dl class="facts">
      <dt>${t.application}</dt>
      <dd><a href="/console/applications/${client_id}">${application_name}</a></dd>
      <dt>${t.applicant}</dt>
      <dd>
        ${
          request.account_id === null
            ? t.nobody
            : html`<a href="/console/operator/accounts/${request.account_id}">${request.account_name}</a>`
        }
      </dd>
      <dt>${access[kind].purpose}</dt>
      <dd class="pre">${request.purpose}</dd>
      ${
        request.site === ''
          ? ''
          : html`<dt>${access.site}</dt>
              <dd><a href="${request.site}" rel="noreferrer">${request.site}</a></dd>`
      }
      <dt>${access[kind].volume}</dt>
      <dd>${number(visit, request.volume)}</dd>
      <dt>${t.when}</dt>
      <dd>${moment(visit, request.created)}</dd>
    </dl>
    ${notice(wrong, 'bad')}
    ${request.state === 'waiting' ? decisionForm(visit, request, form) : html`<p class="badge">${access.request_states[request.state]}</p>`}
  </section>`;
  return inOperator(visit, '', title, inner, wrong === undefined ? 200 : 422);
}

function decisionForm(visit: Visit, { id, kind, volume }: AccessRequest, form: Visit['form']): Html {
  const { operator: t } = visit.texts;
  const limit = {
    name: 'limit',
    label: t.grant_limit,
    type: 'number',
    value: form['limit'] ?? String(volume),
  } as const;
  const note = { name: 'note', label: t.note, hint: t.note_hint, value: form['note'], optional: true } as const;
  return formTo(
    visit,
    `/operator/requests/${id}`,
    html`${kind === 'limit' ? input(limit) : ''} ${input({ ...note, rows: 3, maxlength: MAX_NOTE })}
      <div class="actions">
        <button name="state" value="approved">${t.approve}</button>
        <button class="quiet danger" name="state" value="refused">${t.refuse}</button>
      </div>`,
  );
}

async function decide(visit: Visit) {
  const { desk, form, texts, person, now } = visit;
  const { operator: t } = texts;
  const state = form['state'] === 'approved' ? 'approved' : 'refused';
  const note = (form['note'] ?? '').trim() === '' ? '' : linesOf(form['note'], MAX_NOTE);
  const request = await demandRequest(visit);
  const limit = request.kind === 'limit' && state === 'approved' ? countOf(form['limit']) : undefined;
  if (note === undefined) return await one(visit, t.note_wrong(MAX_NOTE));
  if (state === 'refused' && note === '') return await one(visit, t.note_missing);
  if (request.kind === 'limit' && state === 'approved' && limit === undefined) return await one(visit, t.limit_wrong);
  const decided = await decideRequest(desk.db, now, request.id, { state, note, by: person.account.name, limit });
  if (decided === undefined) return '/operator?done=gone';
  const action = state === 'approved' ? 'access.approve' : 'access.refuse';
  const detail = { kind: decided.kind, note, limit };
  await visit.record({ action, subject: decided.client_id, label: decided.application_name, detail });
  const applicant = decided.account_id === null ? undefined : await accountById(desk.db, decided.account_id);
  if (applicant !== undefined) desk.mail.send(decisionMail(desk.config, applicant, decided));
  return `/operator?done=${state}`;
}

export const requestRows: readonly Row[] = [
  operatorPage('/operator', queue),
  operatorPage('/operator/requests/:id', (visit) => one(visit)),
  operatorForm('/operator/requests/:id', decide),
];
