import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { type Account, accountById } from '#store/accounts/accounts.ts';
import { endSessions, markMailed } from '#store/accounts/account-sessions.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { cookieFlags, hostCookie } from '#http/cookies.ts';
import { outgoingOf, setSenders } from '#http/request-metrics.ts';
import type { Context, Deps } from './deps.ts';
import { rememberThisDevice } from './device.ts';
import type { Methods } from './factors/methods.ts';

/** The account that is signed in in this browser. */
export interface SignedIn {
  account: Account;
  /** Hash of the session's uid, which identifies it in the list of sessions. */
  uid_hash: string;
  /** Time of the sign-in, in epoch seconds. */
  since: number;
  /** How the person authenticated at the sign-in. */
  methods: Methods;
}

/** Reads oidc-provider's own session, so that the account pages and applications share one sign-in. */
export async function signedIn(c: Context, deps: Deps): Promise<SignedIn | undefined> {
  const id = getCookie(c, hostCookie('session', deps.secure));
  if (id === undefined) return undefined;
  const session = await deps.provider.Session.find(id);
  if (session?.accountId === undefined) return undefined;
  const account = await accountById(deps.db.shortReads, session.accountId);
  if (account === undefined || account.disabled !== null) return undefined;
  setSenders(outgoingOf(c), { account: account.id });
  return {
    account,
    uid_hash: secretHash(session.uid),
    since: session.loginTs ?? 0,
    methods: (session.amr ?? []) as string[] as unknown as Methods,
  };
}

/**
 * Starts a new session and ends the previous session of the browser, so that no session id survives a sign-in.
 * @param byMail whether the sign-in began by a mailed link
 */
export async function signIn(
  c: Context,
  deps: Deps,
  accountId: string,
  methods: Methods,
  byMail = false,
): Promise<void> {
  await signOut(c, deps);
  await rememberThisDevice(c, deps, accountId);
  const { Session } = deps.provider;
  const session = new Session();
  session.loginAccount({ accountId, amr: [...methods] });
  setSessionCookie(c, deps, await session.save(deps.config.SESSION_LIFETIME));
  if (byMail) await markMailed(deps.db, secretHash(session.uid), deps.clock.now());
}

/** Gives the browser's session a new id, as after each authentication. Its uid stays, by which sign-ins in other tabs know it. */
export async function renewSession(c: Context, deps: Deps): Promise<void> {
  const id = getCookie(c, hostCookie('session', deps.secure)) ?? '';
  const session = await deps.provider.Session.find(id);
  if (session === undefined) return;
  session.resetIdentifier();
  setSessionCookie(c, deps, await session.persist());
}

function setSessionCookie(c: Context, { config, secure }: Deps, id: string): void {
  const maxAge = Math.min(config.SESSION_LIFETIME, 400 * 86_400);
  setCookie(c, hostCookie('session', secure), id, cookieFlags(secure, maxAge));
}

export async function signOut(c: Context, deps: Deps): Promise<void> {
  const name = hostCookie('session', deps.secure);
  const current = await signedIn(c, deps);
  if (current !== undefined) await endSessions(deps.db, current.account.id, { only: current.uid_hash });
  deleteCookie(c, name, { path: '/', secure: deps.secure });
}
