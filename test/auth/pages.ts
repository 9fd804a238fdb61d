import { PATHS, passkeyPath } from '#auth/security/paths.ts';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { newTotpSecret } from '#platform/crypto/totp.ts';
import { setRole } from '#store/accounts/account-changes.ts';
import type { Account } from '#store/accounts/accounts.ts';
import { giveConsent } from '#store/accounts/consents.ts';
import { issueMailToken, type MailToken } from '#store/accounts/mail-tokens.ts';
import { startReset } from '#store/accounts/factor-resets.ts';
import { insertPasskey } from '#store/accounts/passkeys.ts';
import { renewRecoveryCodes } from '#store/accounts/recovery-codes.ts';
import { setTotp } from '#store/accounts/totp.ts';
import { addOwner } from '#store/applications/owners.ts';
import { addUsage } from '#store/applications/usage.ts';
import { bucketsIn } from '#store/game/time-buckets.ts';
import { giveApp, punishment, sendEvents } from '#test/support/builders.ts';
import { makeAccount, makeApplication, type TestAuth } from './support.ts';

/** A page with a name for screenshots. */
export interface SignInPage {
  name: string;
  path: string;
  /** The status of a page that shows an error on purpose. */
  error?: number;
  /** The selector of an element to click first. */
  open?: string;
}

export interface SignInPages {
  /** For somebody who is not signed in. */
  anonymous: SignInPage[];
  /** For Robin, who has linked no game account and has not confirmed the e-mail address. */
  unlinked: SignInPage[];
  /** For Steve, who has linked one and connected an application. */
  linked: SignInPage[];
}

const DAY_MS = 86_400_000;
const STEVE = { uuid: '11111111-2222-4333-8444-555555555555', name: 'Steve' };

/** Fills the database with two people and an application. @returns one page of every kind */
export async function everySignInPage(services: TestAuth): Promise<SignInPages> {
  const { db, clock } = services.context;
  const robin = await makeAccount(services, 'Robin', undefined, false);
  const steve = await makeAccount(services, 'Someone', STEVE);
  // Staff confirms the first factor by the code of a command.
  await setRole(db, steve.id, 'moderator');
  const { application } = await makeApplication(services, 'service', undefined, { name: 'Harbour Board' });
  await addOwner(db, clock.now(), application.key, robin.id);
  await giveConsent(db, clock.now() - DAY_MS, steve.id, application.client_id, ['openid', 'profile']);
  await sendEvents(services.context, punishment('in force', STEVE, { type: 'mute', reason: 'Spam' }));
  const { day } = bucketsIn('UTC')(clock.now());
  await addUsage(db, {
    ...{ usage: [], lastUses: [{ application_key: application.key, last: clock.now() }], personalReads: [] },
    playerReads: [{ uuid: STEVE.uuid, day, application_key: application.key, requests: 12 }],
  });
  const query = {
    client_id: application.client_id,
    response_type: 'code',
    scope: 'openid profile email',
    redirect_uri: application.redirect_uris[0]!,
  };
  const authorize = `/oauth/authorize?${new URLSearchParams(query).toString()}`;
  return {
    anonymous: [
      ...named({ 'sign-in': '', 'sign-in-for-an-application': authorize, register: '', forgot: '', mail: '' }),
      ...named(await mailedLinks(services, robin)),
      { name: 'link-expired', path: '/reset?token=x', error: 410 },
      { name: 'sign-in-expired', path: '/sign-in/unknown', error: 410 },
      { name: 'bad-request', path: '/oauth/authorize?client_id=x', error: 400 },
      { name: 'nowhere', path: '/nowhere', error: 404 },
    ],
    unlinked: named({
      account: '',
      'account-name': '/account/name',
      'account-link': '/account/link',
      'account-delete-owner': '/account/delete',
      'account-security': '/account/security',
      'account-security-confirm-by-mail': '/account/security/confirm',
    }),
    linked: named({
      'account-linked': '/account',
      'account-email': '/account/email',
      'account-password': '/account/password',
      'account-former-name': '/account/former-name',
      'account-unlink': '/account/unlink',
      'account-delete': '/account/delete',
      'account-security-confirm-of-staff': '/account/security/confirm',
      consent: authorize,
      'select-account': `${authorize}&prompt=select_account`,
      'sign-out': '/oauth/logout',
      'sign-out-unregistered': `/oauth/logout?${new URLSearchParams({ client_id: application.client_id, post_logout_redirect_uri: 'https://elsewhere.example/' }).toString()}`,
    }),
  };
}

export interface FactorPages {
  /** A new recovery code of Wren, who has passkeys and an authenticator app. */
  recoveryCode: () => Promise<string>;
  /** For a session of Wren. */
  pages: SignInPage[];
  /** For a session in which Wren has proved to be Wren. */
  proved: SignInPage[];
}

/** Fills the database with a person who has all factors. @returns one page of every kind about them */
export async function everyFactorPage(services: TestAuth): Promise<FactorPages> {
  const { db, clock, config } = services.context;
  const { id: account_id } = await makeAccount(services, 'Wren');
  const added = clock.now() - 90 * DAY_MS;
  const passkey = { account_id, public_key: 'AA', counter: 0, transports: ['internal'], user_verified: true };
  const renew = (): Promise<string[]> => db.transaction((tx) => renewRecoveryCodes(tx, added, account_id));
  await db.transaction(async (tx) => {
    for (const [id, name, backed_up, last_used] of [
      ['cGhvbmU', 'Phone', true, clock.now() - DAY_MS],
      ['a2V5', 'Security key in the drawer', false, null],
    ] as const)
      await insertPasskey(tx, { ...passkey, id, name, backed_up, created: added, last_used });
    const app = { secret: newTotpSecret(), step: 0 };
    await setTotp(tx, added, openSecretKey(config), account_id, app);
  });
  await renew();
  const passkeyPages = { rename: passkeyPath('rename', 'cGhvbmU'), remove: passkeyPath('remove', 'cGhvbmU') };
  return {
    recoveryCode: async () => (await renew())[0]!,
    pages: named({
      'factors-security': PATHS.security,
      'factors-confirm': PATHS.confirm,
      'factors-rename-passkey': passkeyPages.rename,
    }),
    proved: [
      ...named({
        'factors-add-passkey': PATHS.addPasskey,
        'factors-remove-passkey': passkeyPages.remove,
        'factors-app': PATHS.setUpApp,
        'factors-remove-app': PATHS.removeApp,
        'factors-new-codes': PATHS.newCodes,
        'factors-password': '/account/password',
      }),
      { name: 'factors-codes', path: PATHS.newCodes, open: 'main form button' },
    ],
  };
}

/** The pages that links in mails open. */
export async function mailedLinks(services: TestAuth, { id, email }: Account): Promise<Record<string, string>> {
  const { db, clock } = services.context;
  const link = async (path: string, token: MailToken): Promise<string> => {
    const secret = await db.transaction((tx) => issueMailToken(tx, clock.now() + DAY_MS, token, email));
    return `${path}?token=${secret}`;
  };
  const registration = {
    name: 'Newcomer',
    email: 'new@example.org',
    locale: 'en',
    flow: '',
    browser: '',
    password: '',
  };
  return {
    reset: await link('/reset', { kind: 'reset', account_id: id, data: {} }),
    verify: await link('/verify', { kind: 'verify', account_id: id, data: { email } }),
    'undo-email': await link('/email/undo', { kind: 'undo-email', account_id: id, data: { email } }),
    'sign-in-link': await link('/sign-in-link', { kind: 'sign-in', account_id: id, data: {} }),
    'keep-factors': await keepLink(services),
    'register-confirm': await link('/register/confirm', { kind: 'register', account_id: null, data: registration }),
  };
}

const named = (paths: Record<string, string>): SignInPage[] =>
  Object.entries(paths).map(([name, path]) => ({ name, path: path || `/${name}` }));

/** A reset of second factors that waits, of somebody else: the account's page shows it as a warning. */
async function keepLink(services: TestAuth): Promise<string> {
  const { db, clock } = services.context;
  const { id } = await makeAccount(services, 'Puffin');
  await giveApp(services.context, id);
  const started = await startReset(db, clock.now(), id);
  return `/factors/keep?token=${'secret' in started ? started.secret : ''}`;
}
