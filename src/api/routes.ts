import type { Endpoint } from './endpoint.ts';

export interface Route {
  endpoint: Endpoint;
  /** Percent-encoded; empty where the path has none. */
  id: string;
}

/** Finds the row of a path. Fixed paths come before those with `:id`, whatever the order of the rows. */
export class Routes {
  readonly #fixed: readonly Endpoint[];
  readonly #withId: readonly EndpointWithId[];

  constructor(rows: readonly Endpoint[]) {
    this.#fixed = rows.filter(({ id }) => id === undefined);
    this.#withId = rows.filter(({ id }) => id !== undefined).map(endpointWithId);
  }

  /**
   * The id is what lies between the second part of the path and the next, as it stands there. The few rows are compared
   * one by one: looking a text up that is new with every request would first enter it into the engine's table of texts.
   */
  find(path: string): Route | undefined {
    const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
    for (const endpoint of this.#fixed) if (endpoint.path === trimmed) return { endpoint, id: '' };
    for (const { before, behind, endpoint } of this.#withId) {
      if (!trimmed.startsWith(before)) continue;
      const slash = trimmed.indexOf('/', before.length);
      const end = slash < 0 ? trimmed.length : slash;
      if (end > before.length && trimmed.length - end === behind.length && trimmed.endsWith(behind))
        return { endpoint, id: trimmed.slice(before.length, end) };
    }
    return undefined;
  }
}

interface EndpointWithId {
  /** What stands around the id. */
  before: string;
  behind: string;
  endpoint: Endpoint;
}

function endpointWithId(endpoint: Endpoint): EndpointWithId {
  const [before = '', behind = ''] = endpoint.path.split(':id');
  return { before, behind, endpoint };
}
