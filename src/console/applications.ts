import { html } from 'hono/html';
import { notice } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import { type Application, createApplication } from '#store/applications/applications.ts';
import { addOwner, applicationsOwnedBy, countOwnedBy, MAX_OWNED } from '#store/applications/owners.ts';
import { lastUseOf } from '#store/applications/usage.ts';
import { factFields, isFacts, readFacts } from './application-form.ts';
import type { Context, Deps } from './deps.ts';
import { type PageContent, showPage } from './layout.ts';
import { logoImage } from './logos.ts';
import { invitationsCard } from './owners.ts';
import { flashSecret } from './flash-message.ts';
import { stateBadge, formTo, timestamp, type Problems } from './components.ts';
import { form, page, type Route, serveRoute, type ConsoleRequest } from './routes.ts';

/** What whoever comes to the console sees first: their applications, or what the console is for. */
export async function frontPage(c: Context, deps: Deps): Promise<Response> {
  return c.get('person') === undefined ? await showWelcome(c, deps) : await serveRoute(c, deps, mine);
}

async function showWelcome(c: Context, deps: Deps): Promise<Response> {
  const { welcome: t } = c.get('texts');
  const main = html`<section class="hero">
    <h1>${t.title(deps.config.NETWORK_NAME)}</h1>
    <p class="lead">${t.lead}</p>
    <p class="actions">
      <a class="button" href="/console/sign-in">${t.sign_in}</a>
      <a class="button quiet" href="/developers">${t.guide}</a>
    </p>
    <ol class="steps">
      ${t.steps.map(([title, text]) => html`<li><strong>${title}</strong> ${text}</li>`)}
    </ol>
  </section>`;
  return await showPage(c, deps, { title: t.short, main, part: 'applications' });
}

const mine = page('', async (request) => {
  const { deps, person, texts } = request;
  const { applications: t } = texts;
  const owned = await applicationsOwnedBy(deps.db, person.account.id);
  const uses = await Promise.all(owned.map(({ key }) => lastUseOf(deps.db, key)));
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
      (application, place) =>
        html`<li class="card app">
          ${logoImage(application, 40)}
          <div>
            <h2><a class="cover" href="/console/applications/${application.client_id}">${application.name}</a></h2>
            <p class="soft">${texts.application.types[application.type].label}</p>
            <p>${stateBadge(texts, application)}</p>
            <p class="hint">
              ${
                uses[place] === undefined
                  ? texts.applications.never_used
                  : html`${texts.applications.last_used} ${timestamp(request, uses[place])}`
              }
            </p>
          </div>
        </li>`,
    )}
  </ul>`;
}

function showNew(request: ConsoleRequest, problems: Problems = {}): PageContent {
  const { texts, person } = request;
  const { application: t } = texts;
  const shown = request.c.req.method === 'GET' ? { require_pkce: '1' } : request.form;
  const main = html`<h1>${t.new_title}</h1>
    ${
      person.account.email_verified
        ? html`<div class="card form">
            ${formTo(request, '/applications', html`${factFields(texts, shown, problems, true)}<button>${t.create}</button>`)}
          </div>`
        : notice(t.verify_first, 'bad')
    }`;
  const status = request.c.req.method === 'GET' ? 200 : 422;
  return { title: t.new_title, main, part: 'applications', status };
}

export const applicationsRoutes: readonly Route[] = [
  page('/applications/new', async (request) => showNew(request)),
  form('/applications', async (request) => {
    const { deps, person, texts, now } = request;
    const read = readFacts(request.form, texts);
    if (!isFacts(read)) return showNew(request, read);
    if (!person.account.email_verified) return showNew(request, { name: texts.application.verify_first });
    if ((await countOwnedBy(deps.db, person.account.id)) >= MAX_OWNED)
      return showNew(request, { name: texts.application.problems.too_many(MAX_OWNED) });
    const { application, secret } = await createApplication(deps.db, now, { ...read, access: 'none' });
    await addOwner(deps.db, now, application.key, person.account.id);
    const { client_id, name, type } = application;
    await request.record({ action: 'application.create', subject: client_id, label: name, detail: { type } });
    if (secret !== undefined) flashSecret(request, client_id, secret);
    return `/applications/${client_id}?done=registered`;
  }),
];
