import type { Endpoint } from './endpoint.ts';

export interface Route {
  endpoint: Endpoint;
  /** Percent-encoded; empty where the path has none. */
  id: string;
}

/** Finds the row of a path. Fixed paths come before those with `:id`, whatever the order of the rows. */
export class Routes {
  readonly #fixed = new Map<string, Endpoint>();
  /** By what stands around the id. */
  readonly #withId = new Map<string, Endpoint>();

  constructor(rows: readonly Endpoint[]) {
    for (const row of rows) {
      if (row.id === undefined) this.#fixed.set(row.path, row);
      else this.#withId.set(row.path.replace(':id', ''), row);
    }
  }

  /** The id is what lies between the second part of the path and the next, as it stands there. */
  find(path: string): Route | undefined {
    const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
    const fixed = this.#fixed.get(trimmed);
    if (fixed !== undefined) return { endpoint: fixed, id: '' };
    const from = trimmed.indexOf('/', trimmed.indexOf('/', 1) + 1) + 1;
    const to = trimmed.indexOf('/', from);
    const id = to < 0 ? trimmed.slice(from) : trimmed.slice(from, to);
    if (id === '') return undefined;
    const around = trimmed.slice(0, from);
    const endpoint = this.#withId.get(to < 0 ? around : around + trimmed.slice(to));
    return endpoint && { endpoint, id };
  }
}
