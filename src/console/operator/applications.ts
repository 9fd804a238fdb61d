import { html } from 'hono/html';
import { keyCursor, listed } from '#http/pager.ts';
import {
  applicationsBefore,
  applicationsNamed,
  managedApplication,
  setLimit,
} from '#store/applications/applications.ts';
import { decideWithoutRequest } from '#store/applications/access-requests.ts';
import { resumeApplication } from '#store/applications/suspension.ts';
import { stateBadge, countOf, timestamp, number, textOf } from '../components.ts';
import { operatorForm, operatorPage, type Route, type ConsoleRequest } from '../routes.ts';
import { notFound } from '../sign-in.ts';
import { inOperator } from './layout.ts';
import { searchForm, keyBefore, olderPager, PAGE_SIZE, table } from './lists.ts';

/** All applications, linked to their owners' pages, which operators may use as well. */
async function applicationsPage(request: ConsoleRequest) {
  const { c, deps, texts } = request;
  const { operator: t, application } = texts;
  const query = textOf(c.req.query('q'), 64);
  const { items, next } = listed(await find(request, query), PAGE_SIZE, keyCursor);
  const rows = items.map(
    (app) =>
      html`<tr>
        <th scope="row"><a href="/console/applications/${app.client_id}">${app.name}</a></th>
        <td>${application.types[app.type].label}</td>
        <td>${stateBadge(texts, app)}</td>
        <td>${app.hourly_limit === null ? t.usual : number(request, app.hourly_limit)}</td>
        <td>${timestamp({ texts, deps }, app.created)}</td>
      </tr>`,
  );
  const inner = html`<section class="card">
    ${searchForm(request, t.find_application, query)}
    ${
      items.length === 0
        ? html`<p class="soft">${t.nothing_found}</p>`
        : table(t.sections['/applications'], [application.name, application.type, t.access, t.limit, t.created], rows)
    }
    ${olderPager(request, next)}
  </section>`;
  return inOperator(request, '/applications', t.sections['/applications'], inner);
}

async function find(request: ConsoleRequest, query: string | undefined) {
  const { db } = request.deps;
  if (query === undefined) return await applicationsBefore(db, keyBefore(request), PAGE_SIZE + 1);
  const byId = await managedApplication(db, query);
  return byId === undefined ? await applicationsNamed(db, query, PAGE_SIZE) : [byId];
}

/** Resumes a suspended application, grants or revokes API access without a request, or sets the hourly limit. */
async function change(request: ConsoleRequest): Promise<string> {
  const { c, deps, form } = request;
  const application = await managedApplication(deps.db, c.req.param('client_id')!);
  if (application === undefined) throw notFound();
  const { client_id, name } = application;
  if (form['start'] !== undefined) {
    if (await resumeApplication(deps.db, client_id)) {
      await request.record({ action: 'application.start', subject: client_id, label: name });
    }
  } else if (form['access'] === 'approved' || form['access'] === 'revoked') {
    const decision = { state: form['access'], by: request.person.account.name } as const;
    await decideWithoutRequest(deps.db, request.now, client_id, decision);
    const action = form['access'] === 'approved' ? 'access.approve' : 'access.revoke';
    await request.record({ action, subject: client_id, label: name });
  } else {
    const limit = form['limit']?.trim() === '' ? null : countOf(form['limit']);
    if (limit === undefined) return `/applications/${client_id}/access?done=bad_limit`;
    await setLimit(deps.db, client_id, limit);
    await request.record({ action: 'access.limit', subject: client_id, label: name, detail: { limit } });
  }
  return `/applications/${client_id}/access?done=saved`;
}

export const applicationRoutes: readonly Route[] = [
  operatorPage('/operator/applications', applicationsPage),
  operatorForm(
    '/operator/applications/:client_id',
    ({ start, access, limit }) =>
      start !== undefined || access === 'approved' || (access === undefined && limit?.trim() !== ''),
    change,
  ),
];
