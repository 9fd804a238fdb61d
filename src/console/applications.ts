import { html } from 'hono/html';
import { notice } from '#base/form.ts';
import type { Html } from '#base/page.ts';
import { type Application, createApplication } from '#records/applications.ts';
import { addOwner, applicationsOwnedBy, countOwnedBy, MOST_OWNED } from '#records/owners.ts';
import { lastUseOf } from '#records/usage.ts';
import { factFields, isFacts, readFacts } from './application-form.ts';
import type { Ask, Desk } from './desk.ts';
import type { Page } from './layout.ts';
import { logoImage } from './logos.ts';
import { invitationsCard } from './owners.ts';
import { showSecretOnce } from './once.ts';
import { stateBadge, formTo, moment, type Problems } from './parts.ts';
import { form, page, type Row, serveRow, type Visit } from './rows.ts';

/** What whoever comes to the console sees first: their applications, or what the console is for. */
export async function frontPage(c: Ask, desk: Desk): Promise<Response> {
  return c.get('person') === undefined ? await showWelcome(c, desk) : await serveRow(c, desk, mine);
}

async function showWelcome(c: Ask, desk: Desk): Promise<Response> {
  const { welcome: t } = c.get('texts');
  const main = html`<section class="hero">
    <h1>${t.title(desk.config.NETWORK_NAME)}</h1>
    <p class="lead">${t.lead}</p>
    <p class="actions">
      <a class="button" href="/console/sign-in">${t.sign_in}</a>
      <a class="button quiet" href="/developers">${t.guide}</a>
    </p>
    <ol class="steps">
      ${t.steps.map(([title, text]) => html`<li><strong>${title}</strong> ${text}</li>`)}
    </ol>
  </section>`;
  return await desk.show(c, { title: t.short, main, part: 'applications' });
}

const mine = page('', async (visit) => {
  const { desk, person, texts } = visit;
  const { applications: t } = texts;
  const owned = await applicationsOwnedBy(desk.db, person.account.id);
  const uses = await Promise.all(owned.map(({ key }) => lastUseOf(desk.db, key)));
  const main = html`<div class="heading">
      <h1>${t.title}</h1>
      <a class="button" href="/console/applications/new">${t.register}</a>
    </div>
    ${await invitationsCard(visit)}
    ${owned.length === 0 ? html`<div class="card empty"><p>${t.none}</p></div>` : listOf(visit, owned, uses)}`;
  return { title: t.title, main, part: 'applications' };
});

function listOf(visit: Visit, owned: readonly Application[], uses: readonly (number | undefined)[]): Html {
  const { texts } = visit;
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
                  : html`${texts.applications.last_used} ${moment(visit, uses[place])}`
              }
            </p>
          </div>
        </li>`,
    )}
  </ul>`;
}

function showNew(visit: Visit, problems: Problems = {}): Page {
  const { texts, person } = visit;
  const { application: t } = texts;
  const shown = visit.c.req.method === 'GET' ? { require_pkce: '1' } : visit.form;
  const main = html`<h1>${t.new_title}</h1>
    ${
      person.account.email_verified
        ? html`<div class="card form">
            ${formTo(visit, '/applications', html`${factFields(texts, shown, problems, true)}<button>${t.create}</button>`)}
          </div>`
        : notice(t.verify_first, 'bad')
    }`;
  const status = visit.c.req.method === 'GET' ? 200 : 422;
  return { title: t.new_title, main, part: 'applications', status };
}

export const applicationsRows: readonly Row[] = [
  page('/applications/new', async (visit) => showNew(visit)),
  form('/applications', async (visit) => {
    const { desk, person, texts, now } = visit;
    const read = readFacts(visit.form, texts);
    if (!isFacts(read)) return showNew(visit, read);
    if (!person.account.email_verified) return showNew(visit, { name: texts.application.verify_first });
    if ((await countOwnedBy(desk.db, person.account.id)) >= MOST_OWNED)
      return showNew(visit, { name: texts.application.problems.too_many(MOST_OWNED) });
    const { application, secret } = await createApplication(desk.db, now, { ...read, access: 'none' });
    await addOwner(desk.db, now, application.key, person.account.id);
    const { client_id, name, type } = application;
    await visit.record({ action: 'application.create', subject: client_id, label: name, detail: { type } });
    if (secret !== undefined) showSecretOnce(visit, client_id, secret);
    return `/applications/${client_id}?done=registered`;
  }),
];
