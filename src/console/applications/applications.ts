import { html } from 'hono/html';
import { notice } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import { type Application, createApplication } from '#store/applications/applications.ts';
import { addOwner, applicationsOwnedBy, countOwnedBy, MAX_OWNED } from '#store/applications/owners.ts';
import { readLastUse } from '#store/applications/usage.ts';
import { applicationFields, isValidForm, readApplicationForm } from './application-form.ts';
import type { Context, Deps } from '../deps.ts';
import { type PageContent, showPage, staffPage } from '../layout.ts';
import { invitationsCard } from './owners.ts';
import { flashSecret } from '../flash-message.ts';
import { stateBadge, formTo, logoImage, timestamp, type Problems } from '../components.ts';
import { form, page, type Route, serveRoute, type ConsoleRequest } from '../routes.ts';

/**
 * The front page: an introduction for visitors who are not signed in, what waits for operators and moderators, the person's
 * applications for others.
 */
export async function frontPage(c: Context, deps: Deps): Promise<Response> {
  const person = c.get('person');
  if (person === undefined) return await showWelcome(c, deps);
  if (!person.isStaff) return await serveRoute(c, deps, myApplications(''));
  return c.redirect(staffPage(person) + new URL(c.req.url).search, 303);
}

async function showWelcome(c: Context, deps: Deps): Promise<Response> {
  const { welcome: t } = c.get('texts');
  const title = t.title(deps.config.NETWORK_NAME);
  const main = html`<section class="hero">
    <h1>${title}</h1>
    <p class="lead">${t.lead}</p>
    <p class="actions">
      <a class="button" href="/console/sign-in">${t.sign_in}</a>
      <a class="button quiet" href="/developers">${t.guide}</a>
    </p>
    <ol class="steps">
      ${t.steps.map(([title, text]) => html`<li><strong>${title}</strong> ${text}</li>`)}
    </ol>
  </section>`;
  return await showPage(c, deps, { title, main, part: 'applications' });
}

const myApplications = (path: string): Route =>
  page(path, async (request) => {
    const { deps, person, texts } = request;
    const { applications: t } = texts;
    const owned = await applicationsOwnedBy(deps.db, person.account.id);
    const uses = await Promise.all(owned.map(({ key }) => readLastUse(deps.db, key)));
    const main = html`<div class="heading">
        <h1>${t.title}</h1>
        <a class="button" href="/console/applications/new">${t.register}</a>
      </div>
      ${await invitationsCard(request)}
      ${owned.length === 0 ? html`<div class="card empty"><p>${t.none}</p></div>` : listOf(request, owned, uses)}`;
    return { title: t.title, main, part: 'applications' };
  });

function listOf(request: ConsoleRequest, owned: readonly Application[], uses: readonly (number | undefined)[]): Html {
  const { texts } = request;
  return html`<ul class="cards">
    ${owned.map(
      (application, index) =>
        html`<li class="card app">
          ${logoImage(application, 40)}
          <div>
            <h2><a class="cover" href="/console/applications/${application.client_id}">${application.name}</a></h2>
            <p class="soft">${texts.application.types[application.type].label}</p>
            <p>${stateBadge(texts, application)}</p>
            <p class="hint">
              ${
                uses[index] === undefined
                  ? texts.applications.never_used
                  : html`${texts.applications.last_used} ${timestamp(request, uses[index])}`
              }
            </p>
          </div>
        </li>`,
    )}
  </ul>`;
}

function newApplicationPage(request: ConsoleRequest, problems: Problems = {}): PageContent {
  const { texts, person } = request;
  const { application: t } = texts;
  const main = html`<h1>${texts.applications.register}</h1>
    ${
      person.account.email_verified
        ? html`<div class="card form">
            ${formTo(request, '/applications', html`${applicationFields(texts, request.form, problems)}<button>${t.create}</button>`)}
          </div>`
        : notice(t.verify_first, 'bad')
    }`;
  const status = request.c.req.method === 'POST' ? 422 : 200;
  return { title: texts.applications.register, main, part: 'applications', status };
}

export const applicationsRoutes: readonly Route[] = [
  myApplications('/applications'),
  page('/applications/new', async (request) => newApplicationPage(request)),
  form('/applications', async (request) => {
    const { deps, person, texts, now } = request;
    const read = readApplicationForm(request.form, texts);
    if (!isValidForm(read)) return newApplicationPage(request, read);
    if (!person.account.email_verified) return newApplicationPage(request, { name: texts.application.verify_first });
    if ((await countOwnedBy(deps.db, person.account.id)) >= MAX_OWNED)
      return newApplicationPage(request, { name: texts.application.problems.too_many(MAX_OWNED) });
    const { client_id, secret } = await deps.db.transaction(async (tx) => {
      const { application, secret } = await createApplication(tx, now, { ...read, access: 'none' });
      await addOwner(tx, now, application.key, person.account.id);
      const { client_id, name, type } = application;
      await request.record(tx, { action: 'application.create', subject: client_id, label: name, detail: { type } });
      return { client_id, secret };
    });
    if (secret !== undefined) flashSecret(request, client_id, secret);
    return `/applications/${client_id}?done=registered`;
  }),
];
