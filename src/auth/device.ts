import { getCookie, setCookie } from 'hono/cookie';
import { cookieFlags, hostCookie } from '#http/cookies.ts';
import type { Queryable } from '#db/db.ts';
import { newSecret } from '#platform/crypto/secrets.ts';
import { DEVICE_LIFETIME_MS, isKnownDevice, rememberDevice } from '#store/accounts/known-devices.ts';
import type { Context, Deps } from './deps.ts';

/** The cookie by which a browser that has signed in is known; it is no credential. */
export function deviceCookie(c: Context, { secure }: Deps): string | undefined {
  return getCookie(c, hostCookie('device', secure));
}

/** Whether this browser has signed in to the account before. */
export async function isOwnDevice(c: Context, deps: Deps, accountId: string): Promise<boolean> {
  const secret = deviceCookie(c, deps);
  return secret !== undefined && (await isKnownDevice(deps.db.shortReads, deps.clock.now(), accountId, secret));
}

/** Remembers this browser after the person has proved to own the account. All accounts of a browser share its cookie. */
export async function rememberThisDevice(c: Context, deps: Deps, tx: Queryable, accountId: string): Promise<void> {
  const secret = browserSecret(c, deps, 'device', DEVICE_LIFETIME_MS / 1000);
  await rememberDevice(tx, deps.clock.now(), accountId, secret);
}

/** The secret in a cookie of this browser; a new one if it has none. Prolongs the cookie. @param maxAge in seconds */
export function browserSecret(c: Context, { secure }: Deps, cookie: string, maxAge: number): string {
  const name = hostCookie(cookie, secure);
  const current = getCookie(c, name) ?? '';
  const secret = /^[\w-]{43}$/.test(current) ? current : newSecret();
  setCookie(c, name, secret, cookieFlags(secure, maxAge));
  return secret;
}
