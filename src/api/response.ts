import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import type { HttpError } from '#http/errors.ts';
import { codingFor, type ContentCoding } from '#http/content-coding.ts';
import type { RenderedBody } from './endpoint.ts';
import type { Headers } from './headers.ts';

const COMPRESSED_FROM = 1024;
/** Above this many bytes a Buffer is written faster than a string. */
const BUFFERED_FROM = 8192;

const BROTLI = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } };
const CODINGS: Record<ContentCoding, (body: Buffer) => Promise<Buffer>> = {
  zstd: promisify(zlib.zstdCompress),
  br: (body) => promisify(zlib.brotliCompress)(body, BROTLI),
  gzip: promisify(zlib.gzip),
};
/** Codings of a short body. Handing the body to another thread takes this thread as long as compressing it. */
const SHORT_CODINGS: Record<ContentCoding, (body: Buffer) => Buffer> = {
  zstd: zlib.zstdCompressSync,
  br: (body) => zlib.brotliCompressSync(body, BROTLI),
  gzip: zlib.gzipSync,
};
const CODING_NAMES = Object.keys(CODINGS) as ContentCoding[];

const VARY = 'Accept, Accept-Encoding, Authorization, X-Client-ID';
const CHARSET = '; charset=utf-8';

/** An encoded JSON body, which may be sent many times. */
export interface Body {
  bytes: string | Buffer;
  /** ASCII text is written as latin1, which is faster because it needs no conversion. */
  encoding: 'latin1' | 'utf8';
  length: number;
  etag: string;
  type: RenderedBody['type'];
  /** The body in each content coding that a client has asked for, so that a cached body is compressed once. */
  coded?: Partial<Record<ContentCoding, Buffer>>;
  /** The UUIDs of the players that it is about. */
  about?: readonly string[];
}

/**
 * Encodes a body. Without a tag the entity tag is a checksum. A cryptographic hash is not needed: the tag only has to tell
 * a body from its predecessor, and forging it gains nothing.
 */
export function encodeBody({ json, tag, length, type }: RenderedBody): Body {
  const encoding = length === characterCount(json) ? 'latin1' : 'utf8';
  const bytes = length < BUFFERED_FROM ? joined(json) : encode(json, encoding, length);
  const etag = `W/"${tag ?? `${zlib.crc32(bytes).toString(36)}-${length.toString(36)}`}"`;
  return { bytes, encoding, length, etag, type };
}

const joined = (json: RenderedBody['json']): string => (typeof json === 'string' ? json : json.join(''));

const characterCount = (json: RenderedBody['json']): number =>
  typeof json === 'string' ? json.length : json.reduce((sum, piece) => sum + piece.length, 0);

function encode(json: RenderedBody['json'], encoding: Body['encoding'], length: number): Buffer {
  if (typeof json === 'string') return Buffer.from(json, encoding);
  const bytes = Buffer.allocUnsafeSlow(length);
  let end = 0;
  for (const piece of json) end += bytes.write(piece, end, encoding);
  return bytes;
}

/**
 * Sends a body, compressed if `Accept-Encoding` allows it, or 304 if `If-None-Match` has its entity tag.
 * @returns a promise only if the body is compressed
 */
export function sendBody(
  request: IncomingMessage,
  response: ServerResponse,
  headers: Headers,
  body: Body,
): Promise<void> | undefined {
  if (isUnmodified(request, body)) {
    headers.push('etag', body.etag, 'vary', VARY);
    response.writeHead(304, headers).end();
    return undefined;
  }
  const coding =
    body.length < COMPRESSED_FROM ? undefined : codingFor(request.headers['accept-encoding'], CODING_NAMES);
  if (coding !== undefined) return sendCoded(request, response, headers, body, coding);
  write(request, response, headers, body);
  return undefined;
}

async function sendCoded(
  request: IncomingMessage,
  response: ServerResponse,
  headers: Headers,
  body: Body,
  coding: ContentCoding,
): Promise<void> {
  const compress = (body.length < BUFFERED_FROM ? SHORT_CODINGS : CODINGS)[coding];
  const bytes = body.coded?.[coding] ?? (await compress(Buffer.from(body.bytes as string, body.encoding)));
  body.coded = { ...body.coded, [coding]: bytes };
  headers.push('content-encoding', coding);
  write(request, response, headers, { ...body, bytes, length: bytes.length });
}

export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  headers: Headers,
  error: HttpError,
): void {
  for (const [name, value] of Object.entries(error.headers)) headers.push(name, value);
  headers.push('content-type', `application/json${CHARSET}`, 'content-length', `${Buffer.byteLength(error.body)}`);
  response.writeHead(error.status, headers).end(request.method === 'HEAD' ? undefined : error.body);
}

function write(request: IncomingMessage, response: ServerResponse, headers: Headers, body: Body): void {
  headers.push('etag', body.etag, 'vary', VARY);
  headers.push('content-type', body.type + CHARSET, 'content-length', `${body.length}`);
  response.writeHead(200, headers);
  if (request.method === 'HEAD') response.end();
  else response.end(body.bytes, body.encoding);
}

/** Whether `If-None-Match` has the entity tag, by weak comparison (RFC 9110 section 13.1.2). */
function isUnmodified(request: IncomingMessage, { etag }: Body): boolean {
  const held = request.headers['if-none-match'];
  if (held === undefined) return false;
  if (held === etag || held.trim() === '*') return true;
  const opaque = etag.slice(2);
  return held.split(',').some((tag) => tag.trim().replace(/^W\//, '') === opaque);
}
