import { html } from 'hono/html';
import { approveAccess, limitAccess, revokeAccess } from '#admin/access.ts';
import { startApplication } from '#admin/applications.ts';
import { keyCursor, listed } from '#http/pager.ts';
import {
  type Application,
  applicationsBefore,
  applicationsNamed,
  managedApplication,
} from '#store/applications/applications.ts';
import { stateBadge, timestamp, number, textOf } from '../components.ts';
import { oneOfForms, operationForm } from '../operation-form.ts';
import { operatorPage, type Route, type ConsoleRequest } from '../routes.ts';
import { orNotFound } from '../sign-in.ts';
import { confirmationPage, inOperator } from './layout.ts';
import { searchForm, keyBefore, olderPager, PAGE_SIZE, table } from '../lists.ts';

/** All applications, linked to their owners' pages, which operators may use as well. */
async function applicationsPage(request: ConsoleRequest) {
  const { c, texts } = request;
  const { operator: t, application } = texts;
  const query = textOf(c.req.query('q'), 64);
  const { items, next } = listed(await find(request, query), PAGE_SIZE, keyCursor);
  const rows = items.map((app) => [
    html`<a href="/console/applications/${app.client_id}">${app.name}</a>`,
    application.types[app.type].label,
    stateBadge(texts, app),
    app.hourly_limit === null ? t.usual : number(request, app.hourly_limit),
    timestamp(request, app.created),
  ]);
  const headings = [application.name, application.type, t.access, t.limit, t.created];
  const inner = html`<section class="card">
    ${searchForm(request, t.find_application, query)}
    ${table(t.sections['/applications'], headings, rows, { empty: t.nothing_found })} ${olderPager(request, next)}
  </section>`;
  return inOperator(request, '/applications', t.sections['/applications'], inner);
}

async function find(request: ConsoleRequest, query: string | undefined) {
  const { db } = request.deps;
  if (query === undefined) return await applicationsBefore(db, keyBefore(request), PAGE_SIZE + 1);
  const byId = await managedApplication(db, query);
  return byId === undefined ? await applicationsNamed(db, query, PAGE_SIZE) : [byId];
}

const AT = '/operator/applications/:client_id';

const requireManaged = async ({ c, deps }: ConsoleRequest): Promise<Application> =>
  orNotFound(await managedApplication(deps.db, c.req.param('client_id')!));

const onApplication = {
  find: requireManaged,
  at: ({ client_id }: Application) => `/applications/${client_id}/access`,
  refused: {},
  done: 'saved',
} as const;

function confirmRevocation(request: ConsoleRequest, { client_id, name }: Application) {
  const { confirm: t, operator } = request.texts;
  return confirmationPage(request, {
    section: '/applications',
    title: t.revoke_access(name),
    impact: [t.revoke_access_impact],
    undo: t.revoke_access_undo,
    submit: operator.close_access,
    back: `/applications/${client_id}/access`,
  });
}

/** Acts of operators without a request of the owner. */
const ACTS = {
  start: operationForm(AT, startApplication, { ...onApplication, refused: { not_suspended: 'gone' } }),
  approved: operationForm(AT, approveAccess, onApplication),
  revoked: operationForm(AT, revokeAccess, { ...onApplication, confirm: confirmRevocation }),
  limit: operationForm(AT, limitAccess, {
    ...onApplication,
    read: ({ limit }) => ({ limit: limit?.trim() === '' ? 'default' : limit?.trim() }),
    again: ({ c }) => `/applications/${c.req.param('client_id')!}/access?done=bad_limit`,
  }),
};

export const applicationRoutes: readonly Route[] = [
  operatorPage('/operator/applications', applicationsPage),
  oneOfForms(
    ({ start, access, limit }) => (start !== undefined ? 'start' : limit === undefined ? access : 'limit'),
    ACTS,
    ({ c }) => `/applications/${c.req.param('client_id')!}/access`,
  ),
];
