import type { Hono } from 'hono';
import { html } from 'hono/html';
import { notice } from '#http/fields.ts';
import { LOCALES } from '#http/languages.ts';
import type { Html } from '#http/page.ts';
import { type Account } from '#store/accounts/accounts.ts';
import { resetOf, stoppedReset, stopResetByLink, stopResetByProof } from '#store/accounts/factor-resets.ts';
import { record } from '../audit.ts';
import { type Context, type Deps, type Env, readOwnForm } from '../deps.ts';
import { showPage } from '../layout.ts';
import { signedIn } from '../session.ts';
import { PROOF_MS } from '../factors/proof.ts';
import { confirmPath, PATHS } from '../security/paths.ts';
import { showExpired } from '../validation.ts';

const PATH = '/factors/keep';
const STOPPED = { action: 'account.keep_factors' } as const;

/** The owner of an account stops the reset of its second factors: by the link of a mail, or with an older factor than the newest. */
export function factorResetPages(app: Hono<Env>, deps: Deps): void {
  app.get(PATH, async (c) => {
    const secret = c.req.query('token') ?? '';
    const account = await stoppedReset(deps.db, secret);
    return account === undefined ? await showExpired(c, deps) : await showQuestion(c, deps, account, secret);
  });
  app.post(PATH, async (c) => {
    const { token = '' } = await readOwnForm(c, deps);
    const isStopped = await deps.db.transaction(async (tx) => {
      const account = await stopResetByLink(tx, token);
      if (account !== undefined) await record(tx, c, deps, account, { ...STOPPED, detail: { link: true } });
      return account !== undefined;
    });
    return isStopped ? await showStopped(c, deps) : await showExpired(c, deps);
  });
  app.post(PATHS.keepFactors, async (c) => {
    await readOwnForm(c, deps);
    const current = await signedIn(c, deps);
    if (current === undefined) return c.redirect('/sign-in', 303);
    const { account, uid_hash } = current;
    const isStopped = await deps.db.transaction(async (tx) => {
      if (!(await stopResetByProof(tx, account.id, uid_hash, deps.clock.now() - PROOF_MS))) return false;
      await record(tx, c, deps, account, STOPPED);
      return true;
    });
    if (isStopped) return c.redirect('/account?done=factors_kept', 303);
    const isWaiting = (await resetOf(deps.db, account.id)) !== undefined;
    return c.redirect(isWaiting ? confirmPath(PATHS.keepFactors) : '/account', 303);
  });
  app.get(PATHS.keepFactors, async (c) => {
    const current = await signedIn(c, deps);
    return current === undefined ? c.redirect('/sign-in', 303) : await showQuestion(c, deps, current.account);
  });
}

/** A GET changes nothing, because mail programs open links to check them. */
async function showQuestion(c: Context, deps: Deps, { name }: Account, secret?: string): Promise<Response> {
  const { keep_factors: t } = c.get('texts');
  const main = html`<div class="card narrow stack">
    <h1>${t.title}</h1>
    <p>${t.lead(name)}</p>
    <form method="post" action="${secret === undefined ? PATHS.keepFactors : PATH}">
      ${secret === undefined ? '' : html`<input type="hidden" name="token" value="${secret}" />`}
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
    <form method="post" action="${PATHS.keepFactors}"><button>${t.submit}</button></form>`;
}
