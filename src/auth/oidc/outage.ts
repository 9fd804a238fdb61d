import type { Adapter } from 'oidc-provider';
import { Unavailable } from '#platform/errors.ts';
import { unavailable } from '#http/errors.ts';
import { errors, requestUnderWay } from './oidc-provider.ts';

/**
 * Asks the database on behalf of the protocol, which takes every error that is not of its own kind for a fault of ours: an
 * outage becomes one of that kind. Outside a request of the protocol, on a page of ours for instance, it stays what it is.
 * @throws errors.OIDCProviderError 503 where the database cannot be reached
 */
export async function reportingOutage<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const request = requestUnderWay();
    if (!(error instanceof Unavailable) || request === undefined) throw error;
    request.app.emit('server_error', request, error);
    const refusal = new Unreachable(error);
    request.set(refusal.headers);
    throw refusal;
  }
}

/** RFC 6749 section 4.1.2.1 has the name; an application that is proven already hears of it at its redirect URI. */
class Unreachable extends errors.OIDCProviderError {
  /** The protocol says no more than `server_error` of what is 500 or above, unless it is told to. */
  override expose = true;
  override error_description: string;
  /** Where it comes too late for the protocol's own answer, when a session is kept, Koa takes these into its own. */
  readonly headers: Record<string, string>;

  constructor(cause: Unavailable) {
    const { status, code, message, headers } = unavailable();
    super(status, code, { cause });
    this.error_description = message;
    this.headers = { ...headers };
  }
}

/** An adapter whose every question is asked so. */
export function outageAwareAdapter(adapter: Adapter): Adapter {
  return {
    upsert: (...args) => reportingOutage(adapter.upsert(...args)),
    find: (id) => reportingOutage(adapter.find(id)),
    findByUid: (uid) => reportingOutage(adapter.findByUid(uid)),
    findByUserCode: (code) => reportingOutage(adapter.findByUserCode(code)),
    consume: (id) => reportingOutage(adapter.consume(id)),
    destroy: (id) => reportingOutage(adapter.destroy(id)),
    revokeByGrantId: (grantId) => reportingOutage(adapter.revokeByGrantId(grantId)),
  };
}
