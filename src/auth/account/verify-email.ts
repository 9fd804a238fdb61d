import type { Hono } from 'hono';
import { html } from 'hono/html';
import { notice } from '#http/fields.ts';
import { type Account, accountByEmail, accountById } from '#store/accounts/accounts.ts';
import { setEmail } from '#store/accounts/account-changes.ts';
import { issueMailToken, type MailToken, peekMailToken, consumeMailToken } from '#store/accounts/mail-tokens.ts';
import { type Context, type Deps, type Env, readOwnForm } from '../deps.ts';
import { showPage } from '../layout.ts';
import { sendAlert, sendMail } from '../mails.ts';
import { showExpired } from '../validation.ts';
import { record } from '../audit.ts';

const DAY_MS = 86_400_000;

/** Confirms an e-mail address of an account: its current one, or the new one of a change. */
export function verifyPages(app: Hono<Env>, deps: Deps): void {
  app.get('/verify', async (c) => {
    const secret = c.req.query('token') ?? '';
    const token = await peekMailToken(deps.db, deps.clock.now(), secret);
    const account = isVerification(token) ? await accountById(deps.db, token.account_id!) : undefined;
    if (!isVerification(token) || account === undefined) return await showExpired(c, deps);
    return await showConfirmation(c, deps, { email: token.data['email']!, name: account.name, secret });
  });
  app.post('/verify', (c) => verify(c, deps));
}

/** Sends a link that confirms the current address. */
export async function sendVerification(deps: Deps, account: Account): Promise<void> {
  const secret = await issue(deps, 'verify', account, account.email);
  sendMail(deps, account, (texts) => ({
    subject: texts.verify_subject,
    lines: [texts.verify, `${deps.config.AUTH_URL}/verify?token=${secret}`, texts.ignore],
  }));
}

/**
 * Sends a confirmation link to the new address and a notice to the current one. If the new address belongs to another
 * account it gets no mail, and the page does not reveal that.
 */
export async function sendChange(deps: Deps, account: Account, email: string): Promise<void> {
  sendAlert(deps, account, (texts) => [texts.email_changing_subject, texts.email_changing(email)]);
  if ((await accountByEmail(deps.db, email)) !== undefined) return;
  const secret = await issue(deps, 'email', account, email);
  sendMail(deps, { ...account, email }, (texts) => ({
    subject: texts.email_subject,
    lines: [texts.email, `${deps.config.AUTH_URL}/verify?token=${secret}`, texts.ignore],
  }));
}

async function issue(deps: Deps, kind: 'verify' | 'email', account: Account, email: string): Promise<string> {
  const token = { kind, account_id: account.id, data: { email } };
  return await deps.db.transaction((tx) => issueMailToken(tx, deps.clock.now() + DAY_MS, token, email));
}

async function verify(c: Context, deps: Deps): Promise<Response> {
  const { token: secret = '' } = await readOwnForm(c, deps);
  const token = await consumeMailToken(deps.db, deps.clock.now(), secret);
  const account = isVerification(token) ? await accountById(deps.db, token.account_id!) : undefined;
  if (!isVerification(token) || account === undefined) return await showExpired(c, deps);
  const email = token.data['email']!;
  if (token.kind === 'verify' && email !== account.email) return await showExpired(c, deps);
  if (!(await setEmail(deps.db, account.id, email, true))) return await showDone(c, deps, email, true);
  record(c, deps, account, { action: token.kind === 'email' ? 'account.email' : 'account.verify' });
  if (token.kind === 'email') {
    sendAlert(deps, account, (texts) => [texts.email_changed_subject, texts.email_changed(email)]);
  }
  return await showDone(c, deps, email, false);
}

function isVerification(token: MailToken | undefined): token is MailToken {
  return token?.kind === 'verify' || token?.kind === 'email';
}

/**
 * A GET does not consume the token, because mail programs open links to check them. The page names the account, so that
 * people do not confirm their address for another person's account.
 */
async function showConfirmation(
  c: Context,
  deps: Deps,
  { email, name, secret }: Record<'email' | 'name' | 'secret', string>,
): Promise<Response> {
  const { verify: t } = c.get('texts');
  const main = html`<div class="card narrow stack">
    <h1>${t.title}</h1>
    <p>${t.lead(email, name)}</p>
    <form method="post" action="/verify">
      <input type="hidden" name="token" value="${secret}" />
      <button>${t.submit}</button>
    </form>
  </div>`;
  return await showPage(c, deps, { title: t.title, main });
}

async function showDone(c: Context, deps: Deps, email: string, isTaken: boolean): Promise<Response> {
  const { verify: t, problem } = c.get('texts');
  const title = isTaken ? problem.title : t.done_title;
  const main = html`<div class="card narrow stack">
    <h1>${title}</h1>
    ${isTaken ? notice(t.taken, 'bad') : notice(t.done(email), 'good')}
    <p><a class="button" href="/account">${problem.to_account}</a></p>
  </div>`;
  return await showPage(c, deps, { title, main, status: isTaken ? 409 : 200 });
}
