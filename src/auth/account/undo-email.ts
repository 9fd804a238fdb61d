import type { Hono } from 'hono';
import { html } from 'hono/html';
import { emailKey } from '#store/accounts/accounts.ts';
import { type Undone, undoEmailChange, undoneChange } from '#store/accounts/email-changes.ts';
import { record } from '../audit.ts';
import { type Context, type Deps, type Env, readOwnForm } from '../deps.ts';
import { showPage } from '../layout.ts';
import { sendMail } from '#mails/account-mails.ts';
import { showExpired } from '../validation.ts';
import { showTaken } from './verify-email.ts';

const PATH = '/email/undo';

/** Undoes a change of the e-mail address, or a first factor, by the link that the address of that time got. */
export function undoEmailPages(app: Hono<Env>, deps: Deps): void {
  app.get(PATH, async (c) => {
    const secret = c.req.query('token') ?? '';
    const change = await undoneChange(deps.db, deps.clock.now(), secret);
    if (change === undefined) return await showExpired(c, deps);
    return await showQuestion(c, deps, change, secret);
  });
  app.post(PATH, (c) => undo(c, deps));
}

async function undo(c: Context, deps: Deps): Promise<Response> {
  const { token = '' } = await readOwnForm(c, deps);
  const result = await deps.db.transaction(async (tx) => {
    const undone = await undoEmailChange(tx, deps.clock.now(), token);
    if (typeof undone === 'string') return undone;
    const action = undone.isFactor ? 'account.factor-undo' : 'account.email';
    await record(tx, c, deps, undone.account, { action, detail: { undone: true } });
    return undone;
  });
  if (result === 'expired') return await showExpired(c, deps);
  if (result === 'taken') return await showTaken(c, deps);
  const { account, email, isFactor, reset } = result;
  if (emailKey(email) !== emailKey(account.email))
    sendMail(deps, account, (texts) => ({ subject: texts.undone_subject, lines: [texts.undone] }));
  if (isFactor)
    sendMail(deps, { ...account, email }, (texts) => ({
      subject: texts.factors_removed_subject,
      lines: [texts.factor_undone],
    }));
  return c.redirect(`/reset?token=${reset}`, 303);
}

/** A GET changes nothing, because mail programs open links to check them. */
async function showQuestion(
  c: Context,
  deps: Deps,
  { account, email, isFactor }: Undone,
  secret: string,
): Promise<Response> {
  const { undo_email: t } = c.get('texts');
  const hasAddress = emailKey(email) === emailKey(account.email);
  const main = html`<div class="card narrow stack">
    <h1>${t.title}</h1>
    ${isFactor ? html`<p>${t.lead_factor(account.name)}</p>` : ''}
    ${hasAddress ? '' : html`<p>${t.lead(account.name, email)}</p>`}
    <p>${t.effect}</p>
    <form method="post" action="${PATH}">
      <input type="hidden" name="token" value="${secret}" />
      <button>${t.submit}</button>
    </form>
  </div>`;
  return await showPage(c, deps, { title: t.title, main });
}
