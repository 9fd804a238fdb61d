import type { Shape } from './endpoint.ts';
import type { Headers } from './headers.ts';
import type { Query } from './query.ts';

/** Parameters that `readCredentials` reads. */
const CREDENTIALS: ReadonlySet<string> = new Set(['access_token', 'client_id']);
const MAX_NAMES = 10;
const MAX_NAME = 64;

/** Names the parameters of a request that its endpoint does not have and ignores, percent-encoded. */
export function addIgnored(headers: Headers, query: Query, shape: Shape): void {
  const ignored = query.namesOutside(shape).filter((name) => !CREDENTIALS.has(name));
  if (ignored.length === 0) return;
  const named = ignored.slice(0, MAX_NAMES).map((name) => encodeURIComponent(name.slice(0, MAX_NAME).toWellFormed()));
  headers.push('x-ignored-parameters', named.join(', '));
}
