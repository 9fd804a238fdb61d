import type { Adapter } from 'oidc-provider';
import { Unavailable } from '#platform/errors.ts';
import { unavailable } from '#http/errors.ts';
import { errors, currentRequest } from './oidc-provider.ts';

/**
 * Translates a database outage into an error of oidc-provider, which answers any other error with a 500. Outside a request
 * to oidc-provider, for example on an account page, the error passes unchanged.
 * @throws errors.OIDCProviderError 503 if the database cannot be reached
 */
export async function translateOutage<T>(query: Promise<T>): Promise<T> {
  try {
    return await query;
  } catch (error) {
    const request = currentRequest();
    if (!(error instanceof Unavailable) || request === undefined) throw error;
    request.app.emit('server_error', request, error);
    const outage = databaseUnavailable(error);
    request.set(outage.headers);
    throw outage;
  }
}

/**
 * `temporarily_unavailable` of RFC 6749 section 4.1.2.1. oidc-provider sends it to the redirect URI if client and redirect
 * URI have been validated already.
 */
function databaseUnavailable(cause: Unavailable) {
  const { status, code, message, headers } = unavailable();
  return Object.assign(new errors.OIDCProviderError(status, code, { cause }), {
    // Without `expose` oidc-provider reports a status of 500 and above as `server_error` without a description.
    expose: true,
    error_description: message,
    // Koa sends these if the error comes after oidc-provider's own error handling, while it saves the session.
    headers: { ...headers },
  });
}

/** Wraps every method of an adapter in `translateOutage`. */
export function outageAwareAdapter(adapter: Adapter): Adapter {
  return {
    upsert: (...args) => translateOutage(adapter.upsert(...args)),
    find: (id) => translateOutage(adapter.find(id)),
    findByUid: (uid) => translateOutage(adapter.findByUid(uid)),
    findByUserCode: (code) => translateOutage(adapter.findByUserCode(code)),
    consume: (id) => translateOutage(adapter.consume(id)),
    destroy: (id) => translateOutage(adapter.destroy(id)),
    revokeByGrantId: (grantId) => translateOutage(adapter.revokeByGrantId(grantId)),
  };
}
