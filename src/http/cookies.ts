import type { Context } from 'hono';
import { setCookie } from 'hono/cookie';
import { parse } from 'hono/utils/cookie';
import { chooseLanguage, LANGUAGES, type Language } from './languages.ts';

const YEAR_S = 31_536_000;

/** @param maxAge in seconds */
export const cookieFlags = (secure: boolean, maxAge: number, path = '/') =>
  ({ path, httpOnly: true, sameSite: 'Lax', secure, maxAge }) as const;

/**
 * The name of a cookie. With the prefix `__Host-`, browsers accept it only from this very host; they refuse the prefix over
 * plain http, so it is left out there.
 */
export function hostCookie(name: string, secure: boolean): string {
  return `${secure ? '__Host-' : ''}scorehall_${name}`;
}

/**
 * The session of site and console. Not `session`: sign-in has a cookie of that name, and on one machine all ports share their
 * cookies.
 */
export const SITE_SESSION = 'site_session';

/** The name of a cookie that is bound to a path: browsers accept the prefix `__Secure-` only with `Secure`. */
export function pathCookie(name: string, secure: boolean): string {
  return `${secure ? '__Secure-' : ''}scorehall_${name}`;
}

type LanguageHeaders = Partial<Record<'cookie' | 'accept-language', string>>;

/**
 * The language of a request, by precedence: `?lang=`, the language cookie, `ui_locales`, `Accept-Language`.
 * @param uiLocales `ui_locales` of OpenID Connect
 */
export function requestLanguage(headers: LanguageHeaders, lang: string | undefined, uiLocales?: string): Language {
  const cookies = parse(headers.cookie ?? '');
  const remembered = cookies[hostCookie('language', true)] ?? cookies[hostCookie('language', false)];
  return chooseLanguage([lang, remembered, uiLocales], headers['accept-language']);
}

/** Stores the language of `?lang=` in a cookie, which site, console and sign-in share. */
export function rememberLanguage(c: Context, secure: boolean): void {
  const chosen = LANGUAGES.find((language) => language === c.req.query('lang'));
  if (chosen !== undefined) setCookie(c, hostCookie('language', secure), chosen, cookieFlags(secure, YEAR_S));
}
