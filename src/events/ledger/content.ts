import type { KeyedHash } from '#db/db.ts';

/**
 * Compares the content of two events with the same id: type and data, but not `time`, because some senders set a new time
 * when they repeat an event.
 */

/** 128 bits, in base64url. */
const HASH_LENGTH = 22;

/**
 * The hash that the ledger stores with an event. It is keyed, because the content of a small event could be guessed. Equal
 * hashes prove equal content. Different hashes may have the same content with members in another order, which
 * `isSameContent` compares: sorting the members of every event would cost four times as much as hashing it.
 * @param json the data as JSON
 */
export const contentHash = (keyedHash: KeyedHash, type: string, json: string): string =>
  keyedHash(`${type} ${json}`).slice(0, HASH_LENGTH);

/** Whether two JSON texts are equal as canonical JSON: the order of members does not count. */
export const isSameContent = (one: string, other: string): boolean =>
  canonicalJson(JSON.parse(one)) === canonicalJson(JSON.parse(other));

/** JSON with the members of all objects sorted by name (as in RFC 8785). */
export const canonicalJson = (value: unknown): string => JSON.stringify(sorted(value));

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}
