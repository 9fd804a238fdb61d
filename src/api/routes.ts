import { invalidRequest } from '#base/errors.ts';
import type { Endpoint } from './endpoint.ts';

export interface Route {
  endpoint: Endpoint;
  id: string;
}

/** Finds the row of a path. Fixed paths come before those with `:id`, whatever the order of the rows. */
export class Routes {
  readonly #fixed = new Map<string, Endpoint>();
  readonly #withId = new Map<string, Endpoint>();

  constructor(rows: readonly Endpoint[]) {
    for (const row of rows) (row.id === undefined ? this.#fixed : this.#withId).set(row.path, row);
  }

  /** @throws WireError 400 where the id in the path is not percent-encoded UTF-8 */
  find(path: string): Route | undefined {
    const route = this.#match(path);
    if (route !== undefined && route.id !== '') route.id = decoded(route.id);
    return route;
  }

  /** The row alone, whatever the id. */
  endpointOf(path: string): Endpoint | undefined {
    return this.#match(path)?.endpoint;
  }

  /** The id is as it stands in the path. */
  #match(path: string): Route | undefined {
    const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
    const fixed = this.#fixed.get(trimmed);
    if (fixed !== undefined) return { endpoint: fixed, id: '' };
    const [, v1, noun, id, ...rest] = trimmed.split('/');
    if (id === undefined || id === '' || rest.length > 1) return undefined;
    const endpoint = this.#withId.get(`/${v1}/${noun}/:id${rest.length === 1 ? `/${rest[0]}` : ''}`);
    return endpoint && { endpoint, id };
  }
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    throw invalidRequest('The path must be percent-encoded UTF-8.');
  }
}
