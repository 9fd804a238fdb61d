import { IncomingMessage, type ServerResponse } from 'node:http';
import { HttpError } from '#http/errors.ts';

const MAX_BODY = 64 * 1024;

/**
 * Every address that the protocol prints is made from these headers, so they say what the issuer says, whoever wrote
 * what into them on the way.
 */
export function pinHost({ headers }: IncomingMessage, issuer: URL): void {
  headers.host = issuer.host;
  headers['x-forwarded-host'] = issuer.host;
  headers['x-forwarded-proto'] = issuer.protocol.slice(0, -1);
  for (const name of ['x-forwarded-for', 'x-forwarded-port', 'forwarded']) delete headers[name];
}

/** The same request with its JSON body as a form, which is the only body that the protocol reads. */
export async function withFormBody(request: IncomingMessage): Promise<IncomingMessage> {
  return withBody(request, formOf(await readBody(request)));
}

/** The same request with a form for its body, the one that was read from it for instance. */
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

/** The body of a request as text. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= MAX_BODY) chunks.push(chunk);
    else reject(new HttpError(413, 'invalid_request', `The body is longer than ${MAX_BODY} bytes.`));
  });
  request.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
  request.on('error', reject);
  return await promise;
}

function formOf(body: string): string {
  const members = parsed(body);
  for (const [name, value] of Object.entries(members)) {
    if (typeof value !== 'string') throw invalid(`${name} must be a string.`);
  }
  return new URLSearchParams(members as Record<string, string>).toString();
}

function parsed(body: string): object {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // What is no JSON is answered as what is no object.
  }
  throw invalid('The body must be a JSON object, or a form (application/x-www-form-urlencoded).');
}

const invalid = (description: string): HttpError => new HttpError(400, 'invalid_request', description);

/** Answers an error that arises before the protocol sees the request. */
export function refuse(response: ServerResponse, { status, headers, body }: HttpError, origin?: string): void {
  const cors = origin === undefined ? {} : { 'access-control-allow-origin': origin, vary: 'origin' };
  const always = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  response.writeHead(status, { ...headers, ...always, ...cors }).end(body);
}
