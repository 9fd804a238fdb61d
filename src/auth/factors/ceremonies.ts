import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { newSecret, sameText } from '#platform/crypto/secrets.ts';
import type { Account } from '#store/accounts/accounts.ts';
import { type Passkey, passkeyById, recordPasskeyUse } from '#store/accounts/passkeys.ts';
import { consumeChallenge } from '#store/accounts/used-challenges.ts';
import type { Deps } from '../deps.ts';

/** The time for a ceremony. */
const CHALLENGE_MS = 10 * 60_000;

const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

type Purpose = `${'add' | 'use'} ${string}`;

/** A challenge that names its expiry and is signed, so that an unused one is stored nowhere. */
function newChallenge({ db, clock }: Deps, purpose: Purpose): Uint8Array<ArrayBuffer> {
  const body = `${clock.now() + CHALLENGE_MS} ${newSecret()}`;
  return new TextEncoder().encode(`${body} ${db.keyedHash(`passkey challenge ${purpose} ${body}`)}`);
}

/** The expiry of a challenge that `newChallenge` made for a purpose; undefined for another one, and after its expiry. */
function expiryOf({ db, clock }: Deps, purpose: Purpose, encoded: string): number | undefined {
  const [expires = '', secret = '', signature = ''] = Buffer.from(encoded, 'base64url').toString().split(' ');
  const isOwn = sameText(signature, db.keyedHash(`passkey challenge ${purpose} ${expires} ${secret}`));
  return isOwn && Number(expires) > clock.now() ? Number(expires) : undefined;
}

const domainOf = ({ config }: Deps): string => new URL(config.AUTH_URL).hostname;

/** The options with which the browser adds a passkey to an account. */
export async function creationOptions(deps: Deps, account: Account, passkeys: readonly Passkey[]): Promise<object> {
  return await generateRegistrationOptions({
    rpName: deps.config.NETWORK_NAME,
    rpID: domainOf(deps),
    userName: account.name,
    userID: new TextEncoder().encode(account.id),
    challenge: newChallenge(deps, `add ${account.id}`),
    excludeCredentials: passkeys.map(({ id }) => ({ id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
  });
}

/** The options with which the browser uses a passkey of an account. */
export async function requestOptions(deps: Deps, accountId: string, passkeys: readonly Passkey[]): Promise<object> {
  return await generateAuthenticationOptions({
    rpID: domainOf(deps),
    challenge: newChallenge(deps, `use ${accountId}`),
    allowCredentials: passkeys.map(({ id }) => ({ id })),
    userVerification: 'preferred',
  });
}

export type NewPasskey = Omit<Passkey, 'name' | 'created' | 'last_used'>;

/** Reads the answer to `creationOptions`. @returns undefined for a wrong one, and the second time */
export async function readCreated(deps: Deps, accountId: string, credential: string): Promise<NewPasskey | undefined> {
  const check = new ChallengeCheck(deps, `add ${accountId}`);
  const read = await verifyRegistrationResponse({
    response: parse(credential) as RegistrationResponseJSON,
    ...check.expected,
    requireUserVerification: false,
  }).catch(() => undefined);
  if (read?.verified !== true || !(await check.consume())) return undefined;
  const { credential: key, credentialBackedUp, userVerified } = read.registrationInfo;
  return {
    id: key.id,
    account_id: accountId,
    public_key: Buffer.from(key.publicKey).toString('base64url'),
    counter: key.counter,
    transports: TRANSPORTS.filter((transport) => (key.transports as string[] | undefined)?.includes(transport)),
    backed_up: credentialBackedUp,
    user_verified: userVerified,
  };
}

/** Whether the answer to `requestOptions` is right; it counts once. */
export async function isUsed(deps: Deps, accountId: string, credential: string): Promise<boolean> {
  const response = parse(credential) as AuthenticationResponseJSON;
  const id = (response as Partial<AuthenticationResponseJSON> | null)?.id;
  const passkey = typeof id === 'string' ? await passkeyById(deps.db, id) : undefined;
  if (passkey?.account_id !== accountId) return false;
  const check = new ChallengeCheck(deps, `use ${accountId}`);
  const read = await verifyAuthenticationResponse({
    response,
    ...check.expected,
    credential: {
      id: passkey.id,
      publicKey: Uint8Array.from(Buffer.from(passkey.public_key, 'base64url')),
      counter: passkey.counter,
    },
    requireUserVerification: false,
  }).catch(() => undefined);
  if (read?.verified !== true || !(await check.consume())) return false;
  const { newCounter: counter, credentialBackedUp: backed_up, userVerified: user_verified } = read.authenticationInfo;
  return await recordPasskeyUse(deps.db, deps.clock.now(), passkey.id, { counter, backed_up, user_verified });
}

/** What an answer must be for, and its challenge, which is used up after the signature has been checked. */
class ChallengeCheck {
  readonly #deps: Deps;
  readonly #purpose: Purpose;
  #challenge = '';
  #expires = 0;

  constructor(deps: Deps, purpose: Purpose) {
    this.#deps = deps;
    this.#purpose = purpose;
  }

  get expected() {
    return {
      expectedOrigin: this.#deps.config.AUTH_URL,
      expectedRPID: domainOf(this.#deps),
      expectedChallenge: (challenge: string): boolean => {
        const expires = expiryOf(this.#deps, this.#purpose, challenge);
        [this.#challenge, this.#expires] = [challenge, expires ?? 0];
        return expires !== undefined;
      },
    };
  }

  consume = (): Promise<boolean> => consumeChallenge(this.#deps.db, this.#challenge, this.#expires);
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
