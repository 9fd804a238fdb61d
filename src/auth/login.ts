import type { Hono } from 'hono';
import { html } from 'hono/html';
import { passwordMatches } from '#platform/crypto/passwords.ts';
import type { Form } from '#http/form.ts';
import { field, notice } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import { type Account, accountById, accountByLogin, passwordOf } from '#store/accounts/accounts.ts';
import { type Context, type Deps, type Env, formOf } from './deps.ts';
import { showPage } from './layout.ts';
import { showConsent } from './consent.ts';
import { showLinkStep } from './link.ts';
import { signedIn, signIn, signOut } from './session.ts';
import { cancel, finish, formTargetsOf, restart, type Step, stepOf } from './interaction.ts';
import { admitAttempt, clearAttemptsOf } from './throttle.ts';
import { record } from './audit.ts';

/** Signing in: on the way to an application under `/sign-in/:uid`, or to the account page under `/sign-in`. */
export function loginPages(app: Hono<Env>, deps: Deps): void {
  app.get('/sign-in', async (c) => {
    if (await signedIn(c, deps)) return c.redirect('/account', 303);
    return await showLogin(c, deps, {});
  });
  app.post('/sign-in', async (c) => {
    const form = await formOf(c, deps);
    const account = await runLoadTest(c, deps, form);
    if (typeof account === 'string') return await showLogin(c, deps, { form, error: account });
    await signIn(c, deps, account.id);
    return c.redirect('/account', 303);
  });
  app.get('/sign-in/:uid', (c) => showStep(c, deps));
  app.post('/sign-in/:uid', (c) => login(c, deps));
  app.post('/sign-in/:uid/cancel', async (c) => {
    await formOf(c, deps);
    await stepOf(c, deps);
    return await cancel(c, deps);
  });
  app.post('/sign-in/:uid/switch', async (c) => {
    await formOf(c, deps);
    const step = await stepOf(c, deps);
    await signOut(c, deps);
    return restart(c, step);
  });
}

/** Shows the question that the protocol has. Who signed in meanwhile (in another tab, say) is not asked again. */
async function showStep(c: Context, deps: Deps): Promise<Response> {
  const step = await stepOf(c, deps);
  if (step.prompt === 'consent') return await showConsent(c, deps, step);
  if (step.prompt === 'link') return await showLinkStep(c, deps, step);
  const current = await signedIn(c, deps);
  const only = step.reasons.length === 1 && step.reasons[0] === 'no_session';
  if (only && step.accountId === undefined && current !== undefined) {
    return await finish(c, deps, { login: { accountId: current.account.id, ts: current.since } });
  }
  return await showLogin(c, deps, { step });
}

async function login(c: Context, deps: Deps): Promise<Response> {
  const form = await formOf(c, deps);
  const step = await stepOf(c, deps);
  if (step.prompt !== 'login') return c.redirect(`/sign-in/${step.uid}`, 303);
  const known = step.accountId === undefined ? undefined : await accountById(deps.db, step.accountId);
  const account = await runLoadTest(c, deps, known === undefined ? form : { ...form, login: known.name });
  if (typeof account === 'string') return await showLogin(c, deps, { step, form, error: account });
  return await finish(c, deps, { login: { accountId: account.id, amr: ['pwd'] } });
}

/**
 * Whose name and password these are. Takes the same time whether there is such an account or not, and says the same.
 */
async function runLoadTest(
  c: Context,
  deps: Deps,
  form: Form,
): Promise<Account | 'required' | 'tries' | 'credentials'> {
  const { login: name = '', password = '' } = form;
  if (name.trim() === '' || password === '') return 'required';
  if (!(await admitAttempt(c, deps, 'sign-in', name.trim()))) return 'tries';
  const account = await accountByLogin(deps.db, name.trim());
  const stored = account === undefined ? undefined : await passwordOf(deps.db, account.id);
  const matches = await passwordMatches(password, stored);
  const isIn = matches && account !== undefined && account.disabled === null;
  record(c, deps, account, { action: 'session.start', outcome: isIn ? 'done' : 'failed' });
  if (!isIn) return 'credentials';
  await clearAttemptsOf(c, deps, 'sign-in', name.trim());
  return account;
}

interface LoginState {
  step?: Step;
  form?: Form;
  error?: 'required' | 'tries' | 'credentials';
}

async function showLogin(c: Context, deps: Deps, { step, form, error }: LoginState): Promise<Response> {
  const { sign_in: t, errors } = c.get('texts');
  const known = step?.accountId === undefined ? undefined : await accountById(deps.db, step.accountId);
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
    ${linksOf(c, deps, step, known !== undefined)}
  </div>`;
  const status = error === undefined ? 200 : error === 'tries' ? 429 : 422;
  return await showPage(c, deps, {
    title: t.title,
    main,
    status,
    formTargets: step === undefined ? [] : formTargetsOf(step),
  });
}

function linksOf(c: Context, deps: Deps, step: Step | undefined, again: boolean): Html {
  const { sign_in: t, cancel: cancelText } = c.get('texts');
  const flow = step === undefined ? '' : `?flow=${step.uid}`;
  const register =
    deps.config.REGISTRATION === 'closed' || again ? '' : html`<a href="/register${flow}">${t.register}</a>`;
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
