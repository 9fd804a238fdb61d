/** A value that must not be stored, and bytes that would reveal it. */
interface Pattern {
  label: string;
  bytes: Buffer;
}

/** Shorter byte sequences occur by chance. */
const MIN_BYTES = 8;
const START = 4;
const FILTER_BITS = 22;

/** Searches bytes for any number of values, each in the encodings in which it may have been written. */
export class ByteSearch {
  /** By the first four bytes. */
  readonly #patterns = new Map<number, Pattern[]>();
  /** A bit for each hash of first bytes, as most places start no pattern. */
  readonly #filter = new Uint8Array(2 ** (FILTER_BITS - 3));
  #values = 0;

  get values(): number {
    return this.#values;
  }

  /** @param label names the value in the result */
  add(label: string, value: string): void {
    this.#values++;
    for (const bytes of encodingsOf(value)) {
      const start = bytes.readUInt32BE(0);
      const patterns = this.#patterns.get(start) ?? [];
      if (patterns.some((pattern) => pattern.bytes.equals(bytes))) continue;
      this.#patterns.set(start, [...patterns, { label, bytes }]);
      const place = placeOf(start);
      this.#filter[place >>> 3]! |= 1 << (place & 7);
    }
  }

  /** The labels of the values that occur, each with the number of its places. */
  search(bytes: Uint8Array): Map<string, number> {
    const found = new Map<string, number>();
    let window = 0;
    for (let end = 0; end < bytes.length; end++) {
      window = ((window << 8) | bytes[end]!) >>> 0;
      const place = placeOf(window);
      if ((this.#filter[place >>> 3]! & (1 << (place & 7))) === 0) continue;
      const from = end + 1 - START;
      for (const { label, bytes: pattern } of this.#patterns.get(window) ?? []) {
        if (from >= 0 && pattern.equals(bytes.subarray(from, from + pattern.length)))
          found.set(label, (found.get(label) ?? 0) + 1);
      }
    }
    return found;
  }
}

const placeOf = (start: number): number => Math.imul(start, 0x9e3779b1) >>> (32 - FILTER_BITS);

/** A value as it is, in hexadecimal digits, base64 and URL encoding; and so the bytes that it encodes, if it looks encoded. */
function encodingsOf(value: string): Buffer[] {
  const plain = Buffer.from(value);
  const texts = [value, encodeURIComponent(value), value.toLowerCase(), value.replaceAll('-', '')];
  const decoded = /^[\w-]{20,}$/.test(value) ? [Buffer.from(value, 'base64url')] : [];
  if (/^[0-9a-f]{32,}$/.test(value)) decoded.push(Buffer.from(value, 'hex'));
  const bytes = [plain, ...decoded].flatMap((one) => [one, ...encodedBytes(one)]);
  return [...texts.map((text) => Buffer.from(text)), ...bytes].filter(({ length }) => length >= MIN_BYTES);
}

function encodedBytes(bytes: Buffer): Buffer[] {
  const hex = bytes.toString('hex');
  return [hex, hex.toUpperCase(), ...base64Within(bytes)].map((text) => Buffer.from(text));
}

/** Base64 of bytes within others: each character of it depends on their place, so the ends are left out. */
function base64Within(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    const [first, end] = [Math.ceil((before * 8) / 6), Math.floor((padded.length * 8) / 6)];
    const standard = padded.toString('base64').slice(first, end);
    return [standard, standard.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
