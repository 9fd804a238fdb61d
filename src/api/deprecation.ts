import type { Endpoint } from './endpoint.ts';
import type { Headers } from './headers.ts';
import type { Routes } from './routes.ts';

/** That a row is going away. */
export interface Deprecation {
  /** When it was announced: `2026-03-01`, midnight UTC. */
  since: string;
  /** When it ends; left out while nobody knows. */
  sunset?: string;
  /** What to read about it: an address, or a path of the site. */
  link: string;
}

/** Says in every answer of a row that it is going away; costs nothing where none does. */
export class Deprecations {
  readonly #routes: Routes;
  readonly #headers: ReadonlyMap<Endpoint, Headers>;

  constructor(routes: Routes, rows: readonly Endpoint[], site: string) {
    this.#routes = routes;
    this.#headers = new Map(
      rows.flatMap((row) => (row.deprecated === undefined ? [] : [[row, headersOf(row.deprecated, site)]])),
    );
  }

  addTo(headers: Headers, path: string): void {
    if (this.#headers.size === 0) return;
    const row = this.#routes.endpointOf(path);
    if (row !== undefined) headers.push(...(this.#headers.get(row) ?? []));
  }
}

/** `Deprecation` (RFC 9745), `Sunset` (RFC 8594), and where both are explained. */
function headersOf({ since, sunset, link }: Deprecation, site: string): Headers {
  const address = new URL(link, `${site}/`).href;
  const ends = sunset === undefined ? [] : ['sunset', new Date(sunset).toUTCString()];
  return ['deprecation', `@${Date.parse(since) / 1000}`, ...ends, 'link', `<${address}>; rel="deprecation"`];
}
