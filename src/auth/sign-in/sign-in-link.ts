import type { Hono } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { html } from 'hono/html';
import { cookieFlags, hostCookie } from '#http/cookies.ts';
import { notice } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import { setVerified } from '#store/accounts/account-changes.ts';
import { hasFactor } from '#store/accounts/factors.ts';
import { consumeMailToken, endMailTokens } from '#store/accounts/mail-tokens.ts';
import type { AccountTexts } from '#mails/account-mails.ts';
import { accountOfLink, sendAccessLink } from '../account/access-mails.ts';
import { parseFlow } from '../account/register.ts';
import { type Context, type Deps, type Env, readOwnForm } from '../deps.ts';
import { showCard, showQuestion, signInPath } from '../layout.ts';
import { showMailSent } from '../mail-state.ts';
import { BY_MAIL } from '../factors/methods.ts';
import { admitAttempt } from '../attempts.ts';
import { showExpired } from '../validation.ts';
import { completeSignIn } from './complete.ts';
import { askSecondFactor } from './second-factor.ts';

const COOKIE_S = 3_600;

/** Sign-in by a mailed link, for an account whose password is not checked because of too many wrong ones. */
export function signInLinkPages(app: Hono<Env>, deps: Deps): void {
  app.post('/sign-in-link/send', (c) => send(c, deps));
  app.get('/sign-in-link', async (c) => {
    const secret = c.req.query('token') ?? '';
    const account = await accountOfLink(deps, 'sign-in', secret);
    if (account?.disabled !== null) return await showExpired(c, deps);
    const { sign_in_link: t, sign_in } = c.get('texts');
    const [lead, action] = [html`<p>${t.lead(account.name)}</p>`, '/sign-in-link'];
    return await showQuestion(c, deps, { title: sign_in.title, lead, action, token: secret, submit: sign_in.submit });
  });
  app.post('/sign-in-link', (c) => open(c, deps));
}

/** The form of the sign-in page that requests a link. */
export function linkForm(c: Context, login: string, flow: string): Html {
  const { sign_in_link: t } = c.get('texts');
  return html`<form class="stack" method="post" action="/sign-in-link/send">
    <input type="hidden" name="login" value="${login}" />
    <input type="hidden" name="flow" value="${flow}" />
    <button>${t.send}</button>
  </form>`;
}

async function send(c: Context, deps: Deps): Promise<Response> {
  const { login = '', flow } = await readOwnForm(c, deps);
  const { sign_in_link: t, mail_state, errors } = c.get('texts');
  const isAllowed = await admitAttempt(c, deps, 'recover');
  if (isAllowed && login.trim() !== '') {
    const mail = { kind: 'sign-in', path: '/sign-in-link', data: {}, text: linkText } as const;
    deps.background.run(() => sendAccessLink(deps, login.trim(), mail));
    // The application continues only in this browser, so its flow is not part of the link.
    const name = hostCookie('flow', deps.secure);
    setCookie(c, name, parseFlow(flow), cookieFlags(deps.secure, COOKIE_S));
  }
  if (isAllowed) return await showMailSent(c, deps, t.sent);
  return await showCard(c, deps, mail_state.sent_title, notice(errors.too_many_attempts, 'bad'), { status: 429 });
}

const linkText = (texts: AccountTexts): [string, string] => [texts.link_subject, texts.link];

async function open(c: Context, deps: Deps): Promise<Response> {
  const { token: secret = '' } = await readOwnForm(c, deps);
  const account = await accountOfLink(deps, 'sign-in', secret);
  if (account?.disabled !== null) return await showExpired(c, deps);
  const isConsumed = await deps.db.transaction(async (tx) => {
    if ((await consumeMailToken(tx, deps.clock.now(), secret)) === undefined) return false;
    // Opening the link proves access to the mailbox.
    await setVerified(tx, account.id);
    await endMailTokens(tx, account.id);
    return true;
  });
  if (!isConsumed) return await showExpired(c, deps);
  const name = hostCookie('flow', deps.secure);
  const flow = parseFlow(getCookie(c, name));
  deleteCookie(c, name, { path: '/', secure: deps.secure });
  const { id: account_id, sign_ins_ended } = account;
  if (await hasFactor(deps.db, account_id))
    return await askSecondFactor(c, deps, '', { account_id, sign_ins_ended, by_mail: true, flow });
  const next = flow === '' ? '/account' : signInPath(flow);
  return await completeSignIn(c, deps, { account, methods: BY_MAIL, byMail: true, next });
}
