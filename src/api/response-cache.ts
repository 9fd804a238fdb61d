import { VersionedCache } from './versioned-cache.ts';
import type { Body } from './response.ts';
import type { ReceivedRequest } from './request-stages.ts';

const ENTRIES = 2_500;
const MAX_BYTES = 16 * 1024;

/** Targets that may contain a credential, also percent-encoded, are not cached: the cache must not hold credentials. */
const CREDENTIALS = /access_token|client_id|%/;

/** A body is cached if its target was also one of this many most recent distinct targets. */
const RECENT = 300;

class Bodies {
  readonly cache = new VersionedCache<Body>(ENTRIES);
  readonly recent = new VersionedCache<true>(RECENT);
}

/**
 * Caches the bodies of endpoints whose responses depend only on the target (path and query) and on the data. An endpoint
 * names the data version of its bodies, see `Endpoint.cachedUnder`; a change of that version empties its cache.
 *
 * A body is admitted on the second request for its target: storing the bodies of requests that are never repeated costs
 * 30 % of their CPU time and 140 MB of memory.
 */
export class ResponseCache {
  readonly #bodies = { anything: new Bodies(), matches: new Bodies() };

  get({ target, endpoint, versions }: ReceivedRequest): Body | undefined {
    const name = endpoint?.cachedUnder;
    return name && this.#bodies[name].cache.get(target, versions[name]);
  }

  set({ target, endpoint, versions }: ReceivedRequest, body: Body): void {
    const name = endpoint?.cachedUnder;
    if (name === undefined || body.length > MAX_BYTES || CREDENTIALS.test(target)) return;
    const { cache, recent } = this.#bodies[name];
    const version = versions[name];
    if (recent.get(target, version)) cache.set(target, body, version);
    else recent.set(target, true, version);
  }
}
