import type { Hono } from 'hono';
import { html } from 'hono/html';
import { fields, notice } from '#http/fields.ts';
import type { Form } from '#http/form.ts';
import type { Html } from '#http/page.ts';
import { PASSKEY_SCRIPT, passkeyForm } from '#http/passkey-form.ts';
import type { Account } from '#store/accounts/accounts.ts';
import { type Factors, factorsOf } from '#store/accounts/factors.ts';
import type { Context, Deps, Env } from '../deps.ts';
import { acceptsPasskeys, requestOptions } from '../factors/ceremonies.ts';
import { isProved, mailProofCode, needsStaffCode, confirmByPasskey, confirmByPassword } from '../factors/proof.ts';
import { showCard } from '../layout.ts';
import { ifSignedIn, type SignedIn, signedInForm } from '../session.ts';
import type { Texts } from '../texts/index.ts';
import { confirmPath, PATHS } from './paths.ts';

/** Asks for a proof that the owner of the account uses the session, before changes of its factors, password or address. */
export function confirmPage(app: Hono<Env>, deps: Deps): void {
  const show = ifSignedIn(deps, async (c, current) => {
    const next = nextPath(c.req.query('next'));
    // The reset of factors asks for a particular proof.
    if (next !== PATHS.keepFactors && (await isProved(deps, deps.db, current))) return c.redirect(next, 303);
    return await showConfirm(c, deps, current, { next });
  });
  const submit = signedInForm(deps, (c, current, form) => confirm(c, deps, current, form));
  app.get(PATHS.confirm, show).post(PATHS.confirm, submit);
}

/** The page to continue with: one of those that ask for a proof, and no other. */
function nextPath(text: string | undefined): string {
  return text !== undefined &&
    /^\/account\/(email|password|delete|factors\/keep|security(\/[\w/-]+)?(\?id=[\w-]+)?)$/.test(text)
    ? text
    : PATHS.security;
}

async function confirm(c: Context, deps: Deps, current: SignedIn, form: Form): Promise<Response> {
  const { security: t, errors } = c.get('texts');
  const next = nextPath(c.req.query('next'));
  if (form['mail'] !== undefined) {
    const isSent = await mailProofCode(deps, current);
    const state = isSent ? { sent: true } : { error: errors.too_many_attempts };
    return await showConfirm(c, deps, current, { next, ...state });
  }
  if (form['credential'] !== undefined) {
    if (await confirmByPasskey(c, deps, current, form['credential'])) return c.redirect(next, 303);
    return await showConfirm(c, deps, current, { next, error: t.passkey_refused });
  }
  const { password = '', code = '' } = form;
  const result = await confirmByPassword(c, deps, current, password, code);
  if (result === 'proved') return c.redirect(next, 303);
  return await showConfirm(c, deps, current, {
    next,
    sent: 'sent' in form,
    error: result === 'blocked' ? errors.too_many_attempts : t.code_wrong,
  });
}

interface ConfirmState {
  next: string;
  error?: string;
  /** Whether a mail with a code has been sent. */
  sent?: boolean;
}

async function showConfirm(
  c: Context,
  deps: Deps,
  { account, uid_hash }: SignedIn,
  { next, error, sent = false }: ConfirmState,
): Promise<Response> {
  const texts = c.get('texts');
  const { security: t } = texts;
  const factors = await factorsOf(deps.db.shortReads, account.id);
  const hasPasskey = factors.passkeys.length > 0;
  const offersPasskey = hasPasskey && acceptsPasskeys(deps.config);
  const hasNone = !hasPasskey && factors.totp === undefined;
  const [asksStaff, asksMail] = [hasNone && needsStaffCode(account), hasNone && !needsStaffCode(account)];
  const action = confirmPath(next);
  const content = html`<p>${next === PATHS.keepFactors ? texts.keep_factors.which : t.confirm_lead}</p>
    ${notice(error, 'bad')}
    ${
      offersPasskey
        ? html`${passkeyForm({
              ceremony: 'get',
              action,
              options: requestOptions(deps, `use ${uid_hash}`, factors.passkeys),
              texts: t.passkey_texts,
              button: t.confirm_passkey,
            })}
            <p>${t.confirm_or}</p>`
        : ''
    }
    ${asksStaff ? html`<p>${t.staff_code_lead}</p>` : ''} ${asksMail ? mailForm(t, account.email, action, sent) : ''}
    ${asksMail && !sent ? '' : passwordForm(texts, factors, account, { action, sent })}
    <p>
      ${next.startsWith(PATHS.security) ? html`<a href="${PATHS.security}">${t.back}</a>` : html`<a href="/account">${texts.back}</a>`}
    </p>`;
  const status = error === undefined ? 200 : 422;
  return await showCard(c, deps, t.confirm_title, content, { status, scripts: offersPasskey ? [PASSKEY_SCRIPT] : [] });
}

type SecurityTexts = Texts['security'];

/** Without a second factor, a code that only the owner of the mailbox reads takes its place. */
function mailForm(t: SecurityTexts, email: string, action: string, sent: boolean): Html {
  return html`${sent ? notice(t.mail_code_sent(email), 'good') : html`<p>${t.mail_code_lead(email)}</p>`}
    <form method="post" action="${action}">
      <input type="hidden" name="mail" value="1" />
      <button class="${sent ? 'quiet' : ''}">${sent ? t.mail_code_again : t.mail_code_send}</button>
    </form>`;
}

function passwordForm(
  { security: t, ...texts }: Texts,
  { passkeys, totp }: Factors,
  account: Account,
  { action, sent }: { action: string; sent: boolean },
): Html {
  const first = needsStaffCode(account) ? t.staff_code : t.mail_code;
  const label = totp !== undefined ? t.code : passkeys.length > 0 ? t.recovery_code : first;
  return html`<form class="stack" method="post" action="${action}">
    <input type="hidden" name="login" value="${account.name}" autocomplete="username" />
    ${sent ? html`<input type="hidden" name="sent" value="1" />` : ''}
    ${fields([
      { name: 'password', label: texts.current_password, type: 'password', autocomplete: 'current-password' },
      { name: 'code', label, autocomplete: 'one-time-code', maxlength: 64 },
    ])}
    <button class="${passkeys.length > 0 ? 'quiet' : ''}">${t.confirm}</button>
  </form>`;
}
