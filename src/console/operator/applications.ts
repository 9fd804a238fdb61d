import { html } from 'hono/html';
import { boundOf, idOf } from '#base/ids.ts';
import {
  applicationsBefore,
  applicationsNamed,
  managedApplication,
  setAccess,
  setLimit,
} from '#records/applications.ts';
import { startApplication } from '#records/stopped.ts';
import { stateBadge, countOf, moment, number, textOf } from '../parts.ts';
import { operatorForm, operatorPage, type Row, type Visit } from '../rows.ts';
import { notFound } from '../sign-in.ts';
import { inOperator } from './frame.ts';
import { finder, pager, table } from './lists.ts';

const AT_ONCE = 50;

/** Every application: its owners' pages are an operator's, too. */
async function applications(visit: Visit) {
  const { c, desk, texts } = visit;
  const { operator: t, application } = texts;
  const query = textOf(c.req.query('q'), 64);
  const found = await find(visit, query);
  const rows = found.map(
    (one) =>
      html`<tr>
        <th scope="row"><a href="/console/applications/${one.client_id}">${one.name}</a></th>
        <td>${application.types[one.type].label}</td>
        <td>${stateBadge(texts, one)}</td>
        <td>${one.hourly_limit === null ? t.usual : number(visit, one.hourly_limit)}</td>
        <td>${moment({ texts, desk }, one.created)}</td>
      </tr>`,
  );
  const last = query === undefined && found.length === AT_ONCE ? idOf(found.at(-1)!.key) : undefined;
  const inner = html`<section class="card">
    ${finder(visit, t.find_application, query)}
    ${
      found.length === 0
        ? html`<p class="soft">${t.nothing_found}</p>`
        : table(t.sections['/applications'], [application.name, application.type, t.access, t.limit, t.created], rows)
    }
    ${pager(visit, last)}
  </section>`;
  return inOperator(visit, '/applications', t.sections['/applications'], inner);
}

async function find({ c, desk: { db } }: Visit, query: string | undefined) {
  if (query === undefined) {
    const before = c.req.query('before');
    return await applicationsBefore(db, before ? boundOf(before) : Number.MAX_SAFE_INTEGER, AT_ONCE);
  }
  const byId = await managedApplication(db, query);
  return byId === undefined ? await applicationsNamed(db, query, AT_ONCE) : [byId];
}

/** Opens or closes the data API to an application without a request, and sets its limit. */
async function change(visit: Visit): Promise<string> {
  const { c, desk, form } = visit;
  const application = await managedApplication(desk.db, c.req.param('client_id')!);
  if (application === undefined) throw notFound();
  const { client_id, name } = application;
  if (form['start'] !== undefined) {
    if (await startApplication(desk.db, client_id)) {
      await visit.record({ action: 'application.start', subject: client_id, label: name });
    }
  } else if (form['access'] === 'approved' || form['access'] === 'revoked') {
    await setAccess(desk.db, client_id, form['access']);
    const action = form['access'] === 'approved' ? 'access.approve' : 'access.revoke';
    await visit.record({ action, subject: client_id, label: name });
  } else {
    const limit = form['limit']?.trim() === '' ? null : countOf(form['limit']);
    if (limit === undefined) return `/applications/${client_id}/access?done=bad_limit`;
    await setLimit(desk.db, client_id, limit);
    await visit.record({ action: 'access.limit', subject: client_id, label: name, detail: { limit } });
  }
  return `/applications/${client_id}/access?done=saved`;
}

export const applicationRows: readonly Row[] = [
  operatorPage('/operator/applications', applications),
  operatorForm('/operator/applications/:client_id', change),
];
