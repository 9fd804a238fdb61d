import { VersionedCache } from './versioned-cache.ts';
import type { Body } from './response.ts';
import type { ReceivedRequest } from './request-context.ts';

const ENTRIES = 2_500;
const MAX_BYTES = 16 * 1024;

/** A target that may hold a credential, which a percent sign may hide: it is no key of the cache. */
const CREDENTIALS = /access_token|client_id|%/;

/** Distinct targets among which a second request counts as a repetition. */
const RECENT = 300;

class Bodies {
  readonly cache = new VersionedCache<Body>(ENTRIES);
  readonly recent = new VersionedCache<true>(RECENT);
}

/**
 * Bodies of endpoints that depend on nothing but the target and the data, by target (path and query). Each endpoint names
 * the data version under which its bodies hold, see `Endpoint.cachedUnder`; the cache of a version is empty once it moves.
 *
 * A body is admitted on the second request of its target: storing every body of requests that nobody repeats costs 30 % of
 * their CPU time and 140 MB of memory.
 */
export class ResponseCache {
  readonly #bodies = { anything: new Bodies(), matches: new Bodies() };

  get({ target, route, versions }: ReceivedRequest): Body | undefined {
    const name = route?.endpoint.cachedUnder;
    return name && this.#bodies[name].cache.get(target, versions[name]);
  }

  set({ target, route, versions }: ReceivedRequest, body: Body): void {
    const name = route?.endpoint.cachedUnder;
    if (name === undefined || body.length > MAX_BYTES || CREDENTIALS.test(target)) return;
    const { cache, recent } = this.#bodies[name];
    const version = versions[name];
    if (recent.get(target, version)) cache.set(target, body, version);
    else recent.set(target, true, version);
  }
}
