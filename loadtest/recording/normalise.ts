import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/**
 * What differs between two runs of the same code, and its placeholder. Ids, timestamps and counters do not: they follow from
 * the fixed clock and the order of the history.
 */
const PATTERNS: readonly [RegExp, string][] = [
  [/\$argon2id\$[^\s"']+/g, '<password hash>'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<jwt>'],
  [/\b(sh[a-z]+_)[\w-]{43}/g, '$1<secret>'],
  [/(?<![\w-])[\w-]{43}(?![\w-])/g, '<secret>'],
  [/(?<![\w-])[\w-]{80,}(?![\w-])/g, '<sealed>'],
  [/(?<![\w-])[0-9a-f]{48}(?![\w-])/g, '<xsrf token>'],
  // The id of an audit entry: its time, a number that grows while the process runs, and random characters.
  [/\b([0-9a-hjkmnp-tv-z]{11})[0-9a-hjkmnp-tv-z]{6}[0-9a-f]{10}\b/g, '$1<audit entry>'],
  [/("name":"database","value":)\d+/g, '$1<random>'],
  [/W\/"[\w-]{20,}"/g, 'W/"<etag>"'],
  [/\bdeleted-[0-9a-z]{6}\b/g, 'deleted-<random>'],
  [/(?<![\w-])[0-9a-f]{24}(?![\w-])/g, '<client id>'],
  // What the process has used, on the operator's front page.
  [/<dd>(running for|稼働) .*<\/dd>/g, '<dd>$1 <resources></dd>'],
  [/\b\d+\.\d ms\b/g, '<ms>'],
  [/\b(?!ABCD-EFGH)[0-9A-Z]{4}-[0-9A-Z]{4}\b/g, '<link code>'],
  [/127\.0\.0\.1:\d{5}\b/g, '127.0.0.1:<port>'],
  [/127\.0\.0\.1%3A\d{5}\b/gi, '127.0.0.1%3A<port>'],
  [/\/(?:tmp|dev\/shm)\/scorehall-[\w-]+(?:\/tmp\/scorehall-[\w-]+)?/g, '<folder>'],
];

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const randomUuids = new Set<string>();

/** Remembers every random UUID from now on: others are those of players, which the recording keeps. */
export function watchRandomUuids(): void {
  const { randomUUID } = crypto;
  crypto.randomUUID = (options) => {
    const uuid = randomUUID(options);
    randomUuids.add(uuid);
    return uuid;
  };
  syncBuiltinESMExports();
}

export function normalise(text: string): string {
  let normal = text.replace(UUID, (uuid) => (randomUuids.has(uuid) ? '<uuid>' : uuid));
  for (const [pattern, placeholder] of PATTERNS) normal = normal.replace(pattern, placeholder);
  return normal;
}
