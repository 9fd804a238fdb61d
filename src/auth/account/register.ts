import type { Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { html } from 'hono/html';
import type { Transaction } from '#db/db.ts';
import { isEmail } from '#platform/mail/email.ts';
import type { Form } from '#http/form.ts';
import { cookieFlags, pathCookie } from '#http/cookies.ts';
import { field, fields } from '#http/fields.ts';
import { hashPassword, MIN_PASSWORD } from '#platform/crypto/passwords.ts';
import { newSecret, sameText, secretHash } from '#platform/crypto/secrets.ts';
import {
  type Account,
  accountByEmail,
  createAccount,
  emailKey,
  isNameShape,
  nameProblem,
} from '#store/accounts/accounts.ts';
import { consumeMailToken, issueMailToken, type MailToken, peekMailToken } from '#store/accounts/mail-tokens.ts';
import { type Context, type Deps, type Env, readOwnForm } from '../deps.ts';
import { showCard, signInPath } from '../layout.ts';
import { passwordError, showExpired } from '../validation.ts';
import { showMailSent } from '../mail-state.ts';
import { sendLink, sendMail } from '#mails/account-mails.ts';
import { BY_PASSWORD } from '../factors/methods.ts';
import { signIn } from '../session.ts';
import { admitAttempt } from '../attempts.ts';
import { record } from '../audit.ts';

const DAY_MS = 86_400_000;
/** The name of the cookie that shows that the link is opened in the browser that registered. */
const browserCookie = ({ secure }: Deps): string => pathCookie('registering', secure);

/**
 * Registration. The account is created when the person opens the link in the mail. So the page can be the same whether the
 * e-mail address has an account or not, and does not reveal which.
 */
export function registerPages(app: Hono<Env>, deps: Deps): void {
  app.get('/register', (c) => showRegister(c, deps, {}, {}));
  app.post('/register', (c) => register(c, deps));
  app.get('/register/confirm', async (c) => {
    const secret = c.req.query('token') ?? '';
    const token = await peekMailToken(deps.db, deps.clock.now(), secret);
    return token?.kind === 'register' ? await showConfirm(c, deps, token, secret) : await showExpired(c, deps);
  });
  app.post('/register/confirm', (c) => confirm(c, deps));
}

type Problems = Partial<Record<'name' | 'email' | 'password', string>>;

async function register(c: Context, deps: Deps): Promise<Response> {
  const form = await readOwnForm(c, deps);
  if (deps.config.REGISTRATION === 'closed') return await showRegister(c, deps, {}, {});
  const { name = '', email = '', password = '', flow = '' } = form;
  // First, because the check against breached passwords reads a file in the threads that hash passwords.
  deps.passwordQueue.refuseIfFull('other', c.get('client'));
  const problems = await checkForm(c, deps, form);
  if (Object.keys(problems).length > 0) return await showRegister(c, deps, form, problems);
  if (!(await admitAttempt(c, deps, 'register'))) {
    return await showRegister(c, deps, form, { email: c.get('texts').errors.too_many_attempts });
  }
  const browser = newSecret();
  const hashed = await deps.passwordQueue.run('other', c.get('client'), () => hashPassword(password));
  const locale = c.get('texts').lang;
  const data = { name: name.trim(), email: email.trim(), password: hashed, locale, flow, browser: secretHash(browser) };
  deps.background.run(() => mailRegistration(deps, data));
  setCookie(c, browserCookie(deps), browser, cookieFlags(deps.secure, DAY_MS / 1000, '/register'));
  return await showMailSent(c, deps, c.get('texts').register.sent(data.email));
}

/**
 * Checks the form. Every name of the right shape is accepted: the person may be the player with that name, and the page must
 * not reveal which names have accounts.
 */
async function checkForm(c: Context, deps: Deps, form: Form): Promise<Problems> {
  const { errors } = c.get('texts');
  const { name = '', email = '', password = '' } = form;
  const problems: Problems = {};
  if (!isNameShape(name.trim())) problems.name = errors.name_shape;
  if (!isEmail(email.trim())) problems.email = errors.email_shape;
  const wrongPassword = await passwordError(c, deps, password, name, email);
  if (wrongPassword !== undefined) problems.password = wrongPassword;
  return problems;
}

/** Data of a registration, held in its mail token: `password` and `browser` are hashes. */
type Registration = Record<'name' | 'email' | 'password' | 'locale' | 'flow' | 'browser', string>;

async function mailRegistration(deps: Deps, data: Registration): Promise<void> {
  const existing = await accountByEmail(deps.db, data.email);
  if (!(await maySend(deps, existing === undefined ? 'register' : 'known', data.email))) return;
  if (existing !== undefined) {
    const [forgot, signInPage] = [`${deps.config.AUTH_URL}/forgot`, `${deps.config.AUTH_URL}/sign-in`];
    return sendMail(deps, existing, (texts) => [
      texts.register_known_subject,
      texts.register_known,
      forgot,
      signInPage,
    ]);
  }
  const token: MailToken = { kind: 'register', account_id: null, data };
  const secret = await deps.db.transaction((tx) => issueMailToken(tx, deps.clock.now() + DAY_MS, token, data.email));
  const path = `/register/confirm?token=${secret}`;
  sendLink(deps, data, path, (texts) => [texts.register_subject, texts.register]);
}

/** Mails to an address are limited, not registrations: other people must not use up those of its owner. */
async function maySend({ db, limits }: Deps, kind: 'register' | 'known', email: string): Promise<boolean> {
  return (await limits.count('registrationMail', { account: `${kind} ${db.keyedHash(emailKey(email))}` })).allowed;
}

/**
 * Creates the account. Opening the link proves access to the mailbox, but another person may have registered with this
 * address and chosen the password. So the password counts only in the browser that registered; in any other browser the
 * person chooses a new one.
 */
async function confirm(c: Context, deps: Deps): Promise<Response> {
  const { token: secret = '', password = '' } = await readOwnForm(c, deps);
  const peeked = await peekMailToken(deps.db, deps.clock.now(), secret);
  if (peeked?.kind !== 'register') return await showExpired(c, deps);
  const isOwn = isOwnBrowser(c, deps, peeked);
  const { name, email, flow } = peeked.data as Registration;
  const problem = isOwn ? undefined : await passwordError(c, deps, password, name, email);
  if (problem !== undefined) return await showConfirm(c, deps, peeked, secret, problem);
  const chosen = isOwn
    ? undefined
    : await deps.passwordQueue.run('other', c.get('client'), () => hashPassword(password));
  const account = await deps.db.transaction(async (tx) => {
    const token = await consumeMailToken(tx, deps.clock.now(), secret);
    const data = token?.data as Registration | undefined;
    const created = data && (await createNamed(tx, deps.clock.now(), data, chosen ?? data.password));
    if (created === undefined || typeof created === 'string') return undefined;
    await record(tx, c, deps, created, { action: 'account.create' });
    return created;
  });
  if (account === undefined) return await showExpired(c, deps);
  const next = isOwn && flow !== '' ? signInPath(flow) : '/account';
  return c.redirect((await signIn(c, deps, account, BY_PASSWORD)) ? next : '/sign-in', 303);
}

function isOwnBrowser(c: Context, deps: Deps, { data }: MailToken): boolean {
  return sameText(secretHash(getCookie(c, browserCookie(deps)) ?? ''), data['browser']!);
}

/**
 * Creates the account with the name that it asked for, or with a provisional one if a known player or another account
 * bears that name. Asking reserves nothing: linking the player's game account gives the name (`linkPlayer`).
 */
async function createNamed(
  tx: Transaction,
  now: number,
  { name, email, locale }: Registration,
  password: string,
): Promise<Account | 'name taken' | 'email taken'> {
  const facts = { name, email, password, locale, email_verified: true };
  const isFree = (await nameProblem(tx, name)) === undefined;
  const account = isFree ? await createAccount(tx, now, facts) : 'name taken';
  return account === 'name taken' ? await createAccount(tx, now, { ...facts, provisional: true }) : account;
}

async function showRegister(c: Context, deps: Deps, form: Form, problems: Problems): Promise<Response> {
  const { register: t, sign_in, password_hint } = c.get('texts');
  if (deps.config.REGISTRATION === 'closed') {
    const content = html`<p>${t.closed}</p>
      <p><a href="/sign-in">${t.have}</a></p>`;
    return await showCard(c, deps, t.closed_title, content, { status: 403 });
  }
  const flow = parseFlow(form['flow'] ?? c.req.query('flow'));
  const content = html`<form class="stack" method="post" action="/register">
      <input type="hidden" name="flow" value="${flow}" />
      ${fields([
        {
          ...{ name: 'name', label: t.name, hint: t.name_hint, value: form['name'] ?? '', error: problems.name },
          ...{ autocomplete: 'username', maxlength: 16 },
        },
        {
          ...{ name: 'email', label: t.email, type: 'email', hint: t.email_hint, value: form['email'] ?? '' },
          ...{ error: problems.email, autocomplete: 'email' },
        },
        {
          ...{ name: 'password', label: sign_in.password, type: 'password', hint: password_hint(MIN_PASSWORD) },
          ...{ error: problems.password, autocomplete: 'new-password' },
        },
      ])}
      <button>${t.submit}</button>
    </form>
    <p><a href="${signInPath(flow)}">${t.have}</a></p>`;
  const status = Object.keys(problems).length > 0 ? 422 : 200;
  return await showCard(c, deps, t.title, content, { status });
}

/** Id of the sign-in that led to the registration; empty if the text cannot be one. */
export function parseFlow(text: string | undefined): string {
  return /^[\w-]{20,64}$/.test(text ?? '') ? text! : '';
}

/** A GET does not consume the token, because mail programs open links to check them. */
async function showConfirm(
  c: Context,
  deps: Deps,
  token: MailToken,
  secret: string,
  error?: string,
): Promise<Response> {
  const { register: t, sign_in, password_hint } = c.get('texts');
  const { name, email } = token.data as Registration;
  const choice = html`<p>${t.confirm_other(email)}</p>
    <input type="hidden" name="login" value="${name}" autocomplete="username" />
    ${field({ name: 'password', label: sign_in.password, type: 'password', hint: password_hint(MIN_PASSWORD), error, autocomplete: 'new-password', autofocus: true })}`;
  const content = html`<p>${t.confirm(name)}</p>
    <form class="stack" method="post" action="/register/confirm">
      <input type="hidden" name="token" value="${secret}" />
      ${isOwnBrowser(c, deps, token) ? '' : choice}
      <button>${t.submit}</button>
    </form>`;
  return await showCard(c, deps, t.confirm_title, content, { status: error === undefined ? 200 : 422 });
}
