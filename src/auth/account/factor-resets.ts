import type { Hono } from 'hono';
import { html } from 'hono/html';
import { notice } from '#http/fields.ts';
import { timeFormatter } from '#http/languages.ts';
import type { Html } from '#http/page.ts';
import { type Account } from '#store/accounts/accounts.ts';
import { resetOf, stoppedReset, stopResetByLink, stopResetByProof } from '#store/accounts/factor-resets.ts';
import { record } from '../audit.ts';
import { type Context, type Deps, type Env, readOwnForm } from '../deps.ts';
import { type Question, showCard, showQuestion } from '../layout.ts';
import { ifSignedIn, signedInForm } from '../session.ts';
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
    return account === undefined
      ? await showExpired(c, deps)
      : await ask(c, deps, account, { action: PATH, token: secret });
  });
  app.post(PATH, async (c) => {
    const { token = '' } = await readOwnForm(c, deps);
    const isStopped = await deps.db.transaction(async (tx) => {
      const account = await stopResetByLink(tx, token);
      if (account !== undefined) await record(tx, c, deps, account, { ...STOPPED, detail: { link: true } });
      return account !== undefined;
    });
    const { keep_factors: t } = c.get('texts');
    return isStopped ? await showCard(c, deps, t.done_title, html`<p>${t.done}</p>`) : await showExpired(c, deps);
  });
  const stop = signedInForm(deps, async (c, { account, uid_hash }) => {
    const isStopped = await deps.db.transaction(async (tx) => {
      if (!(await stopResetByProof(tx, account.id, uid_hash, deps.clock.now() - PROOF_MS))) return false;
      await record(tx, c, deps, account, STOPPED);
      return true;
    });
    if (isStopped) return c.redirect('/account?done=factors_kept', 303);
    const isWaiting = (await resetOf(deps.db, account.id)) !== undefined;
    return c.redirect(isWaiting ? confirmPath(PATHS.keepFactors) : '/account', 303);
  });
  app.post(PATHS.keepFactors, stop);
  const action = PATHS.keepFactors;
  app.get(
    action,
    ifSignedIn(deps, (c, { account }) => ask(c, deps, account, { action })),
  );
}

async function ask(
  c: Context,
  deps: Deps,
  { name }: Account,
  form: Pick<Question, 'action' | 'token'>,
): Promise<Response> {
  const { keep_factors: t } = c.get('texts');
  return await showQuestion(c, deps, { title: t.title, lead: html`<p>${t.lead(name)}</p>`, submit: t.submit, ...form });
}

/** What the account page says while a reset waits, with the button that stops it. */
export async function resetNotice(c: Context, deps: Deps, account: Account): Promise<Html | ''> {
  const effective = await resetOf(deps.db.shortReads, account.id);
  if (effective === undefined) return '';
  const { keep_factors: t, lang } = c.get('texts');
  const formatTime = timeFormatter(lang, deps.config.TIME_ZONE);
  return html`${notice(t.waiting(formatTime(effective)), 'bad')}
    <form method="post" action="${PATHS.keepFactors}"><button>${t.submit}</button></form>`;
}
