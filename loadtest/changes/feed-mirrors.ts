import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '#demo/network/random.ts';
import type { FeedItem } from './mirror-disk.ts';
import type { Following, MirrorValue } from './mirror-value.ts';
import { read, resetReason, withResources } from './reading.ts';

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
    const isExpanded = query['expand'] === '1';
    const items = isExpanded ? page?.changes : page && (await withResources(following, page.changes));
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
