import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { HttpError } from '#http/errors.ts';

/** Request bodies: what they are, how they are packed, and bounds that hold for what comes out. */

export type Format = 'json' | 'ndjson';

const MEGABYTE = 1024 * 1024;
export const MAX_BYTES: Readonly<Record<Format, number>> = { json: 4 * MEGABYTE, ndjson: 64 * MEGABYTE };
/** Of one event: of a line, or of the data of one in an array. */
export const MAX_EVENT_LENGTH = MEGABYTE;

const FORMATS = new Map<string, Format>([
  ['application/json', 'json'],
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson', 'ndjson'],
]);

/** @throws HttpError 415 */
export function formatOf(request: IncomingMessage): Format {
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '').split(';').map((part) => part.trim());
  const format = FORMATS.get(type.toLowerCase());
  if (format !== undefined && parameters.every((one) => !/^charset=(?!"?utf-?8"?$)/i.test(one))) return format;
  throw unsupported('Content-Type must be application/json or application/x-ndjson, in UTF-8.');
}

/** Is told of bytes as they come, and may refuse them. */
export interface Holding {
  hold(bytes: number): void;
}

/**
 * All bytes of a body, unpacked. Most come in one piece and as they are, and are taken without the detours of a stream
 * that is iterated.
 * @throws as `bytesOf`
 */
export async function wholeOf(request: IncomingMessage, most: number, quota: Holding): Promise<Buffer> {
  const chunks: Buffer[] = [];
  if (isPlain(request)) await collect(request, most, quota, chunks);
  else for await (const chunk of bytesOf(request, most, quota)) chunks.push(chunk);
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

function collect(request: IncomingMessage, most: number, quota: Holding, chunks: Buffer[]): Promise<void> {
  const count = counterFor(request, most, quota);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const take = (chunk: Buffer): void => {
    try {
      count(chunk);
      chunks.push(chunk);
    } catch (error) {
      request.off('data', take);
      reject(error as Error);
    }
  };
  request.on('data', take).on('end', resolve).on('error', reject);
  return promise;
}

/**
 * The bytes of a body, unpacked, as they come.
 * @throws HttpError 413 beyond `most`, 415 for a coding that is not known, 400 for one that is broken
 */
export async function* bytesOf(request: IncomingMessage, most: number, quota: Holding): AsyncGenerator<Buffer> {
  const count = counterFor(request, most, quota);
  const stream = unpacked(request);
  try {
    // Whoever stops reading still has to answer on the connection, which would be destroyed with the request.
    for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      count(chunk);
      yield chunk;
    }
  } catch (error) {
    const { code = '' } = error as { code?: string };
    if (!/^(Z_|ZSTD_|ERR_ZSTD|ERR__ZLIB|ERR_BROTLI|ERR_ZLIB)/.test(code)) throw error;
    throw new HttpError(400, 'invalid_request', 'The body is not what its Content-Encoding says.');
  } finally {
    if (stream !== request) stream.destroy();
  }
}

/** Counts the pieces of a body; beyond `most`, at once where the request says so, and beyond the share it throws. */
function counterFor(request: IncomingMessage, most: number, quota: Holding): (chunk: Buffer) => void {
  if (Number(request.headers['content-length'] ?? 0) > most) throw tooLarge(most);
  let total = 0;
  return ({ length }) => {
    total += length;
    if (total > most) throw tooLarge(most);
    quota.hold(length);
  };
}

const codingOf = ({ headers }: IncomingMessage): string => (headers['content-encoding'] ?? '').trim().toLowerCase();

const isPlain = (request: IncomingMessage): boolean => ['', 'identity'].includes(codingOf(request));

function unpacked(request: IncomingMessage): Readable {
  if (isPlain(request)) return request;
  const unpack = UNPACK.get(codingOf(request));
  if (unpack === undefined) throw unsupported('Content-Encoding must be gzip, zstd or deflate, or left out.');
  const stream = unpack();
  request.on('error', (error) => stream.destroy(error));
  request.on('close', () => {
    if (!request.complete) stream.destroy(new Error('The sender has gone.'));
  });
  return request.pipe(stream);
}

const UNPACK = new Map<string, () => ReturnType<typeof createGunzip>>([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', () => createInflate()],
  ['zstd', () => createZstdDecompress() as unknown as ReturnType<typeof createGunzip>],
]);

function unsupported(sentence: string): HttpError {
  return new HttpError(415, 'invalid_request', sentence, { 'accept-encoding': 'gzip, zstd, deflate' });
}

const tooLarge = (most: number): HttpError =>
  new HttpError(413, 'invalid_request', `The body must not be larger than ${most / MEGABYTE} MiB unpacked.`);

/** Lines of a body without their ends; one that is too long comes as undefined, once. Blank lines are left out. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<(Buffer | undefined)[]> {
  let rest: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const lines: (Buffer | undefined)[] = [];
    let start = length === 0 ? behindBlanks(chunk, 0) : 0;
    for (let end = chunk.indexOf(NEWLINE, start); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      rest.push(chunk.subarray(start, end));
      length += end - start;
      lines.push(length > MAX_EVENT_LENGTH ? undefined : lineOf(rest));
      [rest, length, start] = [[], 0, behindBlanks(chunk, end + 1)];
    }
    length += chunk.length - start;
    // Of a line that is too long already nothing is kept.
    if (length > MAX_EVENT_LENGTH) rest = [];
    else if (length > 0) rest.push(chunk.subarray(start));
    yield lines;
  }
  if (length > 0) yield [length > MAX_EVENT_LENGTH ? undefined : lineOf(rest)];
}

const [TAB, NEWLINE, RETURN, BLANK] = [9, 10, 13, 32];

/** The first place from `start` on that holds what is more than whitespace: lines of nothing else cost next to nothing. */
function behindBlanks(chunk: Buffer, start: number): number {
  let place = start;
  for (
    let byte = chunk[place];
    byte === NEWLINE || byte === BLANK || byte === RETURN || byte === TAB;
    byte = chunk[place]
  )
    place++;
  return place;
}

function lineOf(parts: Buffer[]): Buffer {
  const line = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  const end = line.at(-1) === 13 ? line.length - 1 : line.length;
  return line.subarray(0, end);
}
