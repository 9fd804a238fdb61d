import { html } from 'hono/html';
import { notice } from '#base/form.ts';
import type { Html } from '#base/page.ts';
import {
  addFurtherSecret,
  type Application,
  deleteApplication,
  MOST_SECRETS,
  removeSecret,
  secretsOf,
  setApplication,
} from '#records/applications.ts';
import { hasLogo } from '#records/logos.ts';
import { reachOf } from '#records/reach.ts';
import { sumOf, usageSince } from '#records/usage.ts';
import { factFields, isFacts, readFacts } from './application-form.ts';
import type { Page } from './layout.ts';
import { tokenField } from './layout.ts';
import { logoImage } from './logos.ts';
import { secretNotice, showSecretOnce, takeSecret } from './once.ts';
import { stateBadge, button, formTo, input, moment, number, type Problems } from './parts.ts';
import { ownedForm, ownedPage, type OwnedVisit, type Row } from './rows.ts';
import { inviteOwner, ownersCard } from './owners.ts';
import { firstSteps } from './steps.ts';

const WEEK_MS = 7 * 86_400_000;
const TABS = ['', '/access', '/usage', '/settings'] as const;

/** The frame of an application's pages. */
export async function inApplication(
  visit: OwnedVisit,
  tab: (typeof TABS)[number],
  title: string,
  inner: Html,
  status = 200,
): Promise<Page> {
  const { application, texts } = visit;
  const root = `/console/applications/${application.client_id}`;
  const main = html`<div class="heading">
      <div class="row">
        ${logoImage(application, 48)}
        <h1><bdi>${application.name}</bdi></h1>
        ${stateBadge(texts, application)}
      </div>
    </div>
    <nav aria-label="${application.name}">
      <ul class="tabs">
        ${TABS.map(
          (path) =>
            html`<li>
              <a href="${root}${path}" ${path === tab ? html`aria-current="page"` : ''}>${texts.tabs[path]}</a>
            </li>`,
        )}
      </ul>
    </nav>
    ${notice(application.stopped === null ? undefined : texts.stopped.why[application.stopped], 'bad')} ${inner}`;
  return {
    title: title === '' ? application.name : `${title} · ${application.name}`,
    main,
    part: 'applications',
    status,
  };
}

async function overview(visit: OwnedVisit): Promise<Page> {
  const { application, texts } = visit;
  const { application: t } = texts;
  const secret = takeSecret(visit, application.client_id);
  const inner = html`${secretNotice(visit, t.secret_once, secret)}
    <section class="card" aria-labelledby="identity">
      <h2 id="identity">${t.identity}</h2>
      <dl class="facts">
        <dt>Client ID</dt>
        <dd><code class="typed">${application.client_id}</code></dd>
        <dt>${t.type}</dt>
        <dd><strong>${t.types[application.type].label}</strong><br />${t.types[application.type].hint}</dd>
        <dt>${t.redirect_uris}</dt>
        <dd>
          ${
            application.redirect_uris.length === 0
              ? html`<span class="soft">${t.no_redirect_uris}</span>`
              : application.redirect_uris.map((uri) => html`<code class="line">${uri}</code>`)
          }
        </dd>
        <dt>PKCE</dt>
        <dd>${application.require_pkce ? t.pkce_on : t.pkce_off}</dd>
      </dl>
    </section>
    ${await firstSteps(visit, secret)} ${application.type === 'service' ? await secretsCard(visit) : ''}`;
  return await inApplication(visit, '', '', inner);
}

async function secretsCard(visit: OwnedVisit): Promise<Html> {
  const { application, texts, desk } = visit;
  const { application: t } = texts;
  const root = `/applications/${application.client_id}/secrets`;
  const secrets = await secretsOf(desk.db, application.key);
  return html`<section class="card" aria-labelledby="secrets">
    <h2 id="secrets">${t.secrets}</h2>
    <p class="hint">${t.secrets_hint}</p>
    <ul class="rows">
      ${secrets.map(
        ({ id, created }) =>
          html`<li>
            <span class="what"><code>shs_…</code> <span class="hint">${t.made} ${moment(visit, created)}</span></span>
            ${button(visit, `${root}/remove`, t.withdraw, { kind: 'quiet danger', fields: { id }, about: id })}
          </li>`,
      )}
    </ul>
    ${secrets.length < MOST_SECRETS ? button(visit, root, t.new_secret) : ''}
  </section>`;
}

async function newSecret(visit: OwnedVisit): Promise<string> {
  const { desk, application, now } = visit;
  const { client_id, key, name } = application;
  if (application.type !== 'service') return `/applications/${client_id}`;
  const secret = await desk.db.transaction((tx) => addFurtherSecret(tx, now, key));
  if (secret !== undefined) {
    showSecretOnce(visit, client_id, secret);
    await visit.record({ action: 'application.secret.create', subject: client_id, label: name });
  }
  return `/applications/${client_id}`;
}

async function withdrawSecret(visit: OwnedVisit): Promise<string> {
  const { desk, application, form } = visit;
  const { client_id, key, name } = application;
  const removed = await removeSecret(desk.db, key, form['id'] ?? '');
  if (removed) {
    const detail = { id: form['id'] };
    await visit.record({ action: 'application.secret.withdraw', subject: client_id, label: name, detail });
  }
  return `/applications/${client_id}?done=${removed ? 'withdrawn' : 'gone'}`;
}

function formOf({ name, redirect_uris, require_pkce }: Application) {
  return { name, redirect_uris: redirect_uris.join('\n'), require_pkce: require_pkce ? '1' : '' };
}

async function settings(visit: OwnedVisit, problems: Problems = {}): Promise<Page> {
  const { application, texts, c } = visit;
  const { application: t } = texts;
  const isPage = c.req.method === 'GET';
  const shown = isPage ? formOf(application) : visit.form;
  const root = `/applications/${application.client_id}`;
  const inner = html`<section class="card form" aria-labelledby="facts">
      <h2 id="facts">${t.settings}</h2>
      ${formTo(visit, `${root}/settings`, html`${factFields(texts, shown, problems, false)}<button>${texts.save}</button>`)}
    </section>
    ${await logoCard(visit)} ${await ownersCard(visit, problems)}
    <section class="card" aria-labelledby="delete">
      <h2 id="delete">${t.delete}</h2>
      <p>${t.delete_hint}</p>
      <p><a class="button quiet danger" href="/console${root}/delete">${t.delete}</a></p>
    </section>`;
  return await inApplication(visit, '/settings', t.settings, inner, isPage ? 200 : 422);
}

async function logoCard(visit: OwnedVisit): Promise<Html> {
  const { application, texts, desk, person } = visit;
  const { application: t } = texts;
  const root = `/applications/${application.client_id}/logo`;
  return html`<section class="card" aria-labelledby="logo-title">
    <h2 id="logo-title">${t.logo}</h2>
    <form class="row" method="post" action="/console${root}" enctype="multipart/form-data">
      ${tokenField(person)} ${logoImage(application, 64)}
      <div>
        <label for="logo">${t.logo_file}</label>
        <input
          id="logo"
          name="logo"
          type="file"
          accept="image/png,image/jpeg,image/webp"
          required
          aria-describedby="logo-hint"
        />
        <p class="hint" id="logo-hint">${t.logo_hint}</p>
      </div>
      <button class="quiet">${t.upload}</button>
    </form>
    ${(await hasLogo(desk.db, application.key)) ? button(visit, `${root}/remove`, t.remove_logo, { kind: 'quiet danger' }) : ''}
  </section>`;
}

async function saveSettings(visit: OwnedVisit): Promise<Page | string> {
  const { desk, application, texts, form } = visit;
  const read = readFacts(form, texts, application.type);
  if (!isFacts(read)) return await settings(visit, read);
  await setApplication(desk.db, application.client_id, read);
  const detail = { name: read.name, redirect_uris: read.redirect_uris.join(' '), require_pkce: read.require_pkce };
  await visit.record({ action: 'application.change', subject: application.client_id, label: read.name, detail });
  return `/applications/${application.client_id}/settings?done=saved`;
}

async function newOwner(visit: OwnedVisit): Promise<Page | string> {
  const { application } = visit;
  const problem = await inviteOwner(visit);
  if (problem === undefined) return `/applications/${application.client_id}/settings?done=invited`;
  const shown = { ...formOf(application), owner: visit.form['owner'] ?? '' };
  return await settings({ ...visit, form: shown }, { owner: problem });
}

async function deletion(visit: OwnedVisit, isWrong = false): Promise<Page> {
  const { application, texts, desk, now } = visit;
  const { application: t } = texts;
  const root = `/applications/${application.client_id}`;
  const breaks = await reachOf(desk.db, application);
  const { requests } = sumOf(await usageSince(desk.db, application.key, now - WEEK_MS));
  const inner = html`<section class="card form" aria-labelledby="sure">
    <h2 id="sure">${t.delete_title(application.name)}</h2>
    <ul class="plain">
      <li>${t.breaks_people(number(visit, breaks.people), breaks.people)}</li>
      <li>${t.breaks_tokens(number(visit, breaks.tokens), breaks.tokens)}</li>
      <li>${t.breaks_requests(number(visit, requests), requests)}</li>
      <li>${t.breaks_for_good}</li>
    </ul>
    ${isWrong ? notice(t.delete_wrong, 'bad') : ''}
    ${formTo(
      visit,
      `${root}/delete`,
      html`${input({ name: 'name', label: t.delete_confirm(application.name) })}
        <div class="actions">
          <button class="danger">${t.delete}</button>
          <a class="button quiet" href="/console${root}/settings">${texts.cancel}</a>
        </div>`,
    )}
  </section>`;
  return await inApplication(visit, '/settings', t.delete, inner, isWrong ? 422 : 200);
}

async function remove(visit: OwnedVisit): Promise<Page | string> {
  const { desk, application, form } = visit;
  const { client_id, name } = application;
  if (form['name']?.trim() !== name) return await deletion(visit, true);
  await deleteApplication(desk.db, client_id);
  await visit.record({ action: 'application.delete', subject: client_id, label: name });
  return '?done=deleted';
}

const AT = '/applications/:client_id';
export const applicationRows: readonly Row[] = [
  ownedPage(AT, overview),
  ownedForm(`${AT}/secrets`, newSecret),
  ownedForm(`${AT}/secrets/remove`, withdrawSecret),
  ownedPage(`${AT}/settings`, (visit) => settings(visit)),
  ownedForm(`${AT}/settings`, saveSettings),
  ownedForm(`${AT}/owners`, newOwner),
  ownedPage(`${AT}/delete`, (visit) => deletion(visit)),
  ownedForm(`${AT}/delete`, remove),
];
