import { VersionedCache } from '#access/versioned-cache.ts';
import type { Body } from './answer.ts';
import type { ReceivedRequest } from './request-context.ts';

const ENTRIES = 2_500;
const MAX_BYTES = 16 * 1024;

/** A target that may hold a credential, which a percent sign may hide: it is no key of the cache. */
const CREDENTIALS = /access_token|client_id|%/;

/**
 * Bodies of endpoints that depend on nothing but the target and the data, by target (path and query). Each endpoint names
 * the data version under which its bodies hold, see `Endpoint.cachedUnder`; the cache of a version is empty once it moves.
 */
export class ResponseCache {
  readonly #bodies = { anything: new VersionedCache<Body>(ENTRIES), matches: new VersionedCache<Body>(ENTRIES) };

  get({ target, route, versions }: ReceivedRequest): Body | undefined {
    const version = route?.endpoint.cachedUnder;
    return version && this.#bodies[version].get(target, versions[version]);
  }

  set({ target, route, versions }: ReceivedRequest, body: Body): void {
    const version = route?.endpoint.cachedUnder;
    if (version === undefined || body.length > MAX_BYTES || CREDENTIALS.test(target)) return;
    this.#bodies[version].set(target, body, versions[version]);
  }
}
