import type { Endpoint } from './endpoint.ts';

export interface Route {
  endpoint: Endpoint;
  /** Percent-encoded; empty if the path has none. */
  id: string;
}

/** Finds the endpoint of a path. A fixed path takes precedence over a path with `:id`. */
export class Routes {
  readonly #fixed: readonly Endpoint[];
  readonly #withId: readonly EndpointWithId[];

  constructor(endpoints: readonly Endpoint[]) {
    this.#fixed = endpoints.filter(({ id }) => id === undefined);
    this.#withId = endpoints.filter(({ id }) => id !== undefined).map(endpointWithId);
  }

  /**
   * A linear scan over the few endpoints. A `Map` would be slower: each new path would first have to be hashed and
   * interned by V8.
   */
  find(path: string): Route | undefined {
    const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
    for (const endpoint of this.#fixed) if (endpoint.path === trimmed) return { endpoint, id: '' };
    for (const { prefix, suffix, endpoint } of this.#withId) {
      if (!trimmed.startsWith(prefix)) continue;
      const slash = trimmed.indexOf('/', prefix.length);
      const end = slash < 0 ? trimmed.length : slash;
      if (end > prefix.length && trimmed.length - end === suffix.length && trimmed.endsWith(suffix))
        return { endpoint, id: trimmed.slice(prefix.length, end) };
    }
    return undefined;
  }
}

interface EndpointWithId {
  /** The parts of the path before and after `:id`. */
  prefix: string;
  suffix: string;
  endpoint: Endpoint;
}

function endpointWithId(endpoint: Endpoint): EndpointWithId {
  const [prefix = '', suffix = ''] = endpoint.path.split(':id');
  return { prefix, suffix, endpoint };
}
