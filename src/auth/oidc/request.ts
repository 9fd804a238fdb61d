import { IncomingMessage, type ServerResponse } from 'node:http';
import { HttpError } from '#http/errors.ts';

const MAX_BODY = 64 * 1024;

/**
 * Overwrites the host headers from the issuer. oidc-provider builds every URL in its responses from these headers, so a
 * forged `Host` or `X-Forwarded-Host` would otherwise poison the discovery document.
 */
export function pinHost({ headers }: IncomingMessage, issuer: URL): void {
  headers.host = issuer.host;
  headers['x-forwarded-host'] = issuer.host;
  headers['x-forwarded-proto'] = issuer.protocol.slice(0, -1);
  for (const name of ['x-forwarded-for', 'x-forwarded-port', 'forwarded']) delete headers[name];
}

/** Copies the request with a form as its body; the body of the original has been read and cannot be read again. */
export function withBody(request: IncomingMessage, form: string): IncomingMessage {
  const copy = new IncomingMessage(request.socket);
  const { method, url, httpVersion, httpVersionMajor, httpVersionMinor } = request;
  const headers = {
    ...request.headers,
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(Buffer.byteLength(form)),
  };
  delete (headers as IncomingMessage['headers'])['transfer-encoding'];
  Object.assign(copy, { method, url, httpVersion, httpVersionMajor, httpVersionMinor, headers, complete: true });
  copy.push(form);
  copy.push(null);
  return copy;
}

export function isJson({ headers }: IncomingMessage): boolean {
  return /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '');
}

export function isForm({ headers }: IncomingMessage): boolean {
  return /^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers['content-type'] ?? '');
}

/**
 * Reads the body as text.
 * @throws HttpError 413 if it is longer than `MAX_BODY` bytes
 */
export async function readBody(request: IncomingMessage): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= MAX_BODY) chunks.push(chunk);
    else reject(new HttpError(413, 'invalid_request', `The body must not be longer than ${MAX_BODY} bytes.`));
  });
  request.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
  request.on('error', reject);
  return await promise;
}

/** Converts a JSON body to a form, the only body that oidc-provider reads. */
export function formFromJson(body: string): string {
  const members = parseObject(body);
  for (const [name, value] of Object.entries(members)) {
    if (typeof value !== 'string') throw invalid(`${name} must be a string.`);
  }
  return new URLSearchParams(members as Record<string, string>).toString();
}

function parseObject(body: string): object {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Invalid JSON gets the same error as JSON that is not an object.
  }
  throw invalid('The body must be a JSON object, or a form (application/x-www-form-urlencoded).');
}

const invalid = (description: string): HttpError => new HttpError(400, 'invalid_request', description);

/** Sends an error that occurred before oidc-provider received the request; with CORS headers, so that web pages can read it. */
export function refuse(response: ServerResponse, { status, headers, body }: HttpError, origin?: string): void {
  const cors = origin === undefined ? {} : { 'access-control-allow-origin': origin, vary: 'origin' };
  const common = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  response.writeHead(status, { ...headers, ...common, ...cors }).end(body);
}
