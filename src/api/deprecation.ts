import type { Endpoint } from './endpoint.ts';
import type { Headers } from './headers.ts';

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
  readonly #headers: ReadonlyMap<Endpoint, Headers>;

  constructor(rows: readonly Endpoint[], site: string) {
    this.#headers = new Map(
      rows.flatMap((row) => (row.deprecated === undefined ? [] : [[row, headersOf(row.deprecated, site)]])),
    );
  }

  addTo(headers: Headers, row: Endpoint | undefined): void {
    const own = row && this.#headers.get(row);
    if (own !== undefined) headers.push(...own);
  }
}

/** `Deprecation` (RFC 9745), `Sunset` (RFC 8594), and where both are explained. */
function headersOf({ since, sunset, link }: Deprecation, site: string): Headers {
  const address = new URL(link, `${site}/`).href;
  const ends = sunset === undefined ? [] : ['sunset', new Date(sunset).toUTCString()];
  return ['deprecation', `@${Date.parse(since) / 1000}`, ...ends, 'link', `<${address}>; rel="deprecation"`];
}
