import type { Hono } from 'hono';
import { html } from 'hono/html';
import { field } from '#http/fields.ts';
import { hashPassword, MIN_PASSWORD } from '#platform/crypto/passwords.ts';
import type { Account } from '#store/accounts/accounts.ts';
import { resetPassword, setVerified } from '#store/accounts/account-changes.ts';
import { hasFactor } from '#store/accounts/factors.ts';
import { forgetDevices } from '#store/accounts/known-devices.ts';
import { endApplications, endSessions } from '#store/accounts/account-sessions.ts';
import { consumeMailToken } from '#store/accounts/mail-tokens.ts';
import { type Context, type Deps, type Env, readOwnForm } from '../deps.ts';
import { showCard, signInPath } from '../layout.ts';
import { showMailSent } from '../mail-state.ts';
import { type AccountTexts, sendAlert } from '#mails/account-mails.ts';
import { passwordError, showExpired } from '../validation.ts';
import { accountOfLink, sendAccessLink } from './access-mails.ts';
import { parseFlow } from './register.ts';
import { admitAttempt } from '../attempts.ts';
import { rememberThisDevice } from '../device.ts';
import { record } from '../audit.ts';

/**
 * Recovery of a forgotten password: a mail with a link, then a new password, which ends all sessions and the access of all
 * applications.
 */
export function recoveryPages(app: Hono<Env>, deps: Deps): void {
  app.get('/forgot', (c) => showForgot(c, deps));
  app.post('/forgot', async (c) => {
    const { login = '', flow } = await readOwnForm(c, deps);
    if (login.trim() === '') return await showForgot(c, deps, c.get('texts').errors.required);
    if (!(await admitAttempt(c, deps, 'recover')))
      return await showForgot(c, deps, c.get('texts').errors.too_many_attempts);
    const mail = { kind: 'reset', path: '/reset', data: { flow: parseFlow(flow) }, text: resetText } as const;
    deps.background.run(() => sendAccessLink(deps, login.trim(), mail));
    return await showMailSent(c, deps, c.get('texts').forgot.sent);
  });
  app.get('/reset', async (c) => {
    const secret = c.req.query('token') ?? '';
    const account = await accountOfLink(deps, 'reset', secret);
    return account === undefined ? await showExpired(c, deps) : await showReset(c, deps, account, secret);
  });
  app.post('/reset', (c) => reset(c, deps));
}

const resetText = (texts: AccountTexts): [string, string] => [texts.reset_subject, texts.reset];

async function reset(c: Context, deps: Deps): Promise<Response> {
  const { token: secret = '', password = '' } = await readOwnForm(c, deps);
  const now = deps.clock.now();
  const account = await accountOfLink(deps, 'reset', secret);
  if (account === undefined) return await showExpired(c, deps);
  const problem = await passwordError(c, deps, password, account.name, account.email);
  if (problem !== undefined) return await showReset(c, deps, account, secret, problem);
  const hashed = await deps.passwordQueue.run('recognised', c.get('client'), () => hashPassword(password));
  const token = await deps.db.transaction(async (tx) => {
    const consumed = await consumeMailToken(tx, now, secret);
    if (consumed === undefined) return undefined;
    await resetPassword(tx, now, account.id, hashed);
    // The mailbox alone neither makes a browser known to an account with a factor, nor the owner's browser unknown: else its
    // codes would share the count of all others, which a thief of the mailbox can use up.
    if (!(await hasFactor(tx, account.id))) {
      await forgetDevices(tx, account.id);
      await rememberThisDevice(c, deps, tx, account.id);
    }
    // Opening a mailed link proves access to the mailbox; one that an operator handed over does not.
    if (consumed.data['paper'] === undefined) await setVerified(tx, account.id);
    await endSessions(tx, account.id);
    await endApplications(tx, account.id);
    await record(tx, c, deps, account, { action: 'account.password', detail: { reset: true } });
    return consumed;
  });
  if (token === undefined) return await showExpired(c, deps);
  sendAlert(deps, account, (texts) => [texts.password_changed_subject, texts.password_changed]);
  return c.redirect(`${signInPath(token.data['flow'])}?done=reset`, 303);
}

async function showForgot(c: Context, deps: Deps, error?: string): Promise<Response> {
  const { forgot: t, sign_in, back } = c.get('texts');
  const flow = parseFlow(c.req.query('flow'));
  const content = html`<p class="soft">${t.lead}</p>
    <form class="stack" method="post" action="/forgot">
      <input type="hidden" name="flow" value="${flow}" />
      ${field({ name: 'login', label: sign_in.login, error, autocomplete: 'username', autofocus: true })}
      <button>${t.submit}</button>
    </form>
    <p><a href="${signInPath(flow)}">${back}</a></p>`;
  return await showCard(c, deps, sign_in.forgot, content, { status: error === undefined ? 200 : 422 });
}

async function showReset(c: Context, deps: Deps, account: Account, secret: string, error?: string): Promise<Response> {
  const { forgot: t, password_hint } = c.get('texts');
  const content = html`<p class="soft">${t.reset_lead(account.name)}</p>
    <form class="stack" method="post" action="/reset">
      <input type="hidden" name="token" value="${secret}" />
      <input type="hidden" name="login" value="${account.name}" autocomplete="username" />
      ${field({ name: 'password', label: t.new_password, type: 'password', hint: password_hint(MIN_PASSWORD), error, autocomplete: 'new-password', autofocus: true })}
      <button>${t.submit_new}</button>
    </form>`;
  return await showCard(c, deps, t.reset_title, content, { status: error === undefined ? 200 : 422 });
}
