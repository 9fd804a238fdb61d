import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { HttpError } from './errors.ts';

/** How long a caller may take: to send the headers, the whole request (ms), and how often that is looked at. */
type HeaderTimeouts = Required<
  Pick<ServerOptions, 'headersTimeout' | 'requestTimeout' | 'connectionsCheckingInterval'>
>;

const PATIENCE: HeaderTimeouts = {
  headersTimeout: 30_000,
  requestTimeout: 120_000,
  connectionsCheckingInterval: 5_000,
};
const MAX_HEADER_BYTES = 16 * 1024;
/** How long what a refused caller still sends is read away, so that the refusal reaches it before the end does. */
const LINGER_MS = 2_000;
/** The same where the request itself is well: a large body takes its time. */
const LINGER_FOR_BODY_MS = 10_000;

interface HttpOptions {
  /** Where nobody reads what comes with a request, no stream is kept for one that comes without a body. */
  readsBodies?: boolean | undefined;
  patience?: HeaderTimeouts;
}

/**
 * A server whose every answer has the body that errors have, those that Node gives by itself as well: what the parser
 * refuses, who takes too long, a missing Host, CONNECT.
 */
export function httpServer(
  listener: RequestListener,
  { readsBodies = true, patience = PATIENCE }: HttpOptions = {},
): Server {
  const latest: Connections = new Map();
  const serve: RequestListener = (request, response) => {
    latest.set(request.socket, response);
    if (hasHost(request)) listener(request, response);
    else refuseRequest(response, BAD_HOST);
  };
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: 65_000,
      requireHostHeader: false,
      optimizeEmptyRequests: !readsBodies,
      ...patience,
    },
    serve,
  );
  connectionsOf.set(server, latest);
  return server
    .on('connection', (socket) => {
      latest.set(socket, undefined);
      socket.once('close', () => latest.delete(socket));
    })
    .on('checkExpectation', serve)
    .on('connect', (request, socket) => refuse(socket, latest.get(request.socket), NO_PROXY))
    .on('clientError', (error: NodeJS.ErrnoException, socket) => {
      if (refused.has(socket)) return;
      if (!socket.writable || /^(ECONNRESET|EPIPE)$/.test(error.code ?? '')) socket.destroy();
      else refuse(socket, latest.get(socket), REJECTIONS[error.code ?? ''] ?? BAD_HTTP);
    });
}

/** Each open connection with the answer to its latest request. */
type Connections = Map<Duplex, ServerResponse | undefined>;
const connectionsOf = new WeakMap<Server, Connections>();

/** Takes no more requests, answers those under way, and hangs up on whoever is not answered in time. */
export async function closeHttpServer(server: Server, patienceMs: number): Promise<void> {
  if (!server.listening) return;
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  for (const [socket, latest] of connectionsOf.get(server) ?? []) {
    if (latest === undefined || latest.writableFinished) socket.destroy();
    else latest.once('close', () => socket.destroy());
  }
  const impatience = setTimeout(() => server.closeAllConnections(), patienceMs);
  await closed;
  clearTimeout(impatience);
}

const METHODS = 'GET, HEAD, OPTIONS';
const refusal = (status: number, sentence: string, code = 'invalid_request', headers = {}): HttpError =>
  new HttpError(status, code, sentence, headers);
const BAD_HTTP = refusal(400, 'The request is not valid HTTP.');
const BAD_HOST = refusal(400, 'The request must have one valid Host header.');
const NO_PROXY = refusal(405, 'CONNECT is for proxies, which this is not.', 'method_not_allowed', { allow: METHODS });
const REJECTIONS: Record<string, HttpError> = {
  HPE_HEADER_OVERFLOW: refusal(431, 'Path and headers together are too long.'),
  HPE_INVALID_URL: refusal(400, 'The path is not valid: blanks and whatever is not ASCII must be percent-encoded.'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: refusal(413, 'The extensions of a chunk are too long.'),
  ERR_HTTP_REQUEST_TIMEOUT: refusal(408, 'The request did not come to its end in time.'),
};
const REASONS: Record<number, string> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  413: 'Content Too Large',
  431: 'Request Header Fields Too Large',
};

/** One Host, and one that can be: RFC 9112 section 3.2. HTTP/1.0 did without. */
function hasHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let host: string | undefined;
  for (let place = 0; place < rawHeaders.length; place += 2) {
    const name = rawHeaders[place]!;
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue;
    if (host !== undefined) return false;
    host = rawHeaders[place + 1]!;
  }
  return host === undefined ? httpVersion === '1.0' : !/[\s/?#@,\\]/.test(host);
}

function refuseRequest(response: ServerResponse, { status, body }: HttpError): void {
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  response.writeHead(status, headers).end(body);
}

/** Whether the caller has hung up: nobody is there to be answered. */
export function hasGone({ socket }: { socket: IncomingMessage['socket'] | null }): boolean {
  // A request that was destroyed has no connection any more, whatever its type says.
  return socket === null || socket.destroyed;
}

/** Whether what failed is that the caller hung up: no fault of ours, and nobody waits for the answer any more. */
export function disconnected(request: IncomingMessage, error: unknown): boolean {
  return hasGone(request) && /^(ECONNRESET|EPIPE)$/.test((error as { code?: string } | undefined)?.code ?? '');
}

/**
 * Reads away what comes of a request that is answered already, for a while. Whoever is hung up on while it still sends
 * sees a broken connection in the place of its answer, and what nobody reads would pass for the next request.
 */
export function drain(request: IncomingMessage): void {
  request.unpipe();
  if (request.complete) return;
  const hangUp = setTimeout(() => request.destroy(), LINGER_FOR_BODY_MS).unref();
  request.on('error', () => undefined);
  for (const over of ['end', 'close']) request.once(over, () => clearTimeout(hangUp));
  request.resume();
}

const refused = new WeakSet<Duplex>();

/** Refuses what follows the latest request of a connection, or that request itself where its body is what is broken. */
function refuse(socket: Duplex, latest: ServerResponse | undefined, error: HttpError): void {
  if (refused.has(socket)) return;
  refused.add(socket);
  if (latest === undefined) disconnect(socket, error);
  else if (latest.writableFinished) disconnect(socket, latest.req.complete ? error : undefined);
  else if (latest.req.complete) latest.once('close', () => disconnect(socket, error));
  else if (latest.socket === socket && !latest.headersSent) disconnect(socket, error);
  else {
    latest.once('close', () => disconnect(socket));
    // Whoever is to answer may wait for the rest of the body, which does not come any more.
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  }
}

function disconnect(socket: Duplex, error?: HttpError): void {
  if (socket.destroyed) return;
  socket.end(error && textOf(error));
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function textOf({ status, headers, body }: HttpError): string {
  const own = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return (
    `HTTP/1.1 ${status} ${REASONS[status]}\r\n${own.join('')}content-type: application/json\r\n` +
    `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
  );
}
