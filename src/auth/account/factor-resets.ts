import type { Hono } from 'hono';
import { html } from 'hono/html';
import type { AppContext } from '#context/context.ts';
import { notice } from '#http/fields.ts';
import { LOCALES } from '#http/languages.ts';
import type { Html } from '#http/page.ts';
import { type Account } from '#store/accounts/accounts.ts';
import { applyNextReset, resetOf, stoppedReset, stopReset, stopResetByLink } from '#store/accounts/factor-resets.ts';
import { record } from '../audit.ts';
import { type Context, type Deps, type Env, readOwnForm } from '../deps.ts';
import { showPage } from '../layout.ts';
import { signedIn } from '../session.ts';
import { showExpired } from '../validation.ts';

const PATH = '/factors/keep';
const STOPPED = { action: 'account.keep_factors' } as const;

/** The owner of an account stops the reset of its second factors: by the link of a mail, or on the account page. */
export function factorResetPages(app: Hono<Env>, deps: Deps): void {
  app.get(PATH, async (c) => {
    const secret = c.req.query('token') ?? '';
    const account = await stoppedReset(deps.db, secret);
    return account === undefined ? await showExpired(c, deps) : await showQuestion(c, deps, account, secret);
  });
  app.post(PATH, async (c) => {
    const { token = '' } = await readOwnForm(c, deps);
    const account = await stopResetByLink(deps.db, token);
    if (account === undefined) return await showExpired(c, deps);
    record(c, deps, account, { ...STOPPED, detail: { link: true } });
    return await showStopped(c, deps);
  });
  app.post('/account/factors/keep', async (c) => {
    await readOwnForm(c, deps);
    const current = await signedIn(c, deps);
    if (current === undefined) return c.redirect('/sign-in', 303);
    if (await stopReset(deps.db, current.account.id)) record(c, deps, current.account, STOPPED);
    return c.redirect('/account?done=factors_kept', 303);
  });
}

/** A GET changes nothing, because mail programs open links to check them. */
async function showQuestion(c: Context, deps: Deps, { name }: Account, secret: string): Promise<Response> {
  const { keep_factors: t } = c.get('texts');
  const main = html`<div class="card narrow stack">
    <h1>${t.title}</h1>
    <p>${t.lead(name)}</p>
    <form method="post" action="${PATH}">
      <input type="hidden" name="token" value="${secret}" />
      <button>${t.submit}</button>
    </form>
  </div>`;
  return await showPage(c, deps, { title: t.title, main });
}

async function showStopped(c: Context, deps: Deps): Promise<Response> {
  const { keep_factors: t } = c.get('texts');
  const main = html`<div class="card narrow stack">
    <h1>${t.done_title}</h1>
    <p>${t.done}</p>
  </div>`;
  return await showPage(c, deps, { title: t.done_title, main });
}

/** What the account page says while a reset waits, with the button that stops it. */
export async function resetNotice(c: Context, deps: Deps, account: Account): Promise<Html | ''> {
  const effective = await resetOf(deps.db.shortReads, account.id);
  if (effective === undefined) return '';
  const { keep_factors: t, lang } = c.get('texts');
  const { TIME_ZONE: timeZone } = deps.config;
  const format = new Intl.DateTimeFormat(LOCALES[lang], { dateStyle: 'medium', timeStyle: 'short', timeZone });
  return html`${notice(t.waiting(format.format(effective)), 'bad')}
    <form method="post" action="/account/factors/keep"><button>${t.submit}</button></form>`;
}

/** Carries out the resets that are due. A job calls this. */
export async function applyFactorResets({ db, clock }: AppContext): Promise<void> {
  while (await applyNextReset(db, clock.now()));
}
