import type { IncomingMessage, ServerResponse } from 'node:http';
import { notFound, HttpError } from '#http/errors.ts';

/**
 * The methods of each endpoint; those that web applications call from elsewhere have OPTIONS. OpenID Connect Core section
 * 3.1.2.1 has authorization and signing out by POST as well, which another site's form could send with the cookies of the
 * session only if these were `SameSite=None`.
 */
const METHODS: Readonly<Record<string, string>> = {
  '/.well-known/openid-configuration': 'GET, HEAD, OPTIONS',
  '/.well-known/oauth-authorization-server': 'GET, HEAD, OPTIONS',
  '/oauth/authorize': 'GET, HEAD',
  '/oauth/introspect': 'POST, OPTIONS',
  '/oauth/jwks': 'GET, HEAD, OPTIONS',
  '/oauth/logout': 'GET, HEAD',
  '/oauth/logout/confirm': 'POST',
  '/oauth/logout/success': 'GET, HEAD',
  '/oauth/par': 'POST, OPTIONS',
  '/oauth/revoke': 'POST, OPTIONS',
  '/oauth/token': 'POST, OPTIONS',
  '/oauth/userinfo': 'GET, HEAD, POST, OPTIONS',
};

/** Where a browser comes back to from the pages of an authorization, which the protocol tells by its cookie. */
const RESUMED = /^\/oauth\/authorize\/[^/]+$/;

/**
 * Answers who asks which methods an endpoint has, which the protocol does for preflights only.
 * @returns false where the protocol has to answer
 * @throws HttpError 404 where there is no endpoint, 405 for a method that it does not have
 */
export function allowsMethod({ method = '', url = '', headers }: IncomingMessage, response: ServerResponse): boolean {
  const path = pathOf(url);
  const allow = METHODS[path];
  if (allow === undefined) {
    if (RESUMED.test(path)) return false;
    throw notFound(`There is no such endpoint; there are ${Object.keys(METHODS).join(', ')}.`);
  }
  if (!allow.split(', ').includes(method))
    throw new HttpError(405, 'method_not_allowed', `Only ${allow} is allowed here.`, { allow });
  if (method !== 'OPTIONS' || headers['access-control-request-method'] !== undefined) return false;
  response.writeHead(204, { allow }).end();
  return true;
}

/** As the protocol's router compares paths: in any case, with or without a slash at the end. */
function pathOf(url: string): string {
  return url.split('?', 1)[0]!.toLowerCase().replace(/\/$/, '');
}
