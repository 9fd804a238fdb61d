import type { Hono } from 'hono';
import { html } from 'hono/html';
import { WireError } from '#base/errors.ts';
import { accountById } from '#records/accounts.ts';
import { recordAudit } from '#records/audit.ts';
import { endConsoleSession, startConsoleSession } from '#records/console-sessions.ts';
import { type Attempt, SignInFailed } from './client.ts';
import type { Ask, Desk, Env } from './desk.ts';
import { actorOf, noteRefusal, SESSION_COOKIE } from './person.ts';
import { form } from './rows.ts';

const ATTEMPT_COOKIE = 'attempt';
const ATTEMPT_S = 600;
const SESSION_S = 12 * 3600;

/** Signing in at the console, by our own sign-in as any application does it. */
export function signInPages(app: Hono<Env>, desk: Desk): void {
  app.get('/console/sign-in', async (c) => {
    const to = pathBelow(c.req.query('to'));
    if (c.get('person') !== undefined) return c.redirect(to, 303);
    const attempt = desk.client.begin();
    desk.setSealed(c, ATTEMPT_COOKIE, { ...attempt, to }, ATTEMPT_S);
    return c.redirect(await desk.client.authorizationUrl(attempt, c.get('texts').lang), 303);
  });
  app.get('/console/signed-in', (c) => comeBack(c, desk));
}

export const signOut = form('/sign-out', async ({ c, desk, person, record }) => {
  await endConsoleSession(desk.db, person.session);
  desk.dropCookie(c, SESSION_COOKIE);
  await record({ action: 'session.end', subject: person.account.id, label: person.account.name });
  return c.redirect(await desk.client.signOutUrl(), 303);
});

async function comeBack(c: Ask, desk: Desk): Promise<Response> {
  const attempt = desk.takeSealed(c, ATTEMPT_COOKIE) as (Attempt & { to: string }) | undefined;
  try {
    if (attempt === undefined) throw new SignInFailed('state');
    const sub = await desk.client.redeem(attempt, new URL(c.req.url).searchParams);
    await enter(c, desk, sub);
  } catch (error) {
    if (!(error instanceof SignInFailed)) throw error;
    return await showFailed(c, desk, error);
  }
  return c.redirect(attempt.to, 303);
}

async function enter(c: Ask, desk: Desk, sub: string): Promise<void> {
  const account = await accountById(desk.db, sub);
  if (account === undefined || account.disabled !== null) throw new SignInFailed('account');
  const now = desk.clock.now();
  const previous = c.get('person');
  if (previous !== undefined) await endConsoleSession(desk.db, previous.session);
  const { client_id } = await desk.client.registered();
  const lifetimeMs = SESSION_S * 1000;
  const secret = await startConsoleSession(desk.db, now, { account_id: sub, client_id, lifetimeMs });
  desk.setCookie(c, SESSION_COOKIE, secret, SESSION_S);
  const actor = { ...actorOf(c, undefined), account_id: sub, name: account.name };
  await recordAudit(desk.db, now, actor, { action: 'session.start', subject: sub, label: account.name });
}

/** Nobody is sent on to another host by a link to the console. */
function pathBelow(to: string | undefined): string {
  const url = URL.parse(to ?? '', 'http://here');
  if (url?.origin !== 'http://here' || !/^\/console(\/|$)/.test(url.pathname)) return '/console';
  return url.pathname === '/console/sign-in' ? '/console' : url.pathname + url.search;
}

async function showFailed(c: Ask, desk: Desk, { code, cause }: SignInFailed): Promise<Response> {
  await noteRefusal(c, desk, `sign-in: ${code}`);
  if (cause !== undefined) desk.log.warn({ err: cause }, 'an ID token proves nothing');
  const { sign_in: t } = c.get('texts');
  const declined = code === 'access_denied';
  const main = html`<div class="card narrow stack">
    <h1>${declined ? t.declined_title : t.failed_title}</h1>
    <p>${declined ? t.declined : t.failed}</p>
    <p><a class="button" href="/console/sign-in">${t.again}</a></p>
    <p class="hint">${t.detail} <code>${code}</code></p>
  </div>`;
  const page = { title: declined ? t.declined_title : t.failed_title, main };
  return await desk.show(c, { ...page, status: declined ? 403 : 400 });
}

export const notFound = (): WireError => new WireError(404, 'not_found', 'There is nothing here.');
