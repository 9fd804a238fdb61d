import { isIP } from 'node:net';
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { z } from 'zod';
import type { Config } from '#platform/config/config.ts';
import { type Passkey, passkeyById, recordPasskeyUse } from '#store/accounts/passkeys.ts';
import type { Deps } from '../deps.ts';
import type { SignedIn } from '../session.ts';
import { CHALLENGE_MS, isOwnChallenge, newChallenge, type Purpose, takeChallenge } from './challenges.ts';

/**
 * Whether browsers accept passkeys for AUTH_URL: its host must be a domain, and the page a secure context (WebAuthn Level 3,
 * section 5.1.3; `http://localhost` is one).
 */
export function acceptsPasskeys({ AUTH_URL }: Pick<Config, 'AUTH_URL'>): boolean {
  const { protocol, hostname } = new URL(AUTH_URL);
  if (isIP(hostname) !== 0 || hostname.startsWith('[')) return false;
  return protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost');
}

const rpId = ({ config }: Deps): string => new URL(config.AUTH_URL).hostname;

/** The user handle of an account, which a passkey gives back at a sign-in without a name. */
const userHandle = (accountId: string): string => Buffer.from(accountId).toString('base64url');

/** Options for `navigator.credentials.create()` as JSON. @param passkeys of the account, which its devices must not repeat */
export async function creationOptions(deps: Deps, current: SignedIn, passkeys: readonly Passkey[]): Promise<object> {
  const { account, uid_hash } = current;
  return await generateRegistrationOptions({
    rpName: deps.config.NETWORK_NAME,
    rpID: rpId(deps),
    userName: account.name,
    userID: new Uint8Array(Buffer.from(account.id)),
    challenge: bytes(newChallenge(deps, { kind: 'add', session: uid_hash })),
    timeout: CHALLENGE_MS,
    attestationType: 'none',
    excludeCredentials: passkeys.map(descriptor),
    authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
  });
}

/**
 * Options for `navigator.credentials.get()` as JSON.
 * @param passkeys to choose from; none: any of this service, for a sign-in without a name
 */
export async function requestOptions(deps: Deps, purpose: Purpose, passkeys: readonly Passkey[]): Promise<object> {
  return await generateAuthenticationOptions({
    rpID: rpId(deps),
    challenge: bytes(newChallenge(deps, purpose)),
    timeout: CHALLENGE_MS,
    allowCredentials: passkeys.map(descriptor),
    // Alone, a passkey is both factors only if the authenticator verifies the person.
    userVerification: purpose.kind === 'sign-in' ? 'required' : 'preferred',
  });
}

const bytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text));
const text = (base64url: string): string => Buffer.from(base64url, 'base64url').toString();

const descriptor = ({ id, transports }: Passkey): { id: string; transports: never } => ({
  id,
  // A list of any strings: browsers ignore those that they do not know (WebAuthn Level 3, section 5.8.4).
  transports: transports as never,
});

type NewPasskey = Pick<Passkey, 'id' | 'public_key' | 'counter' | 'transports' | 'backed_up' | 'user_verified'>;

/** A part of the response that the library reads before it verifies the rest. */
const RESPONSE = z.looseObject({ id: z.string().max(1_400), response: z.looseObject({ clientDataJSON: z.string() }) });

/** Verifies the answer to `creationOptions`, the JSON text of a credential. @returns undefined if it is not valid */
export async function verifyNewPasskey(
  deps: Deps,
  { uid_hash }: SignedIn,
  credential: string,
): Promise<NewPasskey | undefined> {
  const response = parseCredential<RegistrationResponseJSON>(credential);
  if (response === undefined) return undefined;
  let challenge = '';
  const expectedChallenge = (encoded: string): boolean => {
    challenge = text(encoded);
    return isOwnChallenge(deps, { kind: 'add', session: uid_hash }, challenge);
  };
  const verification = await verifyRegistrationResponse({
    response,
    expectedChallenge,
    expectedOrigin: new URL(deps.config.AUTH_URL).origin,
    expectedRPID: rpId(deps),
    requireUserVerification: false,
  }).catch(refused(deps));
  if (verification?.verified !== true || !(await takeChallenge(deps, challenge))) return undefined;
  const { credential: created, credentialBackedUp, userVerified } = verification.registrationInfo;
  return {
    id: created.id,
    public_key: Buffer.from(created.publicKey).toString('base64url'),
    counter: created.counter,
    transports: (created.transports ?? []).slice(0, 8).map((name) => String(name).slice(0, 32)),
    backed_up: credentialBackedUp,
    user_verified: userVerified,
  };
}

/** A passkey that has just signed. */
export interface UsedPasskey {
  passkey: Passkey;
  /** Whether the authenticator has verified the person, by a fingerprint or a PIN: it is both factors then. */
  user_verified: boolean;
}

/**
 * Verifies the answer to `requestOptions`, and records the use of the passkey.
 * @returns undefined if it is not valid; 'cloned' with the passkey if its counter has not grown (section 6.1.1)
 */
export async function verifyPasskey(
  deps: Deps,
  purpose: Purpose,
  credential: string,
): Promise<UsedPasskey | { cloned: Passkey } | undefined> {
  const response = parseCredential<AuthenticationResponseJSON>(credential);
  const passkey = response && (await passkeyById(deps.db, response.id));
  if (passkey === undefined || !isOwnHandle(response!, passkey)) return undefined;
  let challenge = '';
  const expectedChallenge = (encoded: string): boolean => {
    challenge = text(encoded);
    return isOwnChallenge(deps, purpose, challenge);
  };
  const verification = await verifyAuthenticationResponse({
    response: response!,
    expectedChallenge,
    expectedOrigin: new URL(deps.config.AUTH_URL).origin,
    expectedRPID: rpId(deps),
    requireUserVerification: false,
    // The counter is compared by `recordPasskeyUse`, in one statement with its change.
    credential: { id: passkey.id, publicKey: new Uint8Array(Buffer.from(passkey.public_key, 'base64url')), counter: 0 },
  }).catch(refused(deps));
  if (verification?.verified !== true || !(await takeChallenge(deps, challenge))) return undefined;
  const { newCounter, credentialBackedUp, userVerified } = verification.authenticationInfo;
  const use = { counter: newCounter, backed_up: credentialBackedUp, user_verified: userVerified };
  if (!(await recordPasskeyUse(deps.db, deps.clock.now(), passkey.id, use))) return { cloned: passkey };
  return { passkey, user_verified: userVerified };
}

function isOwnHandle({ response }: AuthenticationResponseJSON, { account_id }: Passkey): boolean {
  return response.userHandle === undefined || response.userHandle === userHandle(account_id);
}

function parseCredential<T>(credential: string): T | undefined {
  try {
    return RESPONSE.parse(JSON.parse(credential)) as T;
  } catch {
    return undefined;
  }
}

/** The library throws for every response that is not valid, in whatever way. */
const refused =
  ({ log }: Deps) =>
  (error: unknown): undefined => {
    log.debug({ err: error }, 'passkey refused');
  };
