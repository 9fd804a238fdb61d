import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import type { WireError } from '#base/errors.ts';

/** Names and values one after the other, as `writeHead` takes them. */
export type Headers = (string | number)[];

const COMPRESSED_FROM = 1024;
const CODINGS: Record<string, (body: Buffer) => Promise<Buffer>> = {
  zstd: promisify(zstdCompress),
  br: (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: promisify(gzip),
};

/** Sends a JSON body, or 304 where the caller has it already. */
export async function sendJson(
  request: IncomingMessage,
  response: ServerResponse,
  headers: Headers,
  json: string,
): Promise<void> {
  const etag = `W/"${hash('sha1', json, 'base64url')}"`;
  headers.push('etag', etag, 'vary', 'Accept-Encoding, Authorization, X-Client-ID');
  const known = request.headers['if-none-match'];
  if (known !== undefined && matches(known, etag)) return void response.writeHead(304, headers).end();
  const coding = json.length < COMPRESSED_FROM ? undefined : codingFor(request.headers['accept-encoding']);
  if (coding === undefined) return send(request, response, 200, headers, json);
  headers.push('content-encoding', coding);
  send(request, response, 200, headers, await CODINGS[coding]!(Buffer.from(json)));
}

export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  headers: Headers,
  error: WireError,
): void {
  for (const [name, value] of Object.entries(error.headers)) headers.push(name, value);
  send(request, response, error.status, headers, error.body);
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: Headers,
  body: string | Buffer,
): void {
  headers.push('content-type', 'application/json; charset=utf-8', 'content-length', Buffer.byteLength(body));
  response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : body);
}

/** Weak comparison (RFC 9110 section 13.1.2). */
function matches(known: string, etag: string): boolean {
  if (known.trim() === '*') return true;
  const opaque = etag.slice(2);
  return known.split(',').some((one) => one.trim().replace(/^W\//, '') === opaque);
}

/** The coding that the caller likes best, of equals the densest; none where plain is liked better or nothing is asked for. */
export function codingFor(accepted: string | undefined): string | undefined {
  if (accepted === undefined || accepted === '') return undefined;
  const weights = new Map(accepted.toLowerCase().split(',').map(weightOf));
  let [best, bestWeight]: [string | undefined, number] = [undefined, 0];
  for (const coding of Object.keys(CODINGS)) {
    const weight = weights.get(coding) ?? weights.get('*') ?? 0;
    if (weight > bestWeight) [best, bestWeight] = [coding, weight];
  }
  return (weights.get('identity') ?? 0) > bestWeight ? undefined : best;
}

/** `gzip;q=0.5` → `gzip` and 0.5; `x-gzip` is another name of gzip (RFC 9110 section 8.4.1.3). */
function weightOf(part: string): [string, number] {
  const [coding = '', ...parameters] = part.split(';').map((text) => text.trim());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  return [coding === 'x-gzip' ? 'gzip' : coding, quality === undefined ? 1 : Number(quality.slice(2))];
}
