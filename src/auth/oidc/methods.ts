import type { IncomingMessage, ServerResponse } from 'node:http';
import { notFound, HttpError } from '#http/errors.ts';
import { describeResponse } from '#http/request-metrics.ts';

/** The methods of each endpoint. Endpoints that web applications call from another origin have OPTIONS. */
const METHODS: Readonly<Record<string, string>> = {
  '/.well-known/openid-configuration': 'GET, HEAD, OPTIONS',
  '/.well-known/oauth-authorization-server': 'GET, HEAD, OPTIONS',
  '/oauth/authorize': 'GET, HEAD, POST',
  '/oauth/introspect': 'POST, OPTIONS',
  '/oauth/jwks': 'GET, HEAD, OPTIONS',
  '/oauth/logout': 'GET, HEAD, POST',
  '/oauth/logout/confirm': 'POST',
  '/oauth/logout/success': 'GET, HEAD',
  '/oauth/par': 'POST, OPTIONS',
  '/oauth/revoke': 'POST, OPTIONS',
  '/oauth/token': 'POST, OPTIONS',
  '/oauth/userinfo': 'GET, HEAD, POST, OPTIONS',
};

/** The URL at which oidc-provider resumes an authorization after the pages; it identifies the request by its cookie. */
const RESUME = /^\/oauth\/authorize\/[^/]+$/;

/**
 * Checks the method, and answers OPTIONS requests that are not CORS preflights; oidc-provider answers only preflights.
 * @returns true if the request has been answered, false if oidc-provider has to answer it
 * @throws HttpError 404 for an unknown endpoint, 405 with `Allow` for a method that the endpoint does not have
 */
export function allowsMethod({ method = '', url = '', headers }: IncomingMessage, response: ServerResponse): boolean {
  const path = normalisedPath(url);
  const allow = METHODS[path];
  if (allow === undefined) {
    if (RESUME.test(path)) {
      describeResponse(response, { route: '/oauth/authorize/:uid' });
      return false;
    }
    throw notFound(`There is no such endpoint. The endpoints are ${Object.keys(METHODS).join(', ')}.`);
  }
  describeResponse(response, { route: path });
  if (!allow.split(', ').includes(method))
    throw new HttpError(405, 'method_not_allowed', `This endpoint allows only ${allow}.`, { allow });
  if (method !== 'OPTIONS' || headers['access-control-request-method'] !== undefined) return false;
  response.writeHead(204, { allow }).end();
  return true;
}

/** Names that other services give to the endpoints. */
const ALIASES: Readonly<Record<string, string>> = {
  authorization: '/oauth/authorize',
  access_token: '/oauth/token',
  certs: '/oauth/jwks',
  revocation: '/oauth/revoke',
  introspection: '/oauth/introspect',
};
const ENDPOINTS = [...Object.keys(METHODS), '/oauth/tokeninfo'].filter((path) => !/confirm|success/.test(path));
const BY_NAME = new Map([
  ...ENDPOINTS.map((path) => [path.split('/').at(-1)!, path] as const),
  ...Object.entries(ALIASES),
]);
const WRONG_PATH =
  /^(?:\/(?:api|auth|oauth2?|oidc|openid|openid-connect|connect|login|protocol|v\d|\.well-known))*\/([\w-]+)(?:\.json)?$/;

/** @throws HttpError 404 for a path that other services have for an endpoint (`/token`, `/oauth2/token`); it names ours */
export function refuseWrongPath(url: string): void {
  const path = normalisedPath(url);
  const meant = BY_NAME.get(WRONG_PATH.exec(path)?.[1] ?? '');
  if (meant !== undefined && meant !== path) throw notFound(`There is no ${path} here. The endpoint is ${meant}.`);
}

/** Normalises the path like oidc-provider's router, which ignores case and a trailing slash. */
export function normalisedPath(url: string): string {
  return url.split('?', 1)[0]!.toLowerCase().replace(/\/$/, '');
}
