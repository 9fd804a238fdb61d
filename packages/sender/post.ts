import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { Receipt } from './event.ts';

/** The response to a batch, by the sender's next step. */
export type IngestResponse =
  | { receipts: Receipt[] }
  /** The service refused the whole request: send fewer events, or refuse a single one. */
  | { refused: string }
  /** No event was stored, or the response was lost: send the same batch again later. */
  | { trouble: string; afterMs: number | undefined };

const TIMEOUT_MS = 30_000;
/** Bodies from this many characters on are compressed. */
const MIN_COMPRESSED_LENGTH = 2_048;
/** Far above the receipts of the largest batch. A longer response is not from the service, and would fill memory. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
/** Maximum length of a quoted response. */
const MAX_SENTENCE = 500;
/** The service never asks for a longer pause; a wrong header must not stop the delivery for days. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/**
 * Posts events as a JSON array.
 * @param lines the JSON of each event
 */
export async function postEvents(
  { url, key }: { url: string; key: string },
  lines: string[],
  stop?: AbortSignal,
): Promise<IngestResponse> {
  const body = Buffer.from(`[${lines.join(',')}]`);
  const compressed = body.length >= MIN_COMPRESSED_LENGTH;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(stop === undefined ? [] : [stop])]);
    const response = await post(new URL('/events', url), {
      headers: compressed ? { ...headers, 'content-encoding': 'gzip' } : headers,
      body: compressed ? await gzipped(body) : body,
      signal,
    });
    return readResponse(response, lines.length, new URL(url).origin);
  } catch (error) {
    return { trouble: `A request to ${new URL(url).origin} failed: ${describeError(error)}`, afterMs: undefined };
  }
}

/** A host with several addresses fails once for each; errors of TLS contain further lines of OpenSSL. */
function describeError(error: unknown): string {
  const { message } = (error instanceof AggregateError ? error.errors[0] : error) as Error;
  if (message.includes('wrong version number')) return 'it answers in http, not https';
  return message.trim().split('\n')[0]!;
}

function gzipped(body: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    process
      .getBuiltinModule('node:zlib')
      .gzip(body, (error, bytes) => (error === null ? resolve(bytes) : reject(error)));
  });
}

interface Response {
  status: number;
  statusText: string;
  headers: IncomingHttpHeaders;
  text: string;
}

interface Request {
  headers: OutgoingHttpHeaders;
  body: Buffer;
  signal: AbortSignal;
}

/**
 * Without `fetch`, whose module takes 16 MB of memory. An import of `node:http` reads all its exports, which loads that
 * module as well; `process.getBuiltinModule` does not.
 */
async function post(url: URL, { headers, body, signal }: Request): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const module = url.protocol === 'https:' ? 'node:https' : 'node:http';
  const request = process
    .getBuiltinModule(module)
    .request(url, { method: 'POST', headers: { ...headers, 'content-length': body.length }, signal });
  request.on('error', reject);
  // Without a listener Node closes the connection and emits no error.
  request.on('upgrade', (response, socket) => {
    socket.destroy();
    reject(new Error(`${response.statusCode} ${response.statusMessage} is not a response to events`));
  });
  request.on('response', (response) => {
    const chunks: Buffer[] = [];
    let length = 0;
    response.on('error', reject);
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > MAX_RESPONSE_BYTES) response.destroy(new Error('the response is longer than 16 MiB'));
    });
    response.on('end', () => {
      const { statusCode: status = 0, statusMessage: statusText = '', headers } = response;
      resolve({ status, statusText, headers, text: Buffer.concat(chunks).toString('utf8') });
    });
  });
  request.end(body);
  return await promise;
}

function readResponse({ status, statusText, headers, text }: Response, count: number, origin: string): IngestResponse {
  const body = parsed(text);
  if (status === 200 && Array.isArray(body) && body.length === count && body.every(isReceipt))
    return { receipts: body };
  const { error_description } = (body ?? {}) as { error_description?: unknown };
  const sentence = quoted(`${status} ${typeof error_description === 'string' ? error_description : statusText}`);
  if (status === 400 || status === 413) return { refused: sentence };
  const remedy = `. ${origin} is not the ingest: set the address to INGEST_URL of the service.`;
  const trouble = /^(2..|3..|404|405)$/.test(String(status)) ? sentence.replace(/\.?$/, () => remedy) : sentence;
  return { trouble, afterMs: parseRetryAfter(headers['retry-after']) };
}

/** Only these are a decision of the service about an event; otherwise the event must stay in the queue. */
const STATUSES: readonly unknown[] = ['accepted', 'duplicate', 'rejected'] satisfies Receipt['status'][];

const isReceipt = (value: unknown): value is Receipt =>
  typeof value === 'object' && value !== null && 'status' in value && STATUSES.includes(value.status);

// oxlint-disable-next-line no-control-regex -- control characters are what is replaced
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]+/g;

/** One line of bounded length, for a log. */
export const quoted = (text: unknown): string => String(text).slice(0, MAX_SENTENCE).replaceAll(CONTROLS, ' ');

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined || !/^\d+$/.test(header)) return undefined;
  return Math.min(Number(header) * 1000, MAX_RETRY_AFTER_MS);
}
