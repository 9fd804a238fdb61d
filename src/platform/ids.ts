/**
 * Clients see ids as opaque text: eleven characters of lower-case base 32 that sort in the order of the numbers they
 * encode. These numbers ("keys") grow with time (see store/sequence.ts) and stay below 2^53, so that JavaScript, SQLite
 * and PostgreSQL hold them exactly and index them as integers.
 */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const WIDTH = 11;
const LOW = 2 ** 30;
const MAX_KEY = Number.MAX_SAFE_INTEGER;

const PAIRS = Array.from({ length: 1024 }, (_, n) => ALPHABET[n >> 5]! + ALPHABET[n & 31]!);
/** The value of each digit by its character code; -1 for characters outside of the alphabet. */
const VALUES = new Int8Array(65_536).fill(-1);
for (let value = 0; value < ALPHABET.length; value++) VALUES[ALPHABET.charCodeAt(value)] = value;

export function idOf(key: number): string {
  const high = Math.floor(key / LOW);
  const low = key % LOW;
  return (
    ALPHABET[high >> 20]! +
    PAIRS[(high >> 10) & 1023]! +
    PAIRS[high & 1023]! +
    PAIRS[low >> 20]! +
    PAIRS[(low >> 10) & 1023]! +
    PAIRS[low & 1023]!
  );
}

/** Decodes an id; undefined if the text is not an id. */
export function keyOf(id: string): number | undefined {
  if (id.length !== WIDTH) return undefined;
  let key = 0;
  for (let place = 0; place < WIDTH; place++) {
    const value = VALUES[id.charCodeAt(place)]!;
    if (value < 0) return undefined;
    key = key * 32 + value;
  }
  return key <= MAX_KEY ? key : undefined;
}

/**
 * The smallest key whose id does not sort before the text: `key < boundOf(text)` if and only if `id < text`, for any
 * text. So the integer index serves `max_id`.
 */
export function boundOf(text: string): number {
  let bound = 0;
  for (let place = 0; place < WIDTH; place++) {
    if (place >= text.length) return clip(bound * 32 ** (WIDTH - place));
    const value = VALUES[text.charCodeAt(place)]!;
    if (value < 0) return clip((bound * 32 + digitsBefore(text[place]!)) * 32 ** (WIDTH - place - 1));
    bound = bound * 32 + value;
  }
  return clip(text.length > WIDTH ? bound + 1 : bound);
}

function digitsBefore(character: string): number {
  let count = 0;
  while (count < ALPHABET.length && ALPHABET[count]! < character) count++;
  return count;
}

function clip(bound: number): number {
  return Math.min(bound, MAX_KEY);
}
