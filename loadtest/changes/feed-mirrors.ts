import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../support/random.ts';
import { type FeedItem, isRemoval } from './mirror-disk.ts';
import type { Following, MirrorValue } from './mirror-kinds.ts';

/** Mirrors that poll `/v1/changes` with a bare `fetch`. */
export const FEED_MIRRORS = {
  /** Gets the resources with the changes, in pages of every size and both forms. */
  feed: { follow: (following) => poll(following, { expand: '1' }) },
  /** Gets each resource from its own address. */
  'thin feed': { follow: (following) => poll(following, {}) },
  /** Follows some kinds; the tombstones of the others come as well. */
  'filtered feed': {
    kinds: ['match', 'punishment'],
    follow: (following) => poll(following, { expand: '1', types: 'match,punishment' }),
  },
} satisfies Record<string, MirrorValue>;

const POLL_MS = 100;
const RETRY_MS = 200;
const MAX_LIMIT = 100;
const NDJSON = 'application/x-ndjson';

interface Page {
  changes: FeedItem[];
  cursor: string;
  more: boolean;
}

async function poll(following: Following, query: Record<string, string>): Promise<void> {
  const { disk, seed } = following;
  const random = new Random(seed);
  for (;;) {
    const limit = random.chance(0.5) ? MAX_LIMIT : 1 + random.below(MAX_LIMIT);
    const parameters = new URLSearchParams({ after: disk.cursor, limit: String(limit), ...query });
    const page = await readPage(following, parameters, random.chance(0.3));
    const items =
      page === undefined ? undefined : await withResources(following, page.changes, query['expand'] === '1');
    if (items === undefined) await sleep(RETRY_MS);
    else disk.apply(items, 'ordered', page!.cursor);
    if (page?.more === false) await sleep(POLL_MS);
  }
}

/** @returns undefined if it is to be read again */
async function readPage(following: Following, query: URLSearchParams, asLines: boolean): Promise<Page | undefined> {
  const answer = await read(following, `/v1/changes?${query}`, asLines ? NDJSON : 'application/json');
  if (answer === undefined) return undefined;
  const { status, text } = answer;
  if (status === 410) {
    following.disk.reset(resetReason(text));
    return undefined;
  }
  if (status !== 200) throw new Error(`GET /v1/changes?${query}: ${status} ${text}`);
  if (!asLines) return JSON.parse(text) as Page;
  const lines = text.trimEnd().split('\n');
  const end = JSON.parse(lines.pop()!) as Omit<Page, 'changes'>;
  return { changes: lines.map((line) => JSON.parse(line) as FeedItem), ...end };
}

/** @throws Error if the body does not say that the mirror has to begin again, and why */
export function resetReason(text: string): string {
  const { reset, reason } = JSON.parse(text) as { reset?: boolean; reason?: string };
  if (reset !== true || reason === undefined) throw new Error(`410 without reset and reason: ${text}`);
  return reason;
}

/**
 * Changes with their resources, from their own addresses unless they are expanded.
 * @returns undefined if one could not be read
 */
export async function withResources(
  following: Following,
  items: readonly FeedItem[],
  isExpanded: boolean,
): Promise<FeedItem[] | undefined> {
  if (isExpanded) return [...items];
  const complete: FeedItem[] = [];
  for (const item of items) {
    if (isRemoval(item)) complete.push(item);
    else {
      const answer = await read(following, new URL(item.url!).pathname);
      if (answer === undefined) return undefined;
      // Removed in the meantime: its tombstone follows.
      if (answer.status === 404) complete.push(item);
      else if (answer.status === 200) complete.push({ ...item, resource: JSON.parse(answer.text) as unknown });
      else throw new Error(`GET ${item.url}: ${answer.status} ${answer.text}`);
    }
  }
  return complete;
}

/** @returns undefined for lost connections, outages and limits */
async function read(
  { origin, token }: Following,
  path: string,
  accept = 'application/json',
): Promise<{ status: number; text: string } | undefined> {
  try {
    const response = await fetch(origin + path, { headers: { authorization: `Bearer ${token}`, accept } });
    const text = await response.text();
    return [429, 503].includes(response.status) ? undefined : { status: response.status, text };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return undefined;
  }
}
