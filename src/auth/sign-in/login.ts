import type { Hono } from 'hono';
import { html } from 'hono/html';
import { isFirstPartyClient } from '#store/applications/first-party-clients.ts';
import { passwordMatches } from '#platform/crypto/passwords.ts';
import type { Form } from '#http/form.ts';
import { field, notice } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import { PASSKEY_SCRIPT, passkeyForm } from '#http/passkey-form.ts';
import { type Account, accountById, accountByLogin, passwordOf } from '#store/accounts/accounts.ts';
import { hasFactor } from '#store/accounts/factors.ts';
import { passkeysOf } from '#store/accounts/passkeys.ts';
import { type Context, type Deps, type Env, readOwnForm } from '../deps.ts';
import { browserSecret } from '../device.ts';
import { rememberApplication } from '../expired-sign-ins.ts';
import { showCard, signInPath } from '../layout.ts';
import { showConsent } from './consent.ts';
import { showLinkStep } from './link.ts';
import { showSelectAccount } from './select-account.ts';
import { loginResult, signedIn, signOut } from '../session.ts';
import { acceptsPasskeys, CHALLENGE_MS, type Purpose, readUsed, requestOptions } from '../factors/ceremonies.ts';
import { admitNetwork } from '../factors/codes.ts';
import { BY_PASSWORD, withPasskey } from '../factors/methods.ts';
import { completeSignIn } from './complete.ts';
import { askSecondFactor } from './second-factor.ts';
import { cancel, finish, restart, type Interaction, interactionForm, readInteraction } from './interaction.ts';
import { admitGuess } from '../attempts.ts';
import { linkForm } from './sign-in-link.ts';
import { recordRefusal } from '../audit.ts';

/** Sign-in pages: `/sign-in/:uid` belongs to an authorization request, `/sign-in` leads to the account page. */
export function loginPages(app: Hono<Env>, deps: Deps): void {
  app.get('/sign-in', async (c) => {
    if (await signedIn(c, deps)) return c.redirect('/account', 303);
    return await showLogin(c, deps, {});
  });
  app.post('/sign-in', async (c) => {
    const form = await readOwnForm(c, deps);
    const account = await authenticate(c, deps, form);
    if (typeof account === 'string') return await showLogin(c, deps, { form, error: account });
    return await afterPassword(c, deps, account);
  });
  app.post('/sign-in/passkey', async (c) => await loginByPasskey(c, deps, await readOwnForm(c, deps)));
  app.get('/sign-in/:uid', (c) => showInteraction(c, deps));
  const onForm = (
    path: string,
    prompt: Interaction['prompt'] | undefined,
    act: Parameters<typeof interactionForm>[2],
  ): void => void app.post(`/sign-in/:uid${path}`, interactionForm(deps, prompt, act));
  onForm('', 'login', (c, interaction, form) => login(c, deps, interaction, form));
  onForm('/passkey', 'login', (c, interaction, form) => loginByPasskey(c, deps, form, interaction));
  onForm('/cancel', undefined, (c) => cancel(c, deps));
  onForm('/switch', undefined, async (c, interaction) => {
    await signOut(c, deps);
    return restart(c, interaction);
  });
}

/** Shows the page of the interaction. A person who has signed in since, for example in another tab, skips the sign-in. */
async function showInteraction(c: Context, deps: Deps): Promise<Response> {
  const interaction = await readInteraction(c, deps);
  rememberApplication(c, deps, interaction);
  if (interaction.prompt === 'consent') return await showConsent(c, deps, interaction);
  if (interaction.prompt === 'select_account') return await showSelectAccount(c, deps, interaction);
  if (interaction.prompt === 'link') return await showLinkStep(c, deps, interaction);
  const current = await signedIn(c, deps);
  const needsSessionOnly = interaction.reasons.length === 1 && interaction.reasons[0] === 'no_session';
  if (needsSessionOnly && interaction.accountId === undefined && current !== undefined) {
    const { account, since, methods } = current;
    // Read again, so that the session has not ended before the account was read.
    if ((await signedIn(c, deps)) === undefined) return await showLogin(c, deps, { interaction });
    return await finish(c, deps, { login: { ...loginResult(account, methods), ts: since } });
  }
  return await showLogin(c, deps, { interaction });
}

async function login(c: Context, deps: Deps, interaction: Interaction, form: Form): Promise<Response> {
  const signedInAs = await accountById(deps.db.shortReads, interaction.accountId ?? '');
  const account = await authenticate(c, deps, { ...form, ...(signedInAs && { login: signedInAs.name }) });
  if (typeof account === 'string') return await showLogin(c, deps, { interaction, form, error: account });
  return await afterPassword(c, deps, account, interaction);
}

/** The second step, if the account has a second factor. */
async function afterPassword(c: Context, deps: Deps, account: Account, interaction?: Interaction): Promise<Response> {
  if (!(await hasFactor(deps.db, account.id)))
    return await completeSignIn(c, deps, { account, methods: BY_PASSWORD, interaction });
  const { id: account_id, sign_ins_ended } = account;
  const pending = { account_id, sign_ins_ended, by_mail: false, flow: '' };
  return await askSecondFactor(c, deps, interaction?.uid ?? '', pending);
}

/**
 * Signs in by a passkey without a name or a password. The authenticator must have verified the person, so that the passkey
 * is both factors. Every refusal has the same sentence, which does not reveal whether an account has the passkey.
 */
async function loginByPasskey(
  c: Context,
  deps: Deps,
  { credential = '' }: Form,
  interaction?: Interaction,
): Promise<Response> {
  const used = await readUsed(c, deps, passkeyPurpose(c, deps, interaction), credential);
  const account = used?.user_verified === true ? used.account : undefined;
  const isOther = interaction?.accountId !== undefined && interaction.accountId !== account?.id;
  if (account === undefined || account.disabled !== null || isOther) {
    // A passkey cannot be guessed. Refused ones count, because each is an entry of the audit log.
    if (!(await admitNetwork(c, deps))) return await showLogin(c, deps, { interaction, error: 'blocked' });
    recordRefusal(c, deps, account, { action: 'session.start', outcome: 'failed', detail: { passkey: true } });
    return await showLogin(c, deps, { interaction, error: 'passkey' });
  }
  return await completeSignIn(c, deps, { account, methods: withPasskey([], used!), interaction });
}

/**
 * Checks name (or e-mail address) and password. Duration and error are the same for a wrong password and an unknown
 * account, so that neither reveals which accounts exist.
 */
async function authenticate(c: Context, deps: Deps, form: Form): Promise<Account | LoginError> {
  const { login: name = '', password = '' } = form;
  if (name.trim() === '' || password === '') return 'required';
  const account = await accountByLogin(deps.db.shortReads, name.trim());
  const guess = await admitGuess(c, deps, account, name);
  if (guess === undefined) return 'blocked';
  const stored = account === undefined ? undefined : await passwordOf(deps.db.shortReads, account.id);
  const matches = await deps.passwordQueue.run(guess.requester, c.get('client'), () =>
    passwordMatches(password, stored),
  );
  const isAuthenticated = matches && account !== undefined && account.disabled === null;
  if (!isAuthenticated) {
    recordRefusal(c, deps, account, { action: 'session.start', outcome: 'failed' });
    return 'credentials';
  }
  await guess.succeeded();
  return account;
}

type LoginError = 'required' | 'credentials' | 'blocked' | 'passkey';

interface LoginState {
  interaction?: Interaction | undefined;
  form?: Form;
  error?: LoginError;
}

async function showLogin(c: Context, deps: Deps, { interaction, form, error }: LoginState): Promise<Response> {
  const { sign_in: t } = c.get('texts');
  const sessionAccount = await accountById(deps.db.shortReads, interaction?.accountId ?? '');
  const done = c.req.query('done');
  const offersPasskey = acceptsPasskeys(deps.config);
  const content = html`${interaction === undefined || (await isFirstPartyClient(deps.db, interaction.application.client_id)) ? '' : html`<p class="soft">${t.lead(interaction.application.name)}</p>`}
    ${notice(done === 'reset' ? t.reset_done : done === 'deleted' ? t.deleted : undefined, 'good')}
    ${notice(errorText(c, error), 'bad')}
    ${error === 'blocked' ? linkForm(c, sessionAccount?.name ?? form?.['login'] ?? '', interaction?.uid ?? '') : ''}
    <form class="stack" method="post" action="${signInPath(interaction?.uid)}">
      ${
        sessionAccount === undefined
          ? field({
              name: 'login',
              label: t.login,
              value: form?.['login'] ?? interaction?.loginHint ?? '',
              autocomplete: offersPasskey ? 'username webauthn' : 'username',
              autofocus: true,
            })
          : html`<p>${t.again(sessionAccount.name)}</p>
              <input type="hidden" name="login" value="${sessionAccount.name}" autocomplete="username" />`
      }
      ${field({ name: 'password', label: t.password, type: 'password', autocomplete: 'current-password', autofocus: sessionAccount !== undefined })}
      <button>${t.submit}</button>
    </form>
    ${offersPasskey ? await passkeyPart(c, deps, interaction, sessionAccount) : ''}
    ${signInLinks(c, deps, interaction, sessionAccount !== undefined)}`;
  const status = error === undefined ? 200 : error === 'blocked' ? 429 : 422;
  if (error === 'blocked') c.header('retry-after', '3600');
  return await showCard(c, deps, t.title, content, { status, scripts: offersPasskey ? [PASSKEY_SCRIPT] : [] });
}

/** Without an application the challenge belongs to a secret of the browser, which all its tabs share. */
function passkeyPurpose(c: Context, deps: Deps, interaction: Interaction | undefined): Purpose {
  return `sign-in ${interaction?.uid ?? browserSecret(c, deps, 'passkey', CHALLENGE_MS / 1000)}`;
}

async function passkeyPart(
  c: Context,
  deps: Deps,
  interaction: Interaction | undefined,
  sessionAccount: Account | undefined,
): Promise<Html> {
  const { second_factor: t, security } = c.get('texts');
  const passkeys = sessionAccount === undefined ? [] : await passkeysOf(deps.db.shortReads, sessionAccount.id);
  return passkeyForm({
    ceremony: 'get',
    action: `${signInPath(interaction?.uid)}/passkey`,
    options: requestOptions(deps, passkeyPurpose(c, deps, interaction), passkeys),
    texts: security.passkey_texts,
    button: t.with_passkey,
    isQuiet: true,
    isOffered: sessionAccount === undefined,
  });
}

function errorText(c: Context, error: LoginError | undefined): string | undefined {
  const { errors, sign_in_link, second_factor } = c.get('texts');
  if (error === undefined) return undefined;
  if (error === 'passkey') return second_factor.passkey_refused;
  return error === 'blocked' ? sign_in_link.blocked : errors[error];
}

function signInLinks(c: Context, deps: Deps, interaction: Interaction | undefined, again: boolean): Html {
  const { sign_in: t, cancel: cancelText } = c.get('texts');
  const flow = interaction === undefined ? '' : `?flow=${interaction.uid}`;
  const register =
    deps.config.REGISTRATION === 'closed' || again ? '' : html`<a href="/register${flow}">${t.register}</a>`;
  const button = (action: string, text: string): Html =>
    html`<form method="post" action="/sign-in/${interaction!.uid}/${action}">
      <button class="link">${text}</button>
    </form>`;
  return html`<div class="row spread">
      ${register}
      <a href="/forgot${flow}">${t.forgot}</a>
    </div>
    ${
      interaction === undefined
        ? ''
        : html`<div class="row spread">${again ? button('switch', t.other) : ''} ${button('cancel', cancelText)}</div>`
    }`;
}
