/** A line that cannot be read, and why. */
type RefusedLine = { refusal: string };

const NEWLINE = 0x0a;

/**
 * Splits a stream of bytes into UTF-8 lines (LF or CRLF) and holds one line at a time. A byte order mark at the start is
 * removed. A line that is longer than `max` bytes or is not UTF-8 is refused.
 */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>, max: number): AsyncGenerator<string | RefusedLine> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let first = true;
  const line = (): string | RefusedLine => {
    const read = length > max ? { refusal: `is longer than ${max} bytes` } : decode(Buffer.concat(parts), first);
    parts = [];
    length = 0;
    first = false;
    return read;
  };
  const add = (part: Uint8Array): void => {
    length += part.length;
    if (length > max) parts = [];
    else parts.push(part);
  };
  for await (const chunk of bytes) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end));
      yield line();
      start = end + 1;
    }
    if (start < chunk.length) add(chunk.subarray(start));
  }
  if (length > 0) yield line();
}

function decode(bytes: Uint8Array, first: boolean): string | RefusedLine {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: !first }).decode(bytes);
    return text.endsWith('\r') ? text.slice(0, -1) : text;
  } catch {
    return { refusal: 'is not UTF-8 text' };
  }
}
