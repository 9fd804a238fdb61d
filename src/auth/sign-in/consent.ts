import type { Hono } from 'hono';
import { html } from 'hono/html';
import { imageResponse } from '#http/image-response.ts';
import type { Html } from '#http/page.ts';
import { accountById } from '#store/accounts/accounts.ts';
import { findConsent, giveConsent } from '#store/accounts/consents.ts';
import { hasLogo, findLogo } from '#store/applications/logos.ts';
import { isFirstPartyClient } from '#store/applications/first-party-clients.ts';
import { ownersOf } from '#store/applications/owners.ts';
import { type Context, type Deps, type Env } from '../deps.ts';
import { showPage } from '../layout.ts';
import { sendAlert } from '#mails/account-mails.ts';
import { OFFLINE_ACCESS, SCOPES } from '../oidc/scopes.ts';
import { finish, restart, type Interaction, interactionForm } from './interaction.ts';
import type { Texts } from '../texts/index.ts';
import { record } from '../audit.ts';

/** The page on which a person allows an application the scopes that it requests. */
export function consentPages(app: Hono<Env>, deps: Deps): void {
  const submit = interactionForm(deps, 'consent', (c, interaction) => grantConsent(c, deps, interaction));
  app.post('/sign-in/:uid/consent', submit);
  app.get('/logos/:client_id', (c) => showLogo(c, deps));
}

/** Serves the application's logo from this origin, because the pages' CSP allows no other. */
async function showLogo(c: Context, { db }: Deps): Promise<Response> {
  const logo = await findLogo(db, c.req.param('client_id')!.replaceAll('\0', ''));
  if (logo === undefined) return c.notFound();
  const { body, status, headers } = imageResponse(logo, c.req.header('if-none-match'));
  return c.newResponse(body, status, headers);
}

async function grantConsent(c: Context, deps: Deps, interaction: Interaction): Promise<Response> {
  const { Grant } = deps.provider;
  const accountId = interaction.accountId!;
  const clientId = interaction.application.client_id;
  const scopes = requestedScopes(interaction);
  const existing = interaction.grantId === undefined ? undefined : await Grant.find(interaction.grantId);
  const grant = existing ?? new Grant({ accountId, clientId });
  grant.addOIDCScope([...scopes, ...interaction.scopes.filter((scope) => scope === OFFLINE_ACCESS)].join(' '));
  const before = await findConsent(deps.db, accountId, clientId);
  const { name } = interaction.application;
  const account = await accountById(deps.db, accountId);
  await deps.db.transaction(async (tx) => {
    await giveConsent(tx, deps.clock.now(), accountId, clientId, scopes);
    const act = { action: 'grant.give', subject: clientId, label: name, detail: { scope: scopes.join(' ') } };
    await record(tx, c, deps, account, act);
  });
  const givesMore = !scopes.every((scope) => before?.scopes.includes(scope));
  // An installed application asks every time.
  if (givesMore && account !== undefined)
    sendAlert(deps, account, (texts) => [texts.access_subject, texts.access(name)]);
  return await finish(c, deps, { consent: { grantId: await grant.save() } });
}

export async function showConsent(c: Context, deps: Deps, interaction: Interaction): Promise<Response> {
  const { consent: t, cancel } = c.get('texts');
  const account = interaction.accountId === undefined ? undefined : await accountById(deps.db, interaction.accountId);
  if (account === undefined) return restart(c, interaction);
  const title = t.title(interaction.application.name);
  const main = html`<div class="card narrow stack">
    ${await logoImage(deps, interaction)}
    <h1>${title}</h1>
    <p>${await ownersText(c, deps, interaction)}</p>
    <div class="row spread">
      <p class="soft">${t.signed_in(account.name)}</p>
      <form method="post" action="/sign-in/${interaction.uid}/switch"><button class="link">${t.other}</button></form>
    </div>
    <div>
      <p>${t.sees}</p>
      ${scopeList(interaction, t)}
    </div>
    <p class="hint">${destinationText(interaction, t)} ${t.end}</p>
    <form class="stack" method="post" action="/sign-in/${interaction.uid}/consent">
      <button>${t.allow}</button>
    </form>
    <form method="post" action="/sign-in/${interaction.uid}/cancel"><button class="quiet">${cancel}</button></form>
  </div>`;
  return await showPage(c, deps, { title, main });
}

async function logoImage({ db }: Deps, { application: { key, client_id } }: Interaction): Promise<Html | undefined> {
  if (!(await hasLogo(db, key))) return undefined;
  return html`<img class="logo" src="/logos/${client_id}" alt="" width="64" height="64" />`;
}

/** Names the owners of the application, because its own name is free text and proves nothing. */
async function ownersText(c: Context, { db, config }: Deps, { application }: Interaction): Promise<string> {
  const { consent: t, lang } = c.get('texts');
  const names = (await ownersOf(db, application.key)).map(({ name }) => name);
  if (names.length > 0) return t.owners(new Intl.ListFormat(lang).format(names), names.length);
  return (await isFirstPartyClient(db, application.client_id))
    ? t.own(config.NETWORK_NAME)
    : t.no_owner(config.NETWORK_NAME);
}

function scopeList(interaction: Interaction, t: Texts['consent']): Html {
  return html`<ul class="ticks">
    ${requestedScopes(interaction).map((scope) => html`<li>${t[scope]}</li>`)}
  </ul>`;
}

function requestedScopes(interaction: Interaction) {
  return SCOPES.filter((scope) => interaction.scopes.includes(scope));
}

function destinationText({ redirectUri }: Interaction, t: Texts['consent']): string {
  const { protocol, host } = new URL(redirectUri);
  return /^https?:$/.test(protocol) ? t.goes_to(host) : t.on_device;
}
