import type { Hono, MiddlewareHandler } from 'hono';
import { html } from 'hono/html';
import { factorCodeCommand } from '#context/command-name.ts';
import { contactHtml } from '#http/contact.ts';
import { HttpError } from '#http/errors.ts';
import { SITE_SESSION } from '#http/cookies.ts';
import { card } from '#http/page.ts';
import { ownPath } from '#http/links.ts';
import { accountById } from '#store/accounts/accounts.ts';
import { recordAudit } from '#store/audit/audit.ts';
import { endConsoleSession, startConsoleSession } from '#store/accounts/console-sessions.ts';
import { type SignedInAccount, type SignInAttempt, SignInFailed } from './oauth-client.ts';
import type { Context, Deps, Env } from './deps.ts';
import { showPage } from './layout.ts';
import { formTo, hiddenFields } from './components.ts';
import { consumePendingForm } from './reauthentication.ts';
import { actorOf, auditRefusal } from './session.ts';
import { form, page } from './routes.ts';

const ATTEMPT_COOKIE = 'console_attempt';
const ATTEMPT_S = 600;
const SESSION_S = 12 * 3600;

/** Sign-in at the console: an authorization code flow with our own auth service, as for any application. */
export function signInPages(app: Hono<Env>, deps: Deps): void {
  app.get('/console/sign-in', async (c) => {
    const to = targetPath(c.req.query('to'));
    const person = c.get('person');
    const again = c.req.query('again') === undefined ? undefined : person?.account.name;
    if (person !== undefined && again === undefined) return c.redirect(to, 303);
    const attempt = deps.client.begin();
    deps.cookies.setSealed(c, ATTEMPT_COOKIE, { ...attempt, to }, ATTEMPT_S);
    return c.redirect(deps.client.authorizationUrl(attempt, c.get('texts').lang, again), 303);
  });
  app.get('/console/signed-in', (c) => finishSignIn(c, deps));
}

export const signOut = form('/sign-out', async ({ c, deps, person, record }) => {
  await deps.db.transaction(async (tx) => {
    await endConsoleSession(tx, person.session);
    await record(tx, { action: 'session.end', subject: person.account.id, label: person.account.name });
  });
  deps.cookies.delete(c, SITE_SESSION);
  return c.redirect(deps.client.signOutUrl(), 303);
});

/** Offers the form that waited for the password. Only its button carries it out, because a GET changes nothing. */
export const continueForm = page('/continue', async (request) => {
  const { c, deps, person, texts } = request;
  const pending = consumePendingForm(c, deps, person);
  if (pending === undefined) return '?done=again';
  const { password_again: t, cancel } = texts;
  const content = html`<p>${t.lead}</p>
    ${formTo(request, pending.path, html`${hiddenFields(pending.form)}<button>${t.submit}</button>`)}
    <p><a href="/console">${cancel}</a></p>`;
  return { title: t.title, main: card(t.title, content) };
});

/** Shows a member of staff without the required second factor one page in the place of all others. */
export function closeToUnprotected(deps: Deps): MiddlewareHandler<Env> {
  return async (c, next) => {
    const person = c.get('person');
    if (person?.lacksFactor !== true || c.req.path === `/console${signOut.path}`) return await next();
    if (c.req.method === 'POST') await auditRefusal(c, deps, 'no second factor');
    const { factors: t } = c.get('texts');
    const { CONTACT, AUTH_URL } = deps.config;
    const content = html`<p>${t.closed}</p>
      <ol>
        <li>${t.closed_code} <code>${factorCodeCommand(person.account.name)}</code></li>
        <li>${t.closed_add}</li>
      </ol>
      ${CONTACT === '' ? '' : html`<p>${t.closed_ask} ${contactHtml(CONTACT)}</p>`}
      <p><a class="button" href="${AUTH_URL}/account/security">${t.closed_link}</a></p>`;
    const main = card(t.closed_title, content);
    return await showPage(c, deps, { title: t.closed_title, main, status: 403 });
  };
}

async function finishSignIn(c: Context, deps: Deps): Promise<Response> {
  const attempt = deps.cookies.consumeSealed(c, ATTEMPT_COOKIE) as (SignInAttempt & { to: string }) | undefined;
  try {
    if (attempt === undefined) throw new SignInFailed('state');
    await startSession(c, deps, await deps.client.redeem(attempt, new URL(c.req.url).searchParams));
  } catch (error) {
    if (!(error instanceof SignInFailed)) throw error;
    return await showFailed(c, deps, error);
  }
  return c.redirect(attempt.to, 303);
}

async function startSession(c: Context, deps: Deps, { id, authenticated }: SignedInAccount): Promise<void> {
  const account = await accountById(deps.db, id);
  if (account === undefined || account.disabled !== null) throw new SignInFailed('account');
  const now = deps.clock.now();
  const previous = c.get('person');
  const { client_id } = deps.client.credentials;
  const lifetimeMs = SESSION_S * 1000;
  const actor = { ...actorOf(c, undefined), account_id: id, name: account.name };
  const secret = await deps.db.transaction(async (tx) => {
    if (previous !== undefined) await endConsoleSession(tx, previous.session);
    const started = await startConsoleSession(tx, now, { account_id: id, client_id, lifetimeMs, authenticated });
    await recordAudit(tx, now, actor, { action: 'session.start', subject: id, label: account.name });
    return started;
  });
  deps.cookies.set(c, SITE_SESSION, secret, SESSION_S);
}

/** Longer targets do not fit into the cookie of the attempt. */
const MAX_TARGET = 1_024;

/** The path to return to, restricted to this site: otherwise the sign-in would be an open redirect. */
function targetPath(to = ''): string {
  const url = URL.parse(to, 'http://here');
  if (to === '' || to.length > MAX_TARGET || url?.origin !== 'http://here') return '/console';
  const path = ownPath(url);
  return /^\/console\/(sign-in|signed-in)$/.test(path) ? '/console' : path + url.search;
}

async function showFailed(c: Context, deps: Deps, { code, cause }: SignInFailed): Promise<Response> {
  await auditRefusal(c, deps, `sign-in: ${code}`);
  if (cause !== undefined) deps.log.warn({ err: cause }, 'the ID token of a sign-in could not be verified');
  const { sign_in: t } = c.get('texts');
  const declined = code === 'access_denied';
  const title = declined ? t.declined_title : t.failed_title;
  const content = html`<p>${declined ? t.declined : t.failed}</p>
    <p><a class="button" href="/console/sign-in">${t.again}</a></p>
    <p class="hint">${t.detail} <code>${code}</code></p>`;
  return await showPage(c, deps, { title, main: card(title, content), status: declined ? 403 : 400 });
}

export const notFound = (): HttpError => new HttpError(404, 'not_found', 'There is no such page.');

/** @throws HttpError 404 if nothing was found */
export function orNotFound<T>(found: T | undefined): T {
  if (found === undefined) throw notFound();
  return found;
}
