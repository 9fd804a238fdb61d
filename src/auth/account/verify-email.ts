import type { Hono } from 'hono';
import { html } from 'hono/html';
import { notice } from '#http/fields.ts';
import { type Account, accountByEmail, accountById, emailKey } from '#store/accounts/accounts.ts';
import {
  confirmEmail,
  issueEmailChange,
  type Undone,
  undoEmailChange,
  undoneChange,
} from '#store/accounts/email-changes.ts';
import { issueMailToken, type MailToken, peekMailToken, UNDO_DAYS } from '#store/accounts/mail-tokens.ts';
import { type Context, type Deps, type Env, readOwnForm } from '../deps.ts';
import { showCard, showQuestion } from '../layout.ts';
import { sendAlert, sendLink, sendMail } from '#mails/account-mails.ts';
import { showExpired } from '../validation.ts';
import { record } from '../audit.ts';

const DAY_MS = 86_400_000;

const UNDO = '/email/undo';

/** Confirms an e-mail address of an account, its current one or the new one of a change, and undoes a change. */
export function verifyPages(app: Hono<Env>, deps: Deps): void {
  app.get('/verify', async (c) => {
    const secret = c.req.query('token') ?? '';
    const token = await peekMailToken(deps.db, deps.clock.now(), secret);
    const account = isVerification(token) ? await accountById(deps.db, token.account_id!) : undefined;
    if (!isVerification(token) || account === undefined) return await showExpired(c, deps);
    const { verify: t } = c.get('texts');
    // The page names the account, so that people do not confirm their address for another person's account.
    const lead = html`<p>${t.lead(token.data['email']!, account.name)}</p>`;
    return await showQuestion(c, deps, { title: t.title, lead, action: '/verify', token: secret, submit: t.submit });
  });
  app.post('/verify', (c) => verify(c, deps));
  app.get(UNDO, async (c) => {
    const secret = c.req.query('token') ?? '';
    const change = await undoneChange(deps.db, deps.clock.now(), secret);
    return change === undefined ? await showExpired(c, deps) : await showUndo(c, deps, change, secret);
  });
  app.post(UNDO, (c) => undo(c, deps));
}

/** Sends a link that confirms the current address. */
export async function sendVerification(deps: Deps, account: Account): Promise<void> {
  const { id, email } = account;
  const token = { kind: 'verify', account_id: id, data: { email } } as const;
  const secret = await deps.db.transaction((tx) => issueMailToken(tx, deps.clock.now() + DAY_MS, token, email));
  sendLink(deps, account, `/verify?token=${secret}`, (texts) => [texts.verify_subject, texts.verify]);
}

/**
 * Sends a confirmation link to the new address and a notice to the current one. If the new address belongs to another
 * account it gets no mail, and the page does not reveal that.
 */
export async function sendChange(deps: Deps, account: Account, email: string): Promise<void> {
  sendAlert(deps, account, (texts) => [texts.email_changing_subject, texts.email_changing(email)]);
  if ((await accountByEmail(deps.db, email)) !== undefined) return;
  const secret = await issueEmailChange(deps.db, deps.clock.now() + DAY_MS, account.id, email);
  if (secret !== undefined)
    sendLink(deps, { ...account, email }, `/verify?token=${secret}`, (texts) => [texts.email_subject, texts.email]);
}

async function verify(c: Context, deps: Deps): Promise<Response> {
  const { token: secret = '' } = await readOwnForm(c, deps);
  const result = await deps.db.transaction(async (tx) => {
    const confirmed = await confirmEmail(tx, deps.clock.now(), secret);
    if (typeof confirmed === 'string') return confirmed;
    const action = confirmed.token.kind === 'email' ? 'account.email' : 'account.verify';
    await record(tx, c, deps, confirmed.account, { action });
    return confirmed;
  });
  if (result === 'expired') return await showExpired(c, deps);
  if (result === 'taken') return await showOutcome(c, deps, undefined);
  const { token, account, email, undo } = result;
  if (token.kind === 'email') mailChanged(deps, account, email, undo);
  return await showOutcome(c, deps, email);
}

/** Notifies the previous address. @param undo the secret of the link that undoes the change, if there is one */
function mailChanged(deps: Deps, account: Account, email: string, undo: string | undefined): void {
  sendMail(deps, account, (texts) => {
    const lines = undo === undefined ? [] : [texts.undo(UNDO_DAYS), `${deps.config.AUTH_URL}/email/undo?token=${undo}`];
    return [texts.email_changed_subject, texts.email_changed(email), ...lines];
  });
}

function isVerification(token: MailToken | undefined): token is MailToken {
  return token?.kind === 'verify' || token?.kind === 'email';
}

/** @param email the address that is confirmed; undefined if it belongs to another account */
async function showOutcome(c: Context, deps: Deps, email: string | undefined): Promise<Response> {
  const { verify: t, problem } = c.get('texts');
  const content = html`${email === undefined ? notice(t.taken, 'bad') : notice(t.done(email), 'good')}
    <p><a class="button" href="/account">${problem.to_account}</a></p>`;
  if (email === undefined) return await showCard(c, deps, problem.title, content, { status: 409 });
  return await showCard(c, deps, t.done_title, content);
}

/** Undoes a change of the e-mail address, or a first factor, by the link that the address of that time got. */
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
  if (result === 'taken') return await showOutcome(c, deps, undefined);
  const { account, email, isFactor, reset } = result;
  if (emailKey(email) !== emailKey(account.email))
    sendMail(deps, account, (texts) => [texts.undone_subject, texts.undone]);
  if (isFactor) sendMail(deps, { ...account, email }, (texts) => [texts.factors_removed_subject, texts.factor_undone]);
  return c.redirect(`/reset?token=${reset}`, 303);
}

async function showUndo(
  c: Context,
  deps: Deps,
  { account, email, isFactor }: Undone,
  token: string,
): Promise<Response> {
  const { undo_email: t } = c.get('texts');
  const hasAddress = emailKey(email) === emailKey(account.email);
  const lead = html`${isFactor ? html`<p>${t.lead_factor(account.name)}</p>` : ''}
    ${hasAddress ? '' : html`<p>${t.lead(account.name, email)}</p>`}
    <p>${t.effect}</p>`;
  return await showQuestion(c, deps, { title: t.title, lead, action: UNDO, token, submit: t.submit });
}
