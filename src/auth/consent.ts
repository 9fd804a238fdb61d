import type { Hono } from 'hono';
import { html } from 'hono/html';
import { imageResponse } from '#http/image-response.ts';
import type { Html } from '#http/page.ts';
import { accountById } from '#store/accounts/accounts.ts';
import { giveConsent } from '#store/accounts/consents.ts';
import { hasLogo, logoOf } from '#store/applications/logos.ts';
import { isFirstPartyClient } from '#store/applications/first-party-clients.ts';
import { ownersOf } from '#store/applications/owners.ts';
import { type Context, type Deps, type Env, formOf } from './deps.ts';
import { showPage } from './layout.ts';
import { SCOPES } from './oidc/provider.ts';
import { finish, formTargetsOf, restart, type Step, stepOf } from './interaction.ts';
import type { Texts } from './texts/index.ts';
import { record } from './audit.ts';

/** Asks whether an application may see what it wants to see. */
export function consentPages(app: Hono<Env>, deps: Deps): void {
  app.post('/sign-in/:uid/consent', async (c) => {
    await formOf(c, deps);
    const step = await stepOf(c, deps);
    if (step.prompt !== 'consent') return c.redirect(`/sign-in/${step.uid}`, 303);
    return await agree(c, deps, step);
  });
  app.get('/logos/:client_id', (c) => showLogo(c, deps));
}

/** The application's logo from our own origin: what the page's policy allows. */
async function showLogo(c: Context, { db }: Deps): Promise<Response> {
  const logo = await logoOf(db, c.req.param('client_id')!.replaceAll('\0', ''));
  if (logo === undefined) return c.notFound();
  const { body, status, headers } = imageResponse(logo, c.req.header('if-none-match'));
  return c.newResponse(body, status, headers);
}

async function agree(c: Context, deps: Deps, step: Step): Promise<Response> {
  const { Grant } = deps.provider;
  const accountId = step.accountId!;
  const clientId = step.application.client_id;
  const scopes = asked(step);
  const known = step.grantId === undefined ? undefined : await Grant.find(step.grantId);
  const grant = known ?? new Grant({ accountId, clientId });
  grant.addOIDCScope(scopes.join(' '));
  await giveConsent(deps.db, deps.clock.now(), accountId, clientId, scopes);
  const { name } = step.application;
  const account = await accountById(deps.db, accountId);
  record(c, deps, account, {
    action: 'grant.give',
    subject: clientId,
    label: name,
    detail: { scope: scopes.join(' ') },
  });
  return await finish(c, deps, { consent: { grantId: await grant.save() } });
}

export async function showConsent(c: Context, deps: Deps, step: Step): Promise<Response> {
  const { consent: t, cancel } = c.get('texts');
  const account = step.accountId === undefined ? undefined : await accountById(deps.db, step.accountId);
  if (account === undefined) return restart(c, step);
  const title = t.title(step.application.name);
  const main = html`<div class="card narrow stack">
    ${await logoImage(deps, step)}
    <h1>${title}</h1>
    <p>${await ownersIn(c, deps, step)}</p>
    <div class="row spread">
      <p class="soft">${t.signed_in(account.name)}</p>
      <form method="post" action="/sign-in/${step.uid}/switch"><button class="link">${t.other}</button></form>
    </div>
    <div>
      <p>${t.sees}</p>
      ${scopesOf(step, t)}
    </div>
    <p class="hint">${placeOf(step, t)} ${t.end}</p>
    <form class="stack" method="post" action="/sign-in/${step.uid}/consent">
      <button>${t.allow}</button>
    </form>
    <form method="post" action="/sign-in/${step.uid}/cancel"><button class="quiet">${cancel}</button></form>
  </div>`;
  return await showPage(c, deps, { title, main, formTargets: formTargetsOf(step) });
}

async function logoImage({ db }: Deps, { application: { key, client_id } }: Step): Promise<Html | undefined> {
  if (!(await hasLogo(db, key))) return undefined;
  return html`<img class="logo" src="/logos/${client_id}" alt="" width="64" height="64" />`;
}

/** Who answers for the application: a name alone is whatever somebody has typed. */
async function ownersIn(c: Context, { db, config }: Deps, { application }: Step): Promise<string> {
  const { consent: t, lang } = c.get('texts');
  const names = (await ownersOf(db, application.key)).map(({ name }) => name);
  if (names.length > 0) return t.owners(new Intl.ListFormat(lang).format(names), names.length);
  return (await isFirstPartyClient(db, application.client_id))
    ? t.own(config.NETWORK_NAME)
    : t.no_owner(config.NETWORK_NAME);
}

function scopesOf(step: Step, t: Texts['consent']): Html {
  return html`<ul class="ticks">
    ${asked(step).map((scope) => html`<li>${t[scope]}</li>`)}
  </ul>`;
}

function asked(step: Step) {
  return SCOPES.filter((scope) => step.scopes.includes(scope));
}

function placeOf({ redirectUri }: Step, t: Texts['consent']): string {
  const { protocol, host } = new URL(redirectUri);
  return /^https?:$/.test(protocol) ? t.goes_to(host) : t.on_device;
}
