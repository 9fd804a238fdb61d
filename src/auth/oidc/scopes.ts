import type { KoaContextWithOIDC } from 'oidc-provider';

/** The scopes that a person consents to. */
export const SCOPES = ['openid', 'profile', 'email'] as const;

/**
 * The scope with which OpenID Connect Core (section 11) asks for a refresh token. It has no effect, because every code
 * exchange returns one, so it needs no consent. It is granted because some clients end the sign-in without it.
 */
export const OFFLINE_ACCESS = 'offline_access';

/**
 * Adjusts the parameters of an authorization request. A request without a scope gets `openid`; RFC 6749 section 3.3 lets the
 * server choose a default. A `nonce` without `openid` is dropped: it belongs to the ID token, which the request does not ask
 * for, and libraries send it anyway.
 */
export function adjustQuery(ctx: KoaContextWithOIDC): void {
  const { client_id, scope, request_uri } = ctx.query;
  if (client_id === undefined || request_uri !== undefined) return;
  if (scope === undefined) ctx.query = { ...ctx.query, scope: 'openid' };
  else if (!scopesIn(scope).includes('openid')) {
    const { nonce: _, ...rest } = ctx.query;
    ctx.query = rest;
  }
}

/** The same for the form of a pushed authorization request. */
export function adjustPushedForm(form: URLSearchParams): void {
  const scope = form.get('scope');
  if (scope === null) form.set('scope', 'openid');
  else if (!scopesIn(scope).includes('openid')) form.delete('nonce');
}

/**
 * Puts `offline_access` back into the requested scopes: oidc-provider removes it from a request without `prompt=consent`.
 * It is the validator of an additional parameter, `offline_access`, in which a pushed request remembers the scope until
 * the authorization.
 */
export function keepOfflineAccess({ oidc, query }: KoaContextWithOIDC, remembered: string | undefined): void {
  const params = oidc.params!;
  const requested = oidc.route === 'pushed_authorization_request' ? oidc.body?.['scope'] : query['scope'];
  if (remembered === undefined && !scopesIn(requested).includes(OFFLINE_ACCESS)) return;
  params[OFFLINE_ACCESS] = '1';
  params['scope'] = [...new Set([...scopesIn(params['scope']), OFFLINE_ACCESS])].join(' ');
}

/** The scopes of a request that a person has to consent to. */
export function scopesToConsent(requested: Iterable<string>): string[] {
  return [...requested].filter((scope) => scope !== OFFLINE_ACCESS);
}

function scopesIn(scope: unknown): string[] {
  return typeof scope === 'string' ? scope.split(' ').filter((name) => name !== '') : [];
}
