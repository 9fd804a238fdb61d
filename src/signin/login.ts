import type { Hono } from 'hono';
import { html } from 'hono/html';
import { passwordMatches } from '#base/passwords.ts';
import { field, type Form, notice } from '#base/form.ts';
import type { Html } from '#base/page.ts';
import { type Account, accountById, accountByLogin, passwordOf } from '#records/accounts.ts';
import { type Ask, type Desk, type Env, formOf } from './desk.ts';
import { showConsent } from './consent.ts';
import { showLinkStep } from './link.ts';
import { signedIn, signIn, signOut } from './session.ts';
import { cancel, finish, formTargetsOf, restart, type Step, stepOf } from './step.ts';
import { mayTry, succeeded } from './tries.ts';
import { record } from './record.ts';

/** Signing in: on the way to an application under `/sign-in/:uid`, or to the account page under `/sign-in`. */
export function loginPages(app: Hono<Env>, desk: Desk): void {
  app.get('/sign-in', async (c) => {
    if (await signedIn(c, desk)) return c.redirect('/account', 303);
    return await showLogin(c, desk, {});
  });
  app.post('/sign-in', async (c) => {
    const form = await formOf(c, desk);
    const account = await prove(c, desk, form);
    if (typeof account === 'string') return await showLogin(c, desk, { form, error: account });
    await signIn(c, desk, account.id);
    return c.redirect('/account', 303);
  });
  app.get('/sign-in/:uid', (c) => showStep(c, desk));
  app.post('/sign-in/:uid', (c) => login(c, desk));
  app.post('/sign-in/:uid/cancel', async (c) => {
    await formOf(c, desk);
    await stepOf(c, desk);
    return await cancel(c, desk);
  });
  app.post('/sign-in/:uid/switch', async (c) => {
    await formOf(c, desk);
    const step = await stepOf(c, desk);
    await signOut(c, desk);
    return restart(c, step);
  });
}

/** Shows the question that the protocol has. Who signed in meanwhile (in another tab, say) is not asked again. */
async function showStep(c: Ask, desk: Desk): Promise<Response> {
  const step = await stepOf(c, desk);
  if (step.prompt === 'consent') return await showConsent(c, desk, step);
  if (step.prompt === 'link') return await showLinkStep(c, desk, step);
  const current = await signedIn(c, desk);
  const only = step.reasons.length === 1 && step.reasons[0] === 'no_session';
  if (only && step.accountId === undefined && current !== undefined) {
    return await finish(c, desk, { login: { accountId: current.account.id, ts: current.since } });
  }
  return await showLogin(c, desk, { step });
}

async function login(c: Ask, desk: Desk): Promise<Response> {
  const form = await formOf(c, desk);
  const step = await stepOf(c, desk);
  if (step.prompt !== 'login') return c.redirect(`/sign-in/${step.uid}`, 303);
  const known = step.accountId === undefined ? undefined : await accountById(desk.db, step.accountId);
  const account = await prove(c, desk, known === undefined ? form : { ...form, login: known.name });
  if (typeof account === 'string') return await showLogin(c, desk, { step, form, error: account });
  return await finish(c, desk, { login: { accountId: account.id, amr: ['pwd'] } });
}

/**
 * Whose name and password these are. Takes the same time whether there is such an account or not, and says the same.
 */
async function prove(c: Ask, desk: Desk, form: Form): Promise<Account | 'required' | 'tries' | 'credentials'> {
  const { login: name = '', password = '' } = form;
  if (name.trim() === '' || password === '') return 'required';
  if (!(await mayTry(c, desk, 'sign-in', name.trim()))) return 'tries';
  const account = await accountByLogin(desk.db, name.trim());
  const stored = account === undefined ? undefined : await passwordOf(desk.db, account.id);
  const matches = await passwordMatches(password, stored);
  const isIn = matches && account !== undefined && account.disabled === null;
  record(c, desk, account, { action: 'session.start', outcome: isIn ? 'done' : 'failed' });
  if (!isIn) return 'credentials';
  await succeeded(c, desk, 'sign-in', name.trim());
  return account;
}

interface LoginState {
  step?: Step;
  form?: Form;
  error?: 'required' | 'tries' | 'credentials';
}

async function showLogin(c: Ask, desk: Desk, { step, form, error }: LoginState): Promise<Response> {
  const { sign_in: t, errors } = c.get('texts');
  const known = step?.accountId === undefined ? undefined : await accountById(desk.db, step.accountId);
  const done = c.req.query('done');
  const main = html`<div class="card narrow stack">
    <h1>${t.title}</h1>
    ${step === undefined ? '' : html`<p class="soft">${t.lead(step.application.name)}</p>`}
    ${notice(done === 'reset' ? t.reset_done : done === 'deleted' ? t.deleted : undefined, 'good')}
    ${notice(error === undefined ? undefined : errors[error], 'bad')}
    <form class="stack" method="post" action="${step === undefined ? '/sign-in' : `/sign-in/${step.uid}`}">
      ${
        known === undefined
          ? field({
              name: 'login',
              label: t.login,
              value: form?.['login'] ?? step?.loginHint ?? '',
              autocomplete: 'username',
              autofocus: true,
            })
          : html`<p>${t.again(known.name)}</p>
              <input type="hidden" name="login" value="${known.name}" autocomplete="username" />`
      }
      ${field({ name: 'password', label: t.password, type: 'password', autocomplete: 'current-password', autofocus: known !== undefined })}
      <button>${t.submit}</button>
    </form>
    ${linksOf(c, desk, step, known !== undefined)}
  </div>`;
  const status = error === undefined ? 200 : error === 'tries' ? 429 : 422;
  return await desk.show(c, {
    title: t.title,
    main,
    status,
    formTargets: step === undefined ? [] : formTargetsOf(step),
  });
}

function linksOf(c: Ask, desk: Desk, step: Step | undefined, again: boolean): Html {
  const { sign_in: t, cancel: cancelText } = c.get('texts');
  const flow = step === undefined ? '' : `?flow=${step.uid}`;
  const register =
    desk.config.REGISTRATION === 'closed' || again ? '' : html`<a href="/register${flow}">${t.register}</a>`;
  const button = (action: string, text: string): Html =>
    html`<form method="post" action="/sign-in/${step!.uid}/${action}"><button class="link">${text}</button></form>`;
  return html`<div class="row spread">
      ${register}
      <a href="/forgot${flow}">${t.forgot}</a>
    </div>
    ${
      step === undefined
        ? ''
        : html`<div class="row spread">${again ? button('switch', t.other) : ''} ${button('cancel', cancelText)}</div>`
    }`;
}
