import { createHmac, randomBytes } from 'node:crypto';
import { sameText } from '#platform/crypto/secrets.ts';
import { consumeChallenge } from '#store/accounts/used-challenges.ts';
import type { Deps } from '../deps.ts';

/** The time for a ceremony of WebAuthn. */
export const CHALLENGE_MS = 5 * 60_000;
const NONCE_BYTES = 18;

/** What a challenge is for: the answer to one is refused anywhere else. */
export type Purpose =
  | { kind: 'add'; session: string }
  | { kind: 'confirm'; session: string }
  | { kind: 'sign-in'; interaction: string }
  | { kind: 'second'; pending: string };

/**
 * A challenge like `EXPIRES.NONCE.MAC`. The page that asks for a passkey stores nothing, so that a visitor cannot fill the
 * database; a challenge is stored when it is used.
 */
export function newChallenge({ clock, secret }: Deps, purpose: Purpose): string {
  const expires = String(clock.now() + CHALLENGE_MS);
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  return `${expires}.${nonce}.${mac(secret, purpose, expires, nonce)}`;
}

/** Whether this service made the challenge for this purpose, and it has not expired. */
export function isOwnChallenge({ clock, secret }: Deps, purpose: Purpose, challenge: string): boolean {
  const [expires = '', nonce = '', code = ''] = challenge.split('.');
  return sameText(code, mac(secret, purpose, expires, nonce)) && Number(expires) > clock.now();
}

/** Uses a challenge of this service. @returns false if it has been used */
export async function takeChallenge({ db }: Deps, challenge: string): Promise<boolean> {
  return await consumeChallenge(db, challenge, Number(challenge.split('.')[0]));
}

function mac(secret: Deps['secret'], purpose: Purpose, expires: string, nonce: string): string {
  const key = secret.derive('challenges of passkeys');
  return createHmac('sha256', key).update(JSON.stringify([purpose, expires, nonce])).digest('base64url');
}
