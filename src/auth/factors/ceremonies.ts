import { isIP } from 'node:net';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { newSecret, sameText } from '#platform/crypto/secrets.ts';
import type { Config } from '#platform/config/config.ts';
import { type Account, accountById } from '#store/accounts/accounts.ts';
import { consumeChallenge, type Passkey, passkeyById, recordPasskeyUse } from '#store/accounts/passkeys.ts';
import { recordRefusal } from '../audit.ts';
import type { Context, Deps } from '../deps.ts';
import { sendAlert } from '#mails/account-mails.ts';
import type { SignedIn } from '../session.ts';

/**
 * Loaded when the first passkey is added or used, because loading takes 70 ms of CPU time and 12 MB in each process.
 */
const webauthn = () => import('@simplewebauthn/server');

/** The time for a ceremony. */
export const CHALLENGE_MS = 10 * 60_000;

/** EdDSA, ES256 and RS256. The keys of ML-DSA, which Node still calls experimental, exceed the length of a field. */
const ALGORITHMS = [-8, -7, -257];

const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

/**
 * What a challenge is for: `add` or `use` with a session, `sign-in` with an interaction or a secret of the browser, `second`
 * with a pending sign-in.
 */
export type Purpose = `${'add' | 'use' | 'sign-in' | 'second'} ${string}`;

/**
 * Whether browsers accept passkeys for AUTH_URL: its host must be a domain, and its pages a secure context (WebAuthn Level 3,
 * section 5.1.3; `http://localhost` is one).
 */
export function acceptsPasskeys({ AUTH_URL }: Pick<Config, 'AUTH_URL'>): boolean {
  const { protocol, hostname } = new URL(AUTH_URL);
  if (isIP(hostname) !== 0 || hostname.startsWith('[')) return false;
  return protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost');
}

/** A challenge that names its expiry and is signed, so that an unused one is stored nowhere. */
function newChallenge({ db, clock }: Deps, purpose: Purpose): string {
  const body = `${clock.now() + CHALLENGE_MS} ${newSecret()}`;
  return `${body} ${db.keyedHash(`passkey challenge ${purpose} ${body}`)}`;
}

/** The expiry of a challenge that `newChallenge` made for a purpose; undefined for another one, and after its expiry. */
function expiryOf({ db, clock }: Deps, purpose: Purpose, encoded: unknown): number | undefined {
  if (typeof encoded !== 'string') return undefined;
  const [expires = '', secret = '', signature = ''] = Buffer.from(encoded, 'base64url').toString().split(' ');
  const isOwn = sameText(signature, db.keyedHash(`passkey challenge ${purpose} ${expires} ${secret}`));
  return isOwn && Number(expires) > clock.now() ? Number(expires) : undefined;
}

const domainOf = ({ config }: Deps): string => new URL(config.AUTH_URL).hostname;

/** The options with which the browser adds a passkey to an account. */
export async function creationOptions(
  deps: Deps,
  { account, uid_hash }: SignedIn,
  passkeys: readonly Passkey[],
): Promise<object> {
  const { generateRegistrationOptions } = await webauthn();
  return await generateRegistrationOptions({
    rpName: deps.config.NETWORK_NAME,
    rpID: domainOf(deps),
    userName: account.name,
    userID: new TextEncoder().encode(account.id),
    challenge: newChallenge(deps, `add ${uid_hash}`),
    timeout: CHALLENGE_MS,
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: passkeys.map(({ id }) => ({ id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
  });
}

/**
 * The options with which the browser uses a passkey (WebAuthn Level 3, section 5.1.8).
 * @param passkeys to choose from; none: any passkey of this service, for a sign-in without a name
 */
export function requestOptions(deps: Deps, purpose: Purpose, passkeys: readonly Passkey[]): object {
  return {
    rpId: domainOf(deps),
    challenge: Buffer.from(newChallenge(deps, purpose)).toString('base64url'),
    timeout: CHALLENGE_MS,
    allowCredentials: passkeys.map(({ id }) => ({ id, type: 'public-key' })),
    // Alone, a passkey is both factors only if the authenticator verifies the person.
    userVerification: purpose.startsWith('sign-in ') ? 'required' : 'preferred',
  };
}

export type NewPasskey = Omit<Passkey, 'name' | 'created' | 'last_used'>;

/** Reads the answer to `creationOptions`. @returns undefined for a wrong one, and the second time */
export async function readCreated(
  deps: Deps,
  { account, uid_hash }: SignedIn,
  credential: string,
): Promise<NewPasskey | undefined> {
  const check = challengeCheck(deps, `add ${uid_hash}`);
  const { verifyRegistrationResponse } = await webauthn();
  const read = await verifyRegistrationResponse({
    response: parse(credential) as RegistrationResponseJSON,
    supportedAlgorithmIDs: ALGORITHMS,
    ...check.expected,
    requireUserVerification: false,
  }).catch(() => undefined);
  if (read?.verified !== true || !(await check.consume())) return undefined;
  const { credential: key, credentialBackedUp, userVerified } = read.registrationInfo;
  // The library passes it on as the browser sent it.
  const transports: unknown = key.transports;
  return {
    id: key.id,
    account_id: account.id,
    public_key: Buffer.from(key.publicKey).toString('base64url'),
    counter: key.counter,
    transports: TRANSPORTS.filter((transport) => Array.isArray(transports) && transports.includes(transport)),
    backed_up: credentialBackedUp,
    user_verified: userVerified,
  };
}

/** A passkey that has just signed. */
export interface UsedPasskey {
  passkey: Passkey;
  /** As read while the account had the passkey. */
  account: Account;
  /** Whether the authenticator has verified the person, by a fingerprint or a PIN: it is both factors then. */
  user_verified: boolean;
}

/**
 * Reads the answer to `requestOptions`, which counts once. A copied passkey, whose counter has not grown, is refused; the audit
 * log gets an entry, and the owner a mail.
 * @returns undefined for a wrong one
 */
export async function readUsed(
  c: Context,
  deps: Deps,
  purpose: Purpose,
  credential: string,
): Promise<UsedPasskey | undefined> {
  const response = parse(credential) as AuthenticationResponseJSON;
  const passkey = await passkeyOf(deps, response);
  const account = passkey && (await accountById(deps.db, passkey.account_id));
  if (passkey === undefined || account === undefined) return undefined;
  const check = challengeCheck(deps, purpose);
  const { verifyAuthenticationResponse } = await webauthn();
  const read = await verifyAuthenticationResponse({
    response,
    ...check.expected,
    // The counter is compared by `recordPasskeyUse`, in one statement with its change.
    credential: {
      id: passkey.id,
      publicKey: Uint8Array.from(Buffer.from(passkey.public_key, 'base64url')),
      counter: 0,
    },
    requireUserVerification: false,
  }).catch(() => undefined);
  if (read?.verified !== true || !(await check.consume())) return undefined;
  const { newCounter: counter, credentialBackedUp: backed_up, userVerified: user_verified } = read.authenticationInfo;
  const use = { counter, backed_up, user_verified };
  if (await recordPasskeyUse(deps.db, deps.clock.now(), passkey.id, use)) return { passkey, account, user_verified };
  reportCopy(c, deps, account, passkey);
  return undefined;
}

/** Whether an account has the passkey of an answer to `creationOptions`: the form was sent again after it was added. */
export async function isAdded(deps: Deps, accountId: string, credential: string): Promise<boolean> {
  return (await passkeyOf(deps, parse(credential)))?.account_id === accountId;
}

/** The passkey that an answer names; its user handle, if the authenticator gives one, must be that of the account. */
async function passkeyOf({ db }: Deps, answer: unknown): Promise<Passkey | undefined> {
  const { id, response } = (answer ?? {}) as Partial<AuthenticationResponseJSON>;
  const passkey = typeof id === 'string' ? await passkeyById(db, id.replaceAll('\0', '')) : undefined;
  if (passkey === undefined) return undefined;
  const handle = (response as { userHandle?: unknown } | null | undefined)?.userHandle ?? undefined;
  const isOwn = handle === undefined || handle === Buffer.from(passkey.account_id).toString('base64url');
  return isOwn ? passkey : undefined;
}

function reportCopy(c: Context, deps: Deps, owner: Account, { name }: Passkey): void {
  recordRefusal(c, deps, owner, { action: 'account.passkey-copy', outcome: 'refused' });
  sendAlert(deps, owner, (texts) => [texts.passkey_cloned_subject, texts.passkey_cloned(name)]);
}

/** What an answer must be for, and its challenge, which is used up after the signature has been checked. */
function challengeCheck(deps: Deps, purpose: Purpose) {
  let [challenge, expires] = ['', 0];
  const expected = {
    expectedOrigin: deps.config.AUTH_URL,
    expectedRPID: domainOf(deps),
    expectedChallenge: (encoded: string): boolean => {
      [challenge, expires] = [encoded, expiryOf(deps, purpose, encoded) ?? 0];
      return expires > 0;
    },
  };
  return { expected, consume: (): Promise<boolean> => consumeChallenge(deps.db, challenge, expires) };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
