import type { Hono } from 'hono';
import { html } from 'hono/html';
import { notice } from '#http/fields.ts';
import { type Account, accountByEmail, accountById } from '#store/accounts/accounts.ts';
import { setEmail } from '#store/accounts/account-changes.ts';
import { issueMailToken, type MailToken, peekMailToken, consumeMailToken } from '#store/accounts/mail-tokens.ts';
import { type Context, type Deps, type Env, formOf } from '../deps.ts';
import { showPage } from '../layout.ts';
import { warn, write } from '../mails.ts';
import { showExpired } from '../validation.ts';
import { record } from '../audit.ts';

const DAY_MS = 86_400_000;

/** Proves that an address is somebody's: the one an account has, or the one it is to have. */
export function verifyPages(app: Hono<Env>, deps: Deps): void {
  app.get('/verify', async (c) => {
    const secret = c.req.query('token') ?? '';
    const token = await peekMailToken(deps.db, deps.clock.now(), secret);
    const account = isOurs(token) ? await accountById(deps.db, token.account_id!) : undefined;
    if (!isOurs(token) || account === undefined) return await showExpired(c, deps);
    return await showQuestion(c, deps, { email: token.data['email']!, name: account.name, secret });
  });
  app.post('/verify', (c) => verify(c, deps));
}

/** Sends the link that proves the address that an account has. */
export async function sendVerification(deps: Deps, account: Account): Promise<void> {
  const secret = await issue(deps, 'verify', account, account.email);
  write(deps, account, (texts) => ({
    subject: texts.verify_subject,
    lines: [texts.verify, `${deps.config.AUTH_URL}/verify?token=${secret}`, texts.ignore],
  }));
}

/**
 * Sends the link that makes another address the account's, to that address, and the news to the present one. Where the
 * other address is an account's already nothing is sent to it, and nobody learns so.
 */
export async function sendChange(deps: Deps, account: Account, email: string): Promise<void> {
  warn(deps, account, (texts) => [texts.email_changing_subject, texts.email_changing(email)]);
  if ((await accountByEmail(deps.db, email)) !== undefined) return;
  const secret = await issue(deps, 'email', account, email);
  write(deps, { ...account, email }, (texts) => ({
    subject: texts.email_subject,
    lines: [texts.email, `${deps.config.AUTH_URL}/verify?token=${secret}`, texts.ignore],
  }));
}

async function issue(deps: Deps, kind: 'verify' | 'email', account: Account, email: string): Promise<string> {
  const token = { kind, account_id: account.id, data: { email } };
  return await deps.db.transaction((tx) => issueMailToken(tx, deps.clock.now() + DAY_MS, token, email));
}

async function verify(c: Context, deps: Deps): Promise<Response> {
  const { token: secret = '' } = await formOf(c, deps);
  const token = await consumeMailToken(deps.db, deps.clock.now(), secret);
  const account = isOurs(token) ? await accountById(deps.db, token.account_id!) : undefined;
  if (!isOurs(token) || account === undefined) return await showExpired(c, deps);
  const email = token.data['email']!;
  if (token.kind === 'verify' && email !== account.email) return await showExpired(c, deps);
  if (!(await setEmail(deps.db, account.id, email, true))) return await showDone(c, deps, email, true);
  record(c, deps, account, { action: token.kind === 'email' ? 'account.email' : 'account.verify' });
  if (token.kind === 'email') {
    warn(deps, account, (texts) => [texts.email_changed_subject, texts.email_changed(email)]);
  }
  return await showDone(c, deps, email, false);
}

function isOurs(token: MailToken | undefined): token is MailToken {
  return token?.kind === 'verify' || token?.kind === 'email';
}

/**
 * Looking at the page uses nothing up: mail programs look at links, too. It names the account, since somebody else may
 * want to be known by the address.
 */
async function showQuestion(
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

async function showDone(c: Context, deps: Deps, email: string, accepted: boolean): Promise<Response> {
  const { verify: t, problem } = c.get('texts');
  const title = accepted ? problem.title : t.done_title;
  const main = html`<div class="card narrow stack">
    <h1>${title}</h1>
    ${accepted ? notice(t.taken, 'bad') : notice(t.done(email), 'good')}
    <p><a class="button" href="/account">${problem.to_account}</a></p>
  </div>`;
  return await showPage(c, deps, { title, main, status: accepted ? 409 : 200 });
}
