import { html } from 'hono/html';
import {
  changedSettings,
  changeSettings,
  createSecret,
  removeApplication,
  withdrawSecret,
} from '#admin/applications.ts';
import { perform } from '#admin/operation.ts';
import { field, notice } from '#http/fields.ts';
import { type Html, rowItem, section } from '#http/page.ts';
import {
  type Application,
  type ApplicationSecret,
  type ApplicationSettings,
  MAX_SECRETS,
  readDeletionImpact,
  secretsOf,
} from '#store/applications/applications.ts';
import { changeApplication, changeTo } from '#store/applications/application-changes.ts';
import { hasDomain } from '#store/applications/redirect-uris.ts';
import { hasLogo } from '#store/applications/logos.ts';
import { sumUsage, usageSince } from '#store/applications/usage.ts';
import { applicationFields, isValidForm, MAX_NAME, readApplicationForm } from './application-form.ts';
import { announceChange, changeCard, changeHint } from './changes.ts';
import { type PageContent, tokenField } from '../layout.ts';
import { consumeSecret, flashSecret, secretNotice } from '../flash-message.ts';
import { button, factsList, formTo, logoImage, number, type Problems, timestamp } from '../components.ts';
import { ASKED_BY_FORM, isTyped, operationForm } from '../operation-form.ts';
import { ownedForm, ownedPage, type OwnedRequest, type Route } from '../routes.ts';
import { inviteOwner, ownersCard } from './owners.ts';
import { firstSteps } from './first-steps.ts';
import { confirmInApplication, inApplication } from './layout.ts';
import { webhookBanner } from './webhooks.ts';

const WEEK_MS = 7 * 86_400_000;

async function overviewPage(request: OwnedRequest, problems: Problems = {}): Promise<PageContent> {
  const { application, texts } = request;
  const { application: t } = texts;
  const secret = consumeSecret(request, application.client_id);
  const { label, hint } = t.types[application.type];
  const afterLogout = application.post_logout_redirect_uris.map(line);
  const uris = application.redirect_uris.map(
    (uri) => html`${line(uri)}${isWeakScheme(uri) ? notice(t.weak_scheme, 'bad') : ''}`,
  );
  const facts = factsList([
    ['Client ID', html`<code class="typed">${application.client_id}</code>`],
    [t.type, html`<strong>${label}</strong><br />${hint}`],
    [t.redirect_uris, uris.length === 0 ? html`<span class="soft">${t.no_redirect_uris}</span>` : html`${uris}`],
    afterLogout.length > 0 && [t.post_logout_redirect_uris, html`${afterLogout}`],
    ['PKCE', application.require_pkce ? t.pkce_on : t.pkce_off],
  ]);
  const inner = html`${await webhookBanner(request)} ${secretNotice(request, t.secret_once, secret)}
  ${section('identity', t.identity, facts)} ${await firstSteps(request, secret)}
  ${application.type === 'service' ? await secretsCard(request, problems) : ''}`;
  return await inApplication(request, '', '', inner);
}

const line = (uri: string): Html => html`<code class="line">${uri}</code>`;

/** A scheme without a dot, registered before such schemes were refused: other programs are likelier to claim it. */
function isWeakScheme(uri: string): boolean {
  const { protocol } = new URL(uri);
  return !/^https?:$/.test(protocol) && !hasDomain(protocol);
}

async function secretsCard(request: OwnedRequest, problems: Problems): Promise<Html> {
  const { application, texts, deps } = request;
  const { application: t } = texts;
  const root = `/applications/${application.client_id}/secrets`;
  const secrets = await secretsOf(deps.db, application.key);
  const content = html`<p class="hint">${t.secrets_hint}</p>
    <ul class="rows">
      ${secrets.map(({ id, name, created }) =>
        rowItem(
          name === '' ? html`<code>shs_…</code>` : html`<bdi>${name}</bdi>`,
          html`${t.made} ${timestamp(request, created)}`,
          button(request, `${root}/remove`, t.withdraw, { kind: 'quiet danger', fields: { id }, about: name || id }),
        ),
      )}
    </ul>
    ${
      secrets.length < MAX_SECRETS
        ? formTo(
            request,
            root,
            html`${field({ name: 'name', label: t.secret_name, hint: t.secret_name_hint, error: problems['name'], maxlength: MAX_NAME, optional: true })}
              <button>${t.new_secret}</button>`,
          )
        : ''
    }`;
  return section('secrets', t.secrets, content);
}

function fieldValues({ name, require_pkce, rotate_refresh_tokens, ...uris }: ApplicationSettings) {
  const checks = { require_pkce: require_pkce ? '1' : '', rotate_refresh_tokens: rotate_refresh_tokens ? '1' : '' };
  const redirect_uris = uris.redirect_uris.join('\n');
  return { name, redirect_uris, post_logout_redirect_uris: uris.post_logout_redirect_uris.join('\n'), ...checks };
}

async function confirmWithdrawal(
  request: OwnedRequest,
  { name }: Application,
  { secret, valid }: { secret: ApplicationSecret; valid: number },
): Promise<PageContent> {
  const { application: t } = request.texts;
  return await confirmInApplication(request, {
    tab: '',
    title: t.withdraw_title(name),
    impact: [
      html`<p><bdi>${secret.name}</bdi> ${t.made} ${timestamp(request, secret.created)}</p>`,
      t.withdraw_impact,
      ...(valid === 1 ? [t.withdraw_last] : []),
    ],
    submit: t.withdraw,
  });
}

async function settingsPage(request: OwnedRequest, problems: Problems = {}): Promise<PageContent> {
  const { application, texts, c, deps, person } = request;
  const { application: t } = texts;
  const isPage = c.req.method === 'GET';
  const change = await changeTo(deps.db, application.key);
  // An owner edits the waiting change. An operator edits the settings in force, because saving them needs no approval.
  const edited = person.isOperator ? application : { ...application, ...change };
  const shown = isPage ? fieldValues(edited) : request.form;
  const root = `/applications/${application.client_id}`;
  const deletion = html`<p>${t.delete_hint}</p>
    <p><a class="button quiet danger" href="/console${root}/delete">${t.delete}</a></p>`;
  const inner = html`${change === undefined ? '' : changeCard(request, change)}
    <section class="card form" aria-labelledby="facts">
      <h2 id="facts">${texts.tabs['/settings']}</h2>
      ${await changeHint(request, change)}
      ${formTo(request, `${root}/settings`, html`${applicationFields(texts, shown, problems, application.type)}<button>${texts.save}</button>`)}
    </section>
    ${await logoCard(request)} ${await ownersCard(request, problems)} ${section('delete', t.delete, deletion)}`;
  return await inApplication(request, '/settings', texts.tabs['/settings'], inner);
}

async function logoCard(request: OwnedRequest): Promise<Html> {
  const { application, texts, deps, person } = request;
  const { application: t } = texts;
  const root = `/applications/${application.client_id}/logo`;
  const content = html`<form class="row" method="post" action="/console${root}" enctype="multipart/form-data">
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
    ${(await hasLogo(deps.db, application.key)) ? button(request, `${root}/remove`, t.remove_logo, { kind: 'quiet danger' }) : ''}`;
  return section('logo-title', t.logo, content);
}

/** An operator's settings are in force at once; those of an owner may have to wait. */
async function saveSettings(request: OwnedRequest): Promise<PageContent | string> {
  const { deps, application, texts, form, person, now, actor } = request;
  const read = readApplicationForm(form, texts, application);
  if (!isValidForm(read)) return await settingsPage(request, read);
  const { type: _, ...settings } = read;
  const { client_id, name } = application;
  if (person.isOperator) {
    await perform(changeSettings, { ...deps, actor }, application, settings);
    return `/applications/${client_id}/settings?done=saved`;
  }
  const waiting = await deps.db.transaction(async (tx) => {
    const change = await changeApplication(tx, now, client_id, settings, person.account.id);
    const action = change === undefined ? changeSettings.name : 'application.change.ask';
    const detail = changedSettings(application, settings);
    await request.record(tx, { action, subject: client_id, label: name, detail });
    return change;
  });
  await announceChange(deps, waiting);
  return `/applications/${client_id}/settings?done=${waiting === undefined ? 'saved' : 'waits'}`;
}

async function addOwner(request: OwnedRequest): Promise<PageContent | string> {
  const { application, deps, person } = request;
  const problem = await inviteOwner(request);
  if (problem === undefined) return `/applications/${application.client_id}/settings?done=invited`;
  const change = person.isOperator ? undefined : await changeTo(deps.db, application.key);
  const shown = { ...fieldValues({ ...application, ...change }), owner: request.form['owner'] ?? '' };
  return await settingsPage({ ...request, form: shown }, { owner: problem });
}

async function deletionPage(request: OwnedRequest, isWrong = false): Promise<PageContent> {
  const { application, texts, deps, now } = request;
  const { application: t } = texts;
  const root = `/applications/${application.client_id}`;
  const impact = await readDeletionImpact(deps.db, application);
  const { requests } = sumUsage(await usageSince(deps.db, application.key, now - WEEK_MS));
  const content = html`<ul class="plain">
      <li>${t.breaks_people(number(request, impact.people), impact.people)}</li>
      <li>${t.breaks_tokens(number(request, impact.tokens), impact.tokens)}</li>
      <li>${t.breaks_requests(number(request, requests), requests)}</li>
      <li>${t.breaks_for_good}</li>
    </ul>
    ${isWrong ? notice(t.delete_wrong, 'bad') : ''}
    ${formTo(
      request,
      `${root}/delete`,
      html`${field({ name: 'name', label: t.delete_confirm(application.name) })}
        <div class="actions">
          <button class="danger">${t.delete}</button>
          <a class="button quiet" href="/console${root}/settings">${texts.cancel}</a>
        </div>`,
    )}`;
  const inner = section('sure', t.delete_title(application.name), content, 'card form');
  return await inApplication(request, '/settings', t.delete, inner);
}

const AT = '/applications/:client_id';
const find = async ({ application }: OwnedRequest): Promise<Application> => application;
const at = ({ client_id }: Application): string => `/applications/${client_id}`;
const overview = (_: OwnedRequest, application: Application): string => at(application);

export const applicationRoutes: readonly Route[] = [
  ownedPage(AT, (request) => overviewPage(request)),
  operationForm(`${AT}/secrets`, createSecret, {
    find,
    again: overviewPage,
    wrong: ({ texts }) => texts.application.problems.name(MAX_NAME),
    refused: { not_service: overview, enough_secrets: overview },
    done: (request, { client_id }, { secret }) => {
      flashSecret(request, client_id, secret);
      return `/applications/${client_id}`;
    },
  }),
  operationForm(`${AT}/secrets/remove`, withdrawSecret, {
    find,
    at,
    read: ({ id }) => ({ id: id ?? '' }),
    confirm: confirmWithdrawal,
    refused: { unknown_secret: 'gone' },
    done: 'withdrawn',
  }),
  ownedPage(`${AT}/settings`, (request) => settingsPage(request)),
  {
    ...ownedForm(`${AT}/settings`, 'always', saveSettings),
    operations: [changeSettings],
  },
  ownedForm(`${AT}/owners`, 'always', addOwner),
  ownedPage(`${AT}/delete`, (request) => deletionPage(request)),
  operationForm(`${AT}/delete`, removeApplication, {
    find,
    instead: (request, { name }) => (isTyped(request, name) ? undefined : deletionPage(request, true)),
    confirm: ASKED_BY_FORM,
    refused: {},
    done: () => '?done=deleted',
  }),
];
