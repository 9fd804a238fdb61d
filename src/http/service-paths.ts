import { nearest } from '#text/suggestion.ts';

/** Paths by which a request is recognised that was sent to the address of another service. */

/** The paths of the ingest. */
const INGEST_PATHS = ['/events', '/receipts'] as const;
export type IngestPath = (typeof INGEST_PATHS)[number];

export const isIngestPath = (path: string): boolean => (INGEST_PATHS as readonly string[]).includes(path);

const ROOT = '/v1';

/** Whether a path is one of the data API. */
export const isDataPath = (path: string): boolean => path === ROOT || path.startsWith(`${ROOT}/`);

const MAX_LENGTH = 100;
/** So many that the extension of a file may be missing. */
const MAX_TYPOS = 5;

/** The path of the data API that another one resembles, with its ids; undefined if none does. */
export function similarDataPath(path: string, known: readonly string[]): string | undefined {
  if (path.length > MAX_LENGTH) return undefined;
  const parts = path.split('/').filter(Boolean);
  const version = parts.findIndex((part) => /^v\d+$/i.test(part));
  const own = parts.slice(version + 1);
  const filled = known.map((pattern) => filledWith(own, pattern.slice(ROOT.length)));
  return own.length === 0 ? undefined : nearest(`${ROOT}/${own.join('/')}`, filled, MAX_TYPOS);
}

/** A path with the ids of another one, which are at the same places. */
const filledWith = (own: readonly string[], pattern: string): string =>
  ROOT + pattern.replace(/:[a-z]+/g, (name, at: number) => own[pattern.slice(0, at).split('/').length - 2] ?? name);
