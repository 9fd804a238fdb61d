import { IncomingMessage, type ServerResponse } from 'node:http';
import { invalidRequest, HttpError } from '#http/errors.ts';
import { adjustPushedForm } from './scopes.ts';

const MAX_BODY = 64 * 1024;
const PUSHED = /^\/oauth\/par\/?(\?|$)/i;

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

/**
 * Rewrites a request of an application to what oidc-provider accepts: a JSON body becomes a form, and credentials that are
 * sent twice or without a secret are sent once.
 * @throws HttpError 400 if the body is not valid
 */
export async function withClientForm(request: IncomingMessage): Promise<IncomingMessage> {
  const basic = readBasic(request.headers.authorization);
  const isPushed = PUSHED.test(request.url!);
  if (!isJson(request) && !(isForm(request) && (isPushed || basic !== undefined))) return request;
  const body = await readBody(request);
  const form = new URLSearchParams(isJson(request) ? formFromJson(body) : body);
  if (isPushed) {
    const problem = parametersProblem(form.toString());
    if (problem !== undefined) throw invalidRequest(problem);
    adjustPushedForm(form);
  }
  if (basic?.secret === '') moveClientId(form, basic.clientId);
  else if (basic !== undefined) dropEqualSecret(form, basic);
  const copy = withBody(request, form.toString());
  if (basic?.secret === '') delete copy.headers.authorization;
  return copy;
}

/**
 * Libraries send Basic with an empty password for a public application (RFC 6749 section 2.3.1 lets an empty secret be
 * omitted), which oidc-provider refuses. The form then names the application, as that of a public one does.
 */
function moveClientId(form: URLSearchParams, clientId: string): void {
  const named = form.get('client_id') ?? '';
  if (named !== '' && named !== clientId)
    throw invalidRequest('client_id in the body differs from the Authorization header.');
  if (named === '') form.set('client_id', clientId);
}

/** Some libraries send the same credentials by Basic and in the form, which oidc-provider refuses (RFC 6749 section 2.3). */
function dropEqualSecret(form: URLSearchParams, { clientId, secret }: BasicCredentials): void {
  const [named, ...more] = form.getAll('client_secret');
  if (more.length === 0 && named === secret && (form.get('client_id') ?? clientId) === clientId)
    form.delete('client_secret');
}

interface BasicCredentials {
  clientId: string;
  secret: string;
}

/** Reads the credentials of a Basic header; undefined for any other header. */
function readBasic(authorization = ''): BasicCredentials | undefined {
  const encoded = /^basic ([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const [, clientId, secret] = /^([\w-]{1,64}):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  return clientId === undefined ? undefined : { clientId, secret: formDecoded(secret!) };
}

/** RFC 6749 section 2.3.1: id and secret are encoded like the values of a form. */
function formDecoded(text: string): string {
  return new URLSearchParams(`x=${text.replaceAll('&', '%26')}`).get('x')!;
}

/** Copies the request with a form as its body; the body of the original has been read and cannot be read again. */
function withBody(request: IncomingMessage, form: string): IncomingMessage {
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

function isJson({ headers }: IncomingMessage): boolean {
  return /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '');
}

function isForm({ headers }: IncomingMessage): boolean {
  return /^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers['content-type'] ?? '');
}

/**
 * Reads the body as text.
 * @throws HttpError 413 if it is longer than `MAX_BODY` bytes
 */
async function readBody(request: IncomingMessage): Promise<string> {
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
function formFromJson(body: string): string {
  const members = parseObject(body);
  for (const [name, value] of Object.entries(members)) {
    if (typeof value !== 'string') throw invalidRequest(`${name} must be a string.`);
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
  throw invalidRequest('The body must be a JSON object, or a form (application/x-www-form-urlencoded).');
}

/** Sends an error that occurred before oidc-provider received the request; with CORS headers, so that web pages can read it. */
export function refuse(response: ServerResponse, { status, headers, body }: HttpError, origin?: string): void {
  const cors = origin === undefined ? {} : { 'access-control-allow-origin': origin, vary: 'origin' };
  const common = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  response.writeHead(status, { ...headers, ...common, ...cors }).end(body);
}

/** Maximum characters of all parameters of an authorization or sign-out request; longer URLs are refused by proxies. */
const MAX_PARAMETERS = 8_000;
/** Maximum characters of a parameter that is stored for the application and has no meaning here. */
const MAX_VALUE = 2_000;
const BOUNDED = ['state', 'nonce'];
const TOO_LONG = `The parameters must not be longer than ${MAX_PARAMETERS} characters.`;

/**
 * Each of these requests stores parameters, without a signed-in account.
 * @param query in its encoded form
 * @returns the sentence for parameters that are too long
 */
export function parametersProblem(query: string): string | undefined {
  if (query.length > MAX_PARAMETERS) return TOO_LONG;
  const values = new URLSearchParams(query);
  const long = BOUNDED.find((name) => (values.get(name) ?? '').length > MAX_VALUE);
  return long && `${long} must not be longer than ${MAX_VALUE} characters.`;
}

/**
 * Answers a POST to the authorization or sign-out endpoint (OpenID Connect Core section 3.1.2.1) by a redirect to the same
 * request as GET. Browsers send the session cookie, which is `SameSite=Lax`, with the redirect but not with a form of
 * another site.
 */
export async function redirectToGet(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if ((request.headers['content-type'] ?? '') !== '' && !isForm(request))
    throw invalidRequest('The body must be a form (application/x-www-form-urlencoded).');
  const query = new URLSearchParams(await readBody(request)).toString();
  if (query.length > MAX_PARAMETERS) throw new HttpError(413, 'invalid_request', TOO_LONG);
  const path = request.url!.split('?', 1)[0]!;
  response.writeHead(303, { location: `${path}?${query}`, 'cache-control': 'no-store' }).end();
}
