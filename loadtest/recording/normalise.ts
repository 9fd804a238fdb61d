import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/**
 * What differs between two runs of the same code, and its placeholder. Ids, timestamps and counters do not: they follow from
 * the fixed clock and the order of the history.
 */
const PATTERNS: readonly [RegExp, string][] = [
  [/\$argon2id\$[^\s"']+/g, '<password hash>'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<jwt>'],
  [/\b(sh[a-z]_(?:test_)?)[\w-]{43}/g, '$1<secret>'],
  [/\bwhsec_[\w+/]+=*/g, 'whsec_<secret>'],
  [/\bv1,[\w+/]{43}=/g, 'v1,<signature>'],
  // Recovery codes, and the code of `account factor-code`.
  [/\b(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}\b/g, '<recovery code>'],
  // The feed of changes has a random id, which its cursors and the ids of messages begin with; a cursor ends with its MAC.
  [/("filling":[^,]*,"floor":\d+,"id":")[0-9a-f]{12}"/g, '$1<feed>"'],
  [/("cursor": ?")[\w-]{16}([\w-]*)[\w-]{17}"/g, '$1<feed>$2<mac>"'],
  // The names of assets have the hash of their content, which the recording has too.
  [/(\/assets\/[\w-]+\.)[\w-]{12}\./g, '$1<hash>.'],
  [/(?<![\w-]|%3D)[\w-]{43}(?![\w-])/g, '<secret>'],
  [/(%3D)[\w-]{43}(?![\w-])/g, '$1<secret>'],
  [/(?<![\w-])[\w-]{80,}(?![\w-])/g, '<sealed>'],
  [/("sealed_\w+":")[\w-]+/g, '$1<sealed>'],
  [/(?<![\w-])[0-9a-f]{48}(?![\w-])/g, '<xsrf token>'],
  [/postgres:\/\/[^\s"]*test_[0-9a-f]{16}[^\s"]*/g, '<database>'],
  [/-----BEGIN ([A-Z ]+)-----[^-]+-----END/g, '-----BEGIN $1-----\n<key>\n-----END'],
  [/\bmsg_(\w+?)_[0-9a-f]{12}_/g, 'msg_$1_<feed>_'],
  [/("feed":")[0-9a-f]{12}"/g, '$1<feed>"'],
  [/("challenge": ?"|--code )(?!guessed)[\w-]{16}(?![\w-])/g, '$1<challenge>'],
  // The secret of an authenticator app: as the form has it, as people type it, and as a picture.
  [/(name="secret" value=")[0-9a-f]{40}/g, '$1<app secret>'],
  [/(secret=)[A-Z2-7]{32}\b/g, '$1<app secret>'],
  [/\b(?:[A-Z2-7]{4} ){7}[A-Z2-7]{4}\b/g, '<app secret>'],
  [/(<svg class="qr".*?<path d=")[^"]+/gs, '$1<modules>'],
  // Two revisions are compared.
  [/\(commit [0-9a-f]{40}\)/g, '(commit <commit>)'],
  // How long a receiver took to answer.
  [/("ms": ?)\d+/g, '$1<ms>'],
  // The columns of a key in other documents.
  [/("(?:source_key|database_id)":)\d+/g, '$1<random>'],
  [/(answer_ms"?:? *)[\d.]+/g, '$1<ms>'],
  [/[\d.]+ GB \(\d+ %\) are free/g, '<space> are free'],
  [/("imported":\d+,"key":)\d+/g, '$1<random>'],
  [/\b[0-9a-f]{64}\b/g, '<digest>'],
  [/\.\d+\.part\b/g, '.<process>.part'],
  [/^((?:usage|application_uses|rate_limits|throttles) +)\d+ */gm, '$1<rows> '],
  // Mails to operators are delivered in the background.
  [/("delivered":)\d+/g, '$1<time>'],
  [/<dd>(?:Told by mail: <time[^>]*>[^<]*<\/time>\s*|Gets a mail within the hour\.)<\/dd>/g, '<dd><mail state></dd>'],
  // The data API counts its requests in the background.
  [/("rows":|^rows +)\d+/gm, '$1<rows>'],
  // The id of an audit entry: its time, a number that grows while the process runs, and random characters.
  [/\b([0-9a-hjkmnp-tv-z]{11})[0-9a-hjkmnp-tv-z]{6}[0-9a-f]{10}\b/g, '$1<audit entry>'],
  [/("name":"database","value":)\d+/g, '$1<random>'],
  [/W\/"[\w-]{20,}"/g, 'W/"<etag>"'],
  // With the escape of a channel’s message.
  [/\bdeleted(\\*-)[0-9a-z]{6}\b/g, 'deleted$1<random>'],
  [/("source":"deleted-<random>","term":")[0-9a-z]{6}"/g, '$1<random>"'],
  [/(x-request-id: |ID <code>|"request_id": ?")[0-9a-f]{12}\b/g, '$1<request id>'],
  [/(?<![\w-])[0-9a-f]{24}(?![\w-])/g, '<client id>'],
  // Refused requests of the recording itself are counted in the background.
  [
    /<tr>(?:(?!<\/tr>).)*(?:127\.0\.0\.1|Reader|Mariner|Molly|Newcomer)(?:(?!<\/tr>).)*data-label="(?:By status|ステータス別)"(?:(?!<\/tr>).)*<\/tr>\n/gs,
    '',
  ],
  // What the process has used, on the operator's front page.
  [/<dd>(running for|稼働) .*<\/dd>/g, '<dd>$1 <resources></dd>'],
  [/\b\d+\.\d ms\b/g, '<ms>'],
  [/(?<![\w-])(?!ABCD-EFGH)[0-9A-Z]{4}-[0-9A-Z]{4}(?![\w-])/g, '<link code>'],
  [/(127\.0\.0\.1|localhost):\d{5}\b/g, '$1:<port>'],
  [/(127\.0\.0\.1|localhost)%3A\d{5}\b/gi, '$1%3A<port>'],
  [/\/(?:tmp|dev\/shm)\/scorehall-[\w-]+(?:\/tmp\/scorehall-[\w-]+)?/g, '<folder>'],
];

/** With hyphens, or without them as the search stores it. */
const UUID = /[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}/g;
const randomUuids = new Set<string>();

/** Remembers every random UUID from now on: others are those of players, which the recording keeps. */
export function watchRandomUuids(): void {
  const { randomUUID } = crypto;
  crypto.randomUUID = (options) => {
    const uuid = randomUUID(options);
    randomUuids.add(uuid).add(uuid.replaceAll('-', ''));
    return uuid;
  };
  syncBuiltinESMExports();
}

/** Replaces random UUIDs alone: for names of files. */
export const withoutRandomUuids = (text: string, placeholder: string): string =>
  text.replace(UUID, (uuid) => (randomUuids.has(uuid) ? placeholder : uuid));

export function normalise(text: string): string {
  let normal = withoutRandomUuids(text, '<uuid>');
  for (const [pattern, placeholder] of PATTERNS) normal = normal.replace(pattern, placeholder);
  return normal;
}
