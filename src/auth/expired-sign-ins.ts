import { getCookie, setCookie } from 'hono/cookie';
import { cookieFlags, hostCookie } from '#http/cookies.ts';
import { type Application, applicationByClientId } from '#store/applications/applications.ts';
import type { Context, Deps } from './deps.ts';
import type { Texts } from './texts/index.ts';

const WEEK_S = 7 * 86_400;
/** Of several tabs; the id of a sign-in is a secret, so the cookie has its beginning. */
const MAX_REMEMBERED = 5;

interface SignIn {
  uid: string;
  application: Application;
  redirectUri: string;
}

/** The cookie with the applications of the last sign-ins of this browser: their rows are gone when a page has expired. */
export const applicationsCookie = (secure: boolean): string => hostCookie('applications', secure);

/** Remembers the application of a sign-in by its Client ID and the number of its redirect URI. */
export function rememberApplication(c: Context, { secure }: Deps, { uid, application, redirectUri }: SignIn): void {
  const entry = `${uid.slice(0, 8)}.${application.client_id}.${application.redirect_uris.indexOf(redirectUri)}`;
  const earlier = (getCookie(c, applicationsCookie(secure)) ?? '')
    .split('~')
    .filter((other) => other !== '' && other !== entry);
  const entries = [entry, ...earlier].slice(0, MAX_REMEMBERED);
  setCookie(c, applicationsCookie(secure), entries.join('~'), cookieFlags(secure, WEEK_S));
}

export interface ExpiredSignIn {
  sentence: string;
  /** Back to the application. */
  link?: { href: string; label: string };
}

/**
 * What the page of an expired sign-in says about its application. Only registered addresses are linked: the front page of an
 * origin, or the redirect URI of an own scheme.
 */
export async function expiredSignIn(
  { db }: Pick<Deps, 'db'>,
  { problem: t }: Texts,
  path: string,
  cookie = '',
): Promise<ExpiredSignIn> {
  const id = /^\/(?:sign-in|oauth\/authorize)\/([\w-]{8})/.exec(path)?.[1];
  const entry = cookie.split('~').find((one) => id !== undefined && one.startsWith(`${id}.`));
  const [, clientId = '', index] = /^.{8}\.([\w-]+)\.(\d+|-1)$/.exec(entry ?? '') ?? [];
  const application = clientId === '' ? undefined : await applicationByClientId(db, clientId);
  // A suspended one would refuse the sign-in, and its address may show anything.
  if (application === undefined || application.suspended !== null) return { sentence: t.expired };
  const { name, redirect_uris } = application;
  const uri = URL.parse(redirect_uris[Number(index)] ?? '');
  const sentence = t.expired_at(name);
  if (uri === null) return { sentence };
  const isWeb = /^https?:$/.test(uri.protocol);
  const label = t.back_to(name, isWeb ? uri.host : uri.protocol);
  return { sentence, link: { href: isWeb ? `${uri.origin}/` : uri.href, label } };
}
