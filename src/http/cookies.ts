import type { Context } from 'hono';
import { setCookie } from 'hono/cookie';
import { parse } from 'hono/utils/cookie';
import { chooseLanguage, LANGUAGES, type Language } from './languages.ts';

const LANGUAGE_COOKIE = 'scorehall_language';
const YEAR_S = 31_536_000;

interface CookieFlags {
  path: string;
  httpOnly: true;
  sameSite: 'Lax';
  secure: boolean;
  maxAge: number;
}

/** The flags of every cookie of ours. */
export function cookieFlags(secure: boolean, maxAge: number, path = '/'): CookieFlags {
  return { path, httpOnly: true, sameSite: 'Lax', secure, maxAge };
}

/** The prefix tells browsers that no other host may set the cookie; over plain http they would refuse the name. */
export function hostCookie(name: string, secure: boolean): string {
  return `${secure ? '__Host-' : ''}scorehall_${name}`;
}

interface LanguageHeaders {
  cookie?: string | undefined;
  'accept-language'?: string | undefined;
}

/**
 * The language of a request: `?lang=`, then the earlier choice, then what an application asks for, then the browser.
 * @param uiLocales `ui_locales` of OpenID Connect
 */
export function requestLanguage(headers: LanguageHeaders, lang: string | undefined, uiLocales?: string): Language {
  const remembered = parse(headers.cookie ?? '', LANGUAGE_COOKIE)[LANGUAGE_COOKIE];
  return chooseLanguage([lang, remembered, uiLocales], headers['accept-language']);
}

/** Remembers the language that a link has chosen, for site, console and sign-in alike. */
export function rememberLanguage(c: Context, secure: boolean): void {
  const chosen = LANGUAGES.find((language) => language === c.req.query('lang'));
  if (chosen !== undefined) setCookie(c, LANGUAGE_COOKIE, chosen, cookieFlags(secure, YEAR_S));
}
