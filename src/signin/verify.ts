import type { Hono } from 'hono';
import { html } from 'hono/html';
import { notice } from '#base/form.ts';
import { type Account, accountByEmail, accountById } from '#records/accounts.ts';
import { setEmail } from '#records/account-changes.ts';
import { issueMailToken, type MailToken, peekMailToken, takeMailToken } from '#records/mail-tokens.ts';
import { type Ask, type Desk, type Env, formOf } from './desk.ts';
import { warn, write } from './mails.ts';
import { showExpired } from './parts.ts';
import { record } from './record.ts';

const DAY_MS = 86_400_000;

/** Proves that an address is somebody's: the one an account has, or the one it is to have. */
export function verifyPages(app: Hono<Env>, desk: Desk): void {
  app.get('/verify', async (c) => {
    const secret = c.req.query('token') ?? '';
    const token = await peekMailToken(desk.db, desk.clock.now(), secret);
    const account = isOurs(token) ? await accountById(desk.db, token.account_id!) : undefined;
    if (!isOurs(token) || account === undefined) return await showExpired(c, desk);
    return await showQuestion(c, desk, { email: token.data['email']!, name: account.name, secret });
  });
  app.post('/verify', (c) => verify(c, desk));
}

/** Sends the link that proves the address that an account has. */
export async function sendVerification(desk: Desk, account: Account): Promise<void> {
  const secret = await issue(desk, 'verify', account, account.email);
  write(desk, account, (texts) => ({
    subject: texts.verify_subject,
    lines: [texts.verify, desk.link(`/verify?token=${secret}`), texts.ignore],
  }));
}

/**
 * Sends the link that makes another address the account's, to that address, and the news to the present one. Where the
 * other address is an account's already nothing is sent to it, and nobody learns so.
 */
export async function sendChange(desk: Desk, account: Account, email: string): Promise<void> {
  warn(desk, account, (texts) => [texts.email_changing_subject, texts.email_changing(email)]);
  if ((await accountByEmail(desk.db, email)) !== undefined) return;
  const secret = await issue(desk, 'email', account, email);
  write(desk, { ...account, email }, (texts) => ({
    subject: texts.email_subject,
    lines: [texts.email, desk.link(`/verify?token=${secret}`), texts.ignore],
  }));
}

async function issue(desk: Desk, kind: 'verify' | 'email', account: Account, email: string): Promise<string> {
  const token = { kind, account_id: account.id, data: { email } };
  return await desk.db.transaction((tx) => issueMailToken(tx, desk.clock.now() + DAY_MS, token, email));
}

async function verify(c: Ask, desk: Desk): Promise<Response> {
  const { token: secret = '' } = await formOf(c, desk);
  const token = await takeMailToken(desk.db, desk.clock.now(), secret);
  const account = isOurs(token) ? await accountById(desk.db, token.account_id!) : undefined;
  if (!isOurs(token) || account === undefined) return await showExpired(c, desk);
  const email = token.data['email']!;
  if (token.kind === 'verify' && email !== account.email) return await showExpired(c, desk);
  if (!(await setEmail(desk.db, account.id, email, true))) return await showDone(c, desk, email, true);
  record(c, desk, account, { action: token.kind === 'email' ? 'account.email' : 'account.verify' });
  if (token.kind === 'email') {
    warn(desk, account, (texts) => [texts.email_changed_subject, texts.email_changed(email)]);
  }
  return await showDone(c, desk, email, false);
}

function isOurs(token: MailToken | undefined): token is MailToken {
  return token?.kind === 'verify' || token?.kind === 'email';
}

/**
 * Looking at the page uses nothing up: mail programs look at links, too. It names the account, since somebody else may
 * want to be known by the address.
 */
async function showQuestion(
  c: Ask,
  desk: Desk,
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
  return await desk.show(c, { title: t.title, main });
}

async function showDone(c: Ask, desk: Desk, email: string, taken: boolean): Promise<Response> {
  const { verify: t, problem } = c.get('texts');
  const title = taken ? problem.title : t.done_title;
  const main = html`<div class="card narrow stack">
    <h1>${title}</h1>
    ${taken ? notice(t.taken, 'bad') : notice(t.done(email), 'good')}
    <p><a class="button" href="/account">${problem.to_account}</a></p>
  </div>`;
  return await desk.show(c, { title, main, status: taken ? 409 : 200 });
}
