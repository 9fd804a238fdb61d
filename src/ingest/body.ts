import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { HttpError, invalidRequest } from '#http/errors.ts';
import { MAX_EVENT_LENGTH } from '#events/ingest/prepare.ts';

/** Reads request bodies: content type, decompression, size limits (which apply after decompression), lines. */

export type Format = 'json' | 'ndjson';

const MEGABYTE = 1024 * 1024;
export const MAX_BYTES: Readonly<Record<Format, number>> = { json: 4 * MEGABYTE, ndjson: 64 * MEGABYTE };
/** Maximum events in an array, and lines in a stream. */
export const MAX_IN_ARRAY = 1_000;
export const MAX_IN_STREAM = 20_000;

const FORMATS = new Map<string, Format>([
  ['application/json', 'json'],
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson', 'ndjson'],
]);

/** @throws HttpError 415 for another media type, or a charset other than UTF-8 */
export function bodyFormat(request: IncomingMessage): Format {
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '').split(';').map((part) => part.trim());
  const format = FORMATS.get(type.toLowerCase());
  if (format !== undefined && parameters.every((parameter) => !/^charset=(?!"?utf-?8"?$)/i.test(parameter)))
    return format;
  throw unsupported('Content-Type must be application/json or application/x-ndjson, in UTF-8.');
}

/** Counts the bytes of bodies that are held in memory. */
export interface ByteLimit {
  /** Adds received bytes; throws if they exceed the limit. */
  hold(bytes: number): void;
}

/** Reads a whole body and decompresses it. @throws the errors of `readChunks` */
export async function readBody(request: IncomingMessage, maxBytes: number, limit: ByteLimit): Promise<Buffer> {
  const chunks = await Array.fromAsync(readChunks(request, maxBytes, limit));
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

/**
 * Yields the chunks of a body as they arrive, decompressed.
 * @throws HttpError 413 beyond `maxBytes`, 415 for an unsupported Content-Encoding, 400 if the data does not match it
 */
export async function* readChunks(
  request: IncomingMessage,
  maxBytes: number,
  limit: ByteLimit,
): AsyncGenerator<Buffer> {
  // Before the first byte is read.
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const stream = decompressed(request);
  let total = 0;
  try {
    // A caller that stops reading early still sends a response; destroying the request would close its connection.
    for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      total += chunk.length;
      if (total > maxBytes) throw tooLarge(maxBytes);
      limit.hold(chunk.length);
      yield chunk;
    }
  } catch (error) {
    const { code = '' } = error as { code?: string };
    if (!/^(Z_|ZSTD_|ERR_ZSTD|ERR__ZLIB|ERR_BROTLI|ERR_ZLIB)/.test(code)) throw error;
    throw invalidRequest('The body cannot be decompressed: it does not match its Content-Encoding.');
  } finally {
    if (stream !== request) stream.destroy();
  }
}

function decompressed(request: IncomingMessage): Readable {
  const coding = (request.headers['content-encoding'] ?? '').trim().toLowerCase();
  if (coding === '' || coding === 'identity') return request;
  const createDecompressor = DECOMPRESSORS.get(coding);
  if (createDecompressor === undefined)
    throw unsupported('Content-Encoding must be gzip, zstd or deflate, or left out.');
  const stream = createDecompressor();
  request.on('error', (error) => stream.destroy(error));
  request.on('close', () => {
    if (!request.complete) stream.destroy(new Error('The client closed the connection before the body was complete.'));
  });
  return request.pipe(stream);
}

const DECOMPRESSORS = new Map<string, () => ReturnType<typeof createGunzip>>([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', () => createInflate()],
  ['zstd', () => createZstdDecompress() as unknown as ReturnType<typeof createGunzip>],
]);

function unsupported(sentence: string): HttpError {
  return new HttpError(415, 'invalid_request', sentence, { 'accept-encoding': 'gzip, zstd, deflate' });
}

const tooLarge = (maxBytes: number): HttpError =>
  new HttpError(
    413,
    'invalid_request',
    `The body must not be larger than ${maxBytes / MEGABYTE} MiB after decompression.`,
  );

/**
 * Splits a body into lines, without their line ends, and yields the lines that each chunk completes. Blank lines are
 * skipped; a line longer than `MAX_EVENT_LENGTH` is yielded as undefined.
 */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<(Buffer | undefined)[]> {
  let rest: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const lines: (Buffer | undefined)[] = [];
    let start = length === 0 ? skipWhitespace(chunk, 0) : 0;
    for (let end = chunk.indexOf(NEWLINE, start); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      rest.push(chunk.subarray(start, end));
      length += end - start;
      lines.push(length > MAX_EVENT_LENGTH ? undefined : joinLine(rest));
      [rest, length, start] = [[], 0, skipWhitespace(chunk, end + 1)];
    }
    length += chunk.length - start;
    // A line that is already too long is refused anyway: drop its bytes.
    if (length > MAX_EVENT_LENGTH) rest = [];
    else if (length > 0) rest.push(chunk.subarray(start));
    yield lines;
  }
  if (length > 0) yield [length > MAX_EVENT_LENGTH ? undefined : joinLine(rest)];
}

const [TAB, NEWLINE, RETURN, SPACE] = [9, 10, 13, 32];

/**
 * Returns the index of the first byte from `start` on that is not whitespace, so that a body of blank lines costs next to
 * nothing.
 */
function skipWhitespace(chunk: Buffer, start: number): number {
  let index = start;
  while (isWhitespace(chunk[index])) index++;
  return index;
}

const isWhitespace = (byte: number | undefined): boolean =>
  byte === NEWLINE || byte === SPACE || byte === RETURN || byte === TAB;

function joinLine(parts: Buffer[]): Buffer {
  const line = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  const end = line.at(-1) === RETURN ? line.length - 1 : line.length;
  return line.subarray(0, end);
}
