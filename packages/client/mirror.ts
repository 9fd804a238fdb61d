import type { ChangesPage, FollowOptions, Kind, Resource } from './feed-reader.ts';

export type MirrorOptions = Omit<FollowOptions, 'expand'>;

/** A resource as its own endpoint gives it. */
export type MirroredResource = {
  [K in Kind]: { kind: K; id: string; revision: number; time: string; resource: Resource<K> };
}[Kind];

/** What a store applies at once. Each resource is in it once. */
export interface MirrorPage {
  put: MirroredResource[];
  remove: { kind: Kind; id: string }[];
  cursor: string;
  /** Whether the copy is not complete yet. */
  more: boolean;
}

/**
 * Where a mirror is kept. If `apply` puts, removes and saves the cursor in one transaction, the copy is exact after a crash at
 * any time.
 */
export interface MirrorStore {
  /** The cursor of the last page that was applied; undefined if the store is empty. */
  cursor(): string | undefined | Promise<string | undefined>;
  apply(page: MirrorPage): void | Promise<void>;
  /** Deletes all resources and the cursor. */
  clear(): void | Promise<void>;
}

/** The last change of each resource decides. What the service does not give is removed. */
export function pageForMirror({ changes, cursor, more }: ChangesPage): MirrorPage {
  const page: MirrorPage = { put: [], remove: [], cursor, more };
  const last = new Map(changes.map((change) => [`${kindOf(change.type)} ${change.id}`, change]));
  for (const { type, id, revision, time, resource } of last.values()) {
    const kind = kindOf(type);
    if (resource === undefined) page.remove.push({ kind, id });
    else page.put.push({ kind, id, revision, time, resource } as MirroredResource);
  }
  return page;
}

const kindOf = (type: string): Kind => type.split('.')[0] as Kind;
