import { parseText } from '#events/ingest/json.ts';
import type { WireEvent } from '#events/schema/index.ts';
import type { Finding } from '#importers/index.ts';

/**
 * More than the longest exported event: `POST /events` accepts at most 4 MiB, and `export events` writes numbers in
 * full, which makes an event up to three and a half times as long, plus its envelope.
 */
const MAX_LINE_BYTES = 16_777_216;
/** The length of a line that counts as one event of a batch. A longer line counts as several, which bounds the memory. */
const LIGHT_LENGTH = 32_768;

/** Reads NDJSON with one event per line and ignores empty lines. The ingest validates the events. */
export async function* importEvents(
  bytes: AsyncIterable<Uint8Array>,
  file: string,
): AsyncGenerator<Finding<WireEvent>> {
  let number = 0;
  for await (const line of linesOf(bytes, MAX_LINE_BYTES)) {
    const place = `line ${++number}`;
    if (typeof line !== 'string') yield { file, place, ...line };
    else if (line.trim() !== '') yield { file, place, ...parseEvent(line) };
  }
}

function parseEvent(line: string): { event: WireEvent; weight: number } | { refusal: string } {
  const parsed = parseText(line);
  if ('problem' in parsed) return { refusal: parsed.problem };
  return { event: parsed.raw.input as WireEvent, weight: Math.ceil(line.length / LIGHT_LENGTH) };
}

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
