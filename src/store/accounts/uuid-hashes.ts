import type { KeyedHash } from '#db/db.ts';

const MAX_CACHED_HASHES = 100_000;
const hashCaches = new WeakMap<KeyedHash, Map<string, string>>();

/**
 * The keyed hash of a UUID, from a cache in memory: the same players are in most events, and the hash is the most expensive part
 * of the check for pseudonyms and removed names.
 */
export function hashUuid(keyedHash: KeyedHash, uuid: string): string {
  let hashes = hashCaches.get(keyedHash);
  if (hashes === undefined || hashes.size >= MAX_CACHED_HASHES) hashCaches.set(keyedHash, (hashes = new Map()));
  let hash = hashes.get(uuid);
  if (hash === undefined) hashes.set(uuid, (hash = keyedHash(uuid)));
  return hash;
}
