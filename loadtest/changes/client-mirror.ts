import { type Kind, type MirrorPage, Scorehall } from '#client/index.ts';
import type { FeedItem, MirrorDisk } from './mirror-disk.ts';
import type { Following, MirrorValue } from './mirror-value.ts';

/** A mirror by the client library, with a store on the disk of the simulator. */
export const CLIENT_MIRRORS = {
  client: { follow },
} satisfies Record<string, MirrorValue>;

/** Shorter than that of a program, so that it reads while faults happen. */
const POLL_MS = 100;

async function follow({ origin, token, disk }: Following): Promise<void> {
  const { changes } = new Scorehall({ baseUrl: origin, token });
  const store = {
    cursor: () => (disk.cursor === '0' ? undefined : disk.cursor),
    apply: (page: MirrorPage) => disk.apply(itemsOf(page, disk), 'repeating', page.cursor),
    clear: () => disk.reset('by the client'),
  };
  await changes.mirror(store, { pollMs: POLL_MS });
}

/** The page as items of the feed. The client does not give the revision of a tombstone. */
function itemsOf({ put, remove }: MirrorPage, disk: MirrorDisk): FeedItem[] {
  const removed = (kind: Kind, id: string): FeedItem => {
    return { id, type: `${kind}.withdrawn`, revision: disk.revisionOf(kind, id), time: '' };
  };
  return [
    ...put.map(({ kind, ...one }) => ({ ...one, type: `${kind}.changed` })),
    ...remove.map(({ kind, id }) => removed(kind, id)),
  ];
}
