import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { type Account, accountById } from '#records/accounts.ts';
import { endSessions } from '#records/account-sessions.ts';
import { secretHash } from '#base/secrets.ts';
import type { Ask, Desk } from './desk.ts';
import { cookieName } from './provider.ts';

/** Somebody who is signed in in this browser. */
export interface SignedIn {
  account: Account;
  /** The session's, as the list of sessions names it. */
  uid_hash: string;
  /** Epoch seconds. */
  since: number;
}

/** Who is signed in in this browser. The session is the protocol's own, so that one sign-in counts for everything. */
export async function signedIn(c: Ask, desk: Desk): Promise<SignedIn | undefined> {
  const id = getCookie(c, cookieName('session', desk.secure));
  if (id === undefined) return undefined;
  const session = await desk.provider.Session.find(id);
  if (session?.accountId === undefined) return undefined;
  const account = await accountById(desk.db, session.accountId);
  if (account === undefined || account.disabled !== null) return undefined;
  return { account, uid_hash: secretHash(session.uid), since: session.loginTs ?? 0 };
}

/** Signs somebody in under a new session; whatever session the browser had ends. */
export async function signIn(c: Ask, desk: Desk, accountId: string): Promise<void> {
  await signOut(c, desk);
  const { Session } = desk.provider;
  const session = new Session();
  session.loginAccount({ accountId, amr: ['pwd'] });
  const lifetime = desk.config.SESSION_LIFETIME;
  const id = await session.save(lifetime);
  setCookie(c, cookieName('session', desk.secure), id, {
    path: '/',
    httpOnly: true,
    sameSite: 'Lax',
    secure: desk.secure,
    maxAge: Math.min(lifetime, 400 * 86_400),
  });
}

export async function signOut(c: Ask, desk: Desk): Promise<void> {
  const name = cookieName('session', desk.secure);
  const current = await signedIn(c, desk);
  if (current !== undefined) await endSessions(desk.db, current.account.id, { only: current.uid_hash });
  deleteCookie(c, name, { path: '/', secure: desk.secure });
}
