import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { Transaction } from '#db/db.ts';
import { type Account, accountById } from '#store/accounts/accounts.ts';
import { endSessions, markMailed } from '#store/accounts/account-sessions.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { cookieFlags, hostCookie } from '#http/cookies.ts';
import { HttpError } from '#http/errors.ts';
import { describeResponse, outgoingOf } from '#http/request-metrics.ts';
import type { Form } from '#http/form.ts';
import { type Context, type Deps, readOwnForm } from './deps.ts';
import type { Methods } from './factors/methods.ts';
import { SessionEnded, type SessionMarks } from './session-marks.ts';

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
  describeResponse(outgoingOf(c), { senders: { account: account.id } });
  return {
    account,
    uid_hash: secretHash(session.uid),
    since: session.loginTs ?? 0,
    methods: (session.amr ?? []) as string[] as unknown as Methods,
  };
}

/** A page for people who are signed in; others are sent to the sign-in. */
export function ifSignedIn(deps: Deps, show: (c: Context, current: SignedIn) => Response | Promise<Response>) {
  return async (c: Context): Promise<Response> => {
    const current = await signedIn(c, deps);
    return current === undefined ? c.redirect('/sign-in', 303) : await show(c, current);
  };
}

/** The form of such a page. */
export function signedInForm(
  deps: Deps,
  act: (c: Context, current: SignedIn, form: Form) => Response | Promise<Response>,
) {
  return async (c: Context): Promise<Response> => {
    const form = await readOwnForm(c, deps);
    return await ifSignedIn(deps, (_, current) => act(c, current, form))(c);
  };
}

/**
 * Starts a new session and ends the previous session of the browser, so that no session id survives a sign-in.
 * @param account as read before the person authenticated
 * @param byMail whether the sign-in began by a mailed link
 * @returns false if all sign-ins of the account have been ended since
 */
export async function signIn(
  c: Context,
  deps: Deps,
  { id: accountId, sign_ins_ended }: Account,
  methods: Methods,
  byMail = false,
): Promise<boolean> {
  await signOut(c, deps);
  const { Session } = deps.provider;
  const session = Object.assign(new Session(), { sign_ins_ended } satisfies SessionMarks);
  session.loginAccount({ accountId, amr: [...methods] });
  const id = await unlessEnded(session.save(deps.config.SESSION_LIFETIME));
  if (id === undefined) return false;
  setSessionCookie(c, deps, id);
  if (byMail) await markMailed(deps.db, secretHash(session.uid), deps.clock.now());
  return true;
}

/**
 * Gives the browser's session a new id, as after each authentication. Its uid stays, by which sign-ins in other tabs know it.
 * @throws HttpError 410 if it has ended, or another request has given it a new id
 */
export async function renewSession(c: Context, deps: Deps): Promise<void> {
  const session = await deps.provider.Session.find(getCookie(c, hostCookie('session', deps.secure)) ?? '');
  session?.resetIdentifier();
  const id = session && (await unlessEnded(session.persist()));
  if (id === undefined)
    throw new HttpError(410, 'expired', 'The session has ended, or has been renewed in another tab.');
  setSessionCookie(c, deps, id);
}

/** The login of an interaction's result. @param account as read before the person authenticated */
export function loginResult({ id, sign_ins_ended }: Account, methods: Methods) {
  return { accountId: id, amr: [...methods], sign_ins_ended };
}

/** The id of a stored session; undefined if it has ended. */
async function unlessEnded(stored: Promise<string>): Promise<string | undefined> {
  return await stored.catch((error: unknown) => {
    if (error instanceof SessionEnded) return undefined;
    throw error;
  });
}

function setSessionCookie(c: Context, { config, secure }: Deps, id: string): void {
  const maxAge = Math.min(config.SESSION_LIFETIME, 400 * 86_400);
  setCookie(c, hostCookie('session', secure), id, cookieFlags(secure, maxAge));
}

/** @param also what else happens in the transaction that ends the session */
export async function signOut(c: Context, deps: Deps, also?: (tx: Transaction) => Promise<void>): Promise<void> {
  const name = hostCookie('session', deps.secure);
  const current = await signedIn(c, deps);
  if (current !== undefined)
    await deps.db.transaction(async (tx) => {
      await endSessions(tx, current.account.id, { only: current.uid_hash });
      await also?.(tx);
    });
  deleteCookie(c, name, { path: '/', secure: deps.secure });
}
