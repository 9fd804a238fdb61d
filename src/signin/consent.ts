import type { Hono } from 'hono';
import { html } from 'hono/html';
import type { Html } from '#base/page.ts';
import { accountById } from '#records/accounts.ts';
import { giveConsent } from '#records/consents.ts';
import { type Ask, type Desk, type Env, formOf } from './desk.ts';
import { SCOPES } from './provider.ts';
import { finish, formTargetsOf, restart, type Step, stepOf } from './step.ts';
import type { Texts } from './texts/index.ts';
import { record } from './record.ts';

/** Asks whether an application may see what it wants to see. */
export function consentPages(app: Hono<Env>, desk: Desk): void {
  app.post('/sign-in/:uid/consent', async (c) => {
    await formOf(c, desk);
    const step = await stepOf(c, desk);
    if (step.prompt !== 'consent') return c.redirect(`/sign-in/${step.uid}`, 303);
    return await agree(c, desk, step);
  });
}

async function agree(c: Ask, desk: Desk, step: Step): Promise<Response> {
  const { Grant } = desk.provider;
  const accountId = step.accountId!;
  const clientId = step.application.client_id;
  const scopes = asked(step);
  const known = step.grantId === undefined ? undefined : await Grant.find(step.grantId);
  const grant = known ?? new Grant({ accountId, clientId });
  grant.addOIDCScope(scopes.join(' '));
  await giveConsent(desk.db, desk.clock.now(), accountId, clientId, scopes);
  const { name } = step.application;
  const account = await accountById(desk.db, accountId);
  record(c, desk, account, {
    action: 'grant.give',
    subject: clientId,
    label: name,
    detail: { scope: scopes.join(' ') },
  });
  return await finish(c, desk, { consent: { grantId: await grant.save() } });
}

export async function showConsent(c: Ask, desk: Desk, step: Step): Promise<Response> {
  const { consent: t, cancel } = c.get('texts');
  const account = step.accountId === undefined ? undefined : await accountById(desk.db, step.accountId);
  if (account === undefined) return restart(c, step);
  const title = t.title(step.application.name);
  const main = html`<div class="card narrow stack">
    <h1>${title}</h1>
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
  return await desk.show(c, { title, main, formTargets: formTargetsOf(step) });
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
