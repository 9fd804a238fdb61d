import type { Headers } from './headers.ts';

/** Marks an endpoint as deprecated. */
export interface Deprecation {
  /** The date of the announcement: `2026-03-01` is midnight UTC. */
  since: string;
  /** The date of the removal; omitted until it is decided. */
  sunset?: string;
  /** The page that explains the deprecation: a URL, or a path on the site. */
  link: string;
}

/** The part of an endpoint that this file reads; the endpoint's type refers to `Deprecation`, so it cannot be imported. */
interface Deprecable {
  deprecated?: Deprecation;
}

/** Adds the deprecation headers to every response of a deprecated endpoint. */
export class Deprecations {
  readonly #headers: ReadonlyMap<Deprecable, Headers>;

  /** @param site the site's URL, against which `link` is resolved */
  constructor(endpoints: readonly Deprecable[], site: string) {
    const deprecated = endpoints.filter((endpoint) => endpoint.deprecated !== undefined);
    this.#headers = new Map(deprecated.map((endpoint) => [endpoint, deprecationHeaders(endpoint.deprecated!, site)]));
  }

  addTo(headers: Headers, endpoint: Deprecable | undefined): void {
    const added = endpoint && this.#headers.get(endpoint);
    if (added !== undefined) headers.push(...added);
  }
}

/** `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a `Link` to the page that explains them. */
function deprecationHeaders({ since, sunset, link }: Deprecation, site: string): Headers {
  const address = new URL(link, `${site}/`).href;
  const removal = sunset === undefined ? [] : ['sunset', new Date(sunset).toUTCString()];
  return ['deprecation', `@${Date.parse(since) / 1000}`, ...removal, 'link', `<${address}>; rel="deprecation"`];
}
