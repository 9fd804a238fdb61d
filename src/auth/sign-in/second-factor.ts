import type { Hono } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { html } from 'hono/html';
import { cookieFlags, pathCookie } from '#http/cookies.ts';
import { field, notice } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import { PASSKEY_SCRIPT, passkeyForm } from '#http/passkey-form.ts';
import { type Account, accountById } from '#store/accounts/accounts.ts';
import { type Factors, factorsOf } from '#store/accounts/factors.ts';
import {
  finishPendingSignIn,
  peekPendingSignIn,
  PENDING_MS,
  type PendingSignIn,
  startPendingSignIn,
} from '#store/accounts/pending-sign-ins.ts';
import { recordRefusal } from '../audit.ts';
import { type Context, type Deps, type Env, readOwnForm } from '../deps.ts';
import { acceptsPasskeys, readUsed, requestOptions } from '../factors/ceremonies.ts';
import { checkCode } from '../factors/codes.ts';
import { BY_MAIL, BY_PASSWORD, type Methods, withCode, withPasskey } from '../factors/methods.ts';
import { showCard, signInPath } from '../layout.ts';
import type { Texts } from '../texts/index.ts';
import { completeSignIn } from './complete.ts';
import { type Interaction, readInteraction } from './interaction.ts';

const pathOf = (interaction: Interaction | undefined): string => `${signInPath(interaction?.uid)}/second`;

/** The second step of a sign-in, after the password or a mailed link, for an account with a second factor. */
export function secondFactorPages(app: Hono<Env>, deps: Deps): void {
  app.get('/sign-in/second', (c) => show(c, deps));
  app.post('/sign-in/second', (c) => check(c, deps));
  app.get('/sign-in/:uid/second', async (c) => await show(c, deps, await readInteraction(c, deps)));
  app.post('/sign-in/:uid/second', async (c) => await check(c, deps, await readInteraction(c, deps)));
}

/** Continues with the second step. @param uid of the interaction, '' without one */
export async function askSecondFactor(c: Context, deps: Deps, uid: string, pending: PendingSignIn): Promise<Response> {
  const secret = await startPendingSignIn(deps.db, deps.clock.now(), uid, pending);
  if (secret === undefined) return c.redirect(`${signInPath(uid)}?done=deleted`, 303);
  const path = `${signInPath(uid)}/second`;
  setCookie(c, cookieName(deps), secret, cookieFlags(deps.secure, PENDING_MS / 1000, path));
  return c.redirect(path, 303);
}

const cookieName = ({ secure }: Deps): string => pathCookie('second_step', secure);

interface Step {
  secret: string;
  pending: PendingSignIn;
  account: Account;
  interaction: Interaction | undefined;
}

/** Undefined if the browser has no sign-in that lacks the second factor only: it begins again then. */
async function currentStep(c: Context, deps: Deps, interaction: Interaction | undefined): Promise<Step | undefined> {
  const secret = getCookie(c, cookieName(deps));
  if (secret === undefined || (interaction !== undefined && interaction.prompt !== 'login')) return undefined;
  const { db, clock } = deps;
  const pending = await peekPendingSignIn(db, clock.now(), interaction?.uid ?? '', secret);
  const account = pending && (await accountById(db, pending.account_id));
  if (account?.disabled !== null || account.sign_ins_ended !== pending?.sign_ins_ended) return undefined;
  return { secret, pending, account, interaction };
}

async function show(c: Context, deps: Deps, interaction?: Interaction): Promise<Response> {
  const step = await currentStep(c, deps, interaction);
  return step === undefined ? c.redirect(signInPath(interaction?.uid), 303) : await showStep(c, deps, step);
}

async function check(c: Context, deps: Deps, interaction?: Interaction): Promise<Response> {
  const form = await readOwnForm(c, deps);
  const step = await currentStep(c, deps, interaction);
  if (step === undefined) return c.redirect(signInPath(interaction?.uid), 303);
  const { account, pending, secret } = step;
  const { second_factor: t, errors } = c.get('texts');
  const { credential = '', code = '' } = form;
  if (credential === '' && code.trim() === '') return await showStep(c, deps, step, errors.required);
  const first = pending.by_mail ? BY_MAIL : BY_PASSWORD;
  const result =
    credential === '' ? await byCode(c, deps, account, first, code) : await byPasskey(c, deps, step, first, credential);
  if (typeof result === 'string') {
    if (result !== 'blocked')
      recordRefusal(c, deps, account, { action: 'session.start', outcome: 'failed', detail: { second_factor: true } });
    return await showStep(c, deps, step, t[result]);
  }
  if (!(await finishPendingSignIn(deps.db, deps.clock.now(), interaction?.uid ?? '', secret)))
    return c.redirect(signInPath(interaction?.uid), 303);
  deleteCookie(c, cookieName(deps), { path: pathOf(interaction), secure: deps.secure });
  const next = pending.flow === '' ? '/account' : signInPath(pending.flow);
  return await completeSignIn(c, deps, { account, methods: result, byMail: pending.by_mail, interaction, next });
}

type Refusal = 'wrong' | 'blocked' | 'passkey_refused';

async function byCode(
  c: Context,
  deps: Deps,
  account: Account,
  first: Methods,
  code: string,
): Promise<Methods | Refusal> {
  const result = await checkCode(c, deps, account, code);
  return result === 'right' ? withCode(first) : result;
}

async function byPasskey(
  c: Context,
  deps: Deps,
  { account, secret }: Step,
  first: Methods,
  credential: string,
): Promise<Methods | Refusal> {
  const used = await readUsed(c, deps, `second ${secret}`, credential);
  return used?.passkey.account_id === account.id ? withPasskey(first, used) : 'passkey_refused';
}

async function showStep(c: Context, deps: Deps, step: Step, error?: string): Promise<Response> {
  const texts = c.get('texts');
  const { second_factor: t } = texts;
  const { account, interaction } = step;
  const factors = await factorsOf(deps.db, account.id);
  const offersPasskey = factors.passkeys.length > 0 && acceptsPasskeys(deps.config);
  const content = html`<p>${t.lead(account.name)}</p>
    ${notice(error, 'bad')} ${offersPasskey ? passkeyPart(deps, texts, step, factors) : ''}
    ${factors.passkeys.length > 0 && !offersPasskey ? html`<p class="hint">${t.no_passkeys_here}</p>` : ''}
    ${codeForm(texts, pathOf(interaction), factors, offersPasskey)}
    <p><a href="${signInPath(interaction?.uid)}">${t.again}</a></p>`;
  return await showCard(c, deps, t.title, content, {
    status: error === undefined ? 200 : 422,
    scripts: offersPasskey ? [PASSKEY_SCRIPT] : [],
  });
}

function passkeyPart(
  deps: Deps,
  { second_factor: t, security }: Texts,
  { secret, interaction }: Step,
  { passkeys }: Factors,
): Html {
  const form = passkeyForm({
    ceremony: 'get',
    action: pathOf(interaction),
    options: requestOptions(deps, `second ${secret}`, passkeys),
    texts: security.passkey_texts,
    button: security.confirm_passkey,
  });
  return html`${form}
    <p>${t.or}</p>`;
}

function codeForm(
  { second_factor: t, security, sign_in }: Texts,
  action: string,
  { totp }: Factors,
  isQuiet: boolean,
): Html {
  const [label, hint] = totp === undefined ? [security.recovery_code, t.recovery_hint] : [security.code, t.code_hint];
  return html`<form class="stack" method="post" action="${action}">
    ${field({ name: 'code', label, hint, autocomplete: 'one-time-code', autofocus: !isQuiet, maxlength: 64 })}
    <button class="${isQuiet ? 'quiet' : ''}">${sign_in.submit}</button>
  </form>`;
}
