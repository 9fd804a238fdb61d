import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { headerValues } from './credentials.ts';
import { HttpError } from './errors.ts';
import { MeasuredResponse, newRequestId, NOSNIFF, type RequestObserver } from './request-metrics.ts';

/** In milliseconds: the time limits for sending the headers and the whole request, and the interval of checking them. */
type RequestTimeouts = Required<
  Pick<ServerOptions, 'headersTimeout' | 'requestTimeout' | 'connectionsCheckingInterval'>
>;

const TIMEOUTS: RequestTimeouts = {
  headersTimeout: 30_000,
  requestTimeout: 120_000,
  connectionsCheckingInterval: 5_000,
};
const MAX_HEADER_BYTES = 16 * 1024;
/**
 * How long to discard further bytes of a refused client. Closing immediately would reset the connection, and the client
 * would not see the refusal.
 */
const LINGER_MS = 2_000;
/** The same for the body of a valid request, which may be large. */
const LINGER_FOR_BODY_MS = 10_000;

interface HttpOptions {
  /** False lets Node skip the body stream of requests without a body (`optimizeEmptyRequests`). */
  readsBodies?: boolean | undefined;
  timeouts?: RequestTimeouts;
  observer?: RequestObserver;
}

/**
 * Creates an HTTP server that also sends our JSON error body for the errors that Node answers itself: parser errors, timeouts,
 * a missing or invalid Host, CONNECT.
 */
export function httpServer(
  listener: RequestListener,
  { readsBodies = true, timeouts = TIMEOUTS, observer }: HttpOptions = {},
): Server {
  const latest: Connections = new Map();
  const serve: RequestListener<typeof IncomingMessage, typeof MeasuredResponse> = (request, response) => {
    latest.set(request.socket, response);
    observer?.received(request, response);
    if (!hasHost(request)) refuseRequest(response, BAD_HOST);
    else if (!hasOneCoding(request)) refuseRequest(response, BAD_CODING);
    else listener(request, response);
  };
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: 65_000,
      requireHostHeader: false,
      ServerResponse: MeasuredResponse,
      optimizeEmptyRequests: !readsBodies,
      ...timeouts,
    },
    serve,
  );
  serverConnections.set(server, latest);
  const refuseUnreadable = (socket: Duplex, error: HttpError): void => {
    const requestId = newRequestId();
    observer?.unreadable(socket as Socket, error.status, requestId);
    refuse(socket, latest.get(socket), error, requestId);
  };
  return server
    .on('connection', (socket) => {
      latest.set(socket, undefined);
      // Node then remembers the address, which the log also needs after the end of the connection.
      void socket.remoteAddress;
      socket.once('close', () => latest.delete(socket));
    })
    .on('checkExpectation', serve)
    .on('connect', (_, socket) => {
      // Node has removed its own handler; without one, a reset of this connection would end the process.
      socket.on('error', () => undefined);
      refuseUnreadable(socket, NO_PROXY);
    })
    .on('clientError', (error: NodeJS.ErrnoException, socket) => {
      if (refused.has(socket)) return;
      if (!socket.writable || /^(ECONNRESET|EPIPE)$/.test(error.code ?? '')) socket.destroy();
      else refuseUnreadable(socket, REJECTIONS[error.code ?? ''] ?? BAD_HTTP);
    });
}

/** Each open connection with the response to its latest request; undefined before its first request. */
type Connections = Map<Duplex, ServerResponse | undefined>;
const serverConnections = new WeakMap<Server, Connections>();

/** Stops accepting requests, completes the pending ones, and closes all connections that are still busy at the timeout. */
export async function closeHttpServer(server: Server, timeoutMs: number): Promise<void> {
  if (!server.listening) return;
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  for (const [socket, latest] of serverConnections.get(server) ?? []) {
    if (latest === undefined || latest.writableFinished) socket.destroy();
    else latest.once('close', () => socket.destroy());
  }
  const timeout = setTimeout(() => server.closeAllConnections(), timeoutMs);
  await closed;
  clearTimeout(timeout);
}

const METHODS = 'GET, HEAD, OPTIONS';
const refusal = (status: number, sentence: string, code = 'invalid_request', headers = {}): HttpError =>
  new HttpError(status, code, sentence, headers);
const BAD_HTTP = refusal(400, 'The request is not valid HTTP.');
const BAD_HOST = refusal(400, 'The request must have exactly one valid Host header.');
const BAD_CODING = refusal(400, 'The request may have one Transfer-Encoding header, and only chunked.');
const NO_PROXY = refusal(405, 'This server is not a proxy: CONNECT is not supported.', 'method_not_allowed', {
  allow: METHODS,
});
const REJECTIONS: Record<string, HttpError> = {
  HPE_HEADER_OVERFLOW: refusal(431, 'The path and the headers together must not be longer than 16 KB.'),
  HPE_INVALID_URL: refusal(400, 'The path is not valid: spaces and non-ASCII characters must be percent-encoded.'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: refusal(413, 'The chunk extensions of the body are too long.'),
  ERR_HTTP_REQUEST_TIMEOUT: refusal(408, 'The request was not complete in time.'),
};
const REASONS: Record<number, string> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  413: 'Content Too Large',
  431: 'Request Header Fields Too Large',
};

/**
 * Whether the request has no Transfer-Encoding but one `chunked`. Node accepts several lines and other codings before it,
 * of which a proxy may see another end of the body (request smuggling).
 */
function hasOneCoding(request: IncomingMessage): boolean {
  const coding = request.headers['transfer-encoding'];
  if (coding === undefined) return true;
  return headerValues(request, 'transfer-encoding').length === 1 && coding.toLowerCase() === 'chunked';
}

/** Whether the request has exactly one valid Host header (RFC 9112 section 3.2). HTTP/1.0 does not require one. */
function hasHost(request: IncomingMessage): boolean {
  const [host, another] = headerValues(request, 'host');
  if (another !== undefined) return false;
  return host === undefined ? request.httpVersion === '1.0' : !/[\s/?#@,\\]/.test(host);
}

function refuseRequest(response: ServerResponse, { status, body }: HttpError): void {
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  response.writeHead(status, headers).end(body);
}

/** Whether the client has closed the connection, so that no response can be sent. */
export function hasGone({ socket }: { socket: IncomingMessage['socket'] | null }): boolean {
  // Node sets the socket of a destroyed request to null; its type does not say so.
  return socket === null || socket.destroyed;
}

/** Whether an error only means that the client closed the connection. */
export function disconnected(request: IncomingMessage, error: unknown): boolean {
  return hasGone(request) && /^(ECONNRESET|EPIPE)$/.test((error as { code?: string } | undefined)?.code ?? '');
}

/**
 * Discards the rest of the body of a request that is already answered, for up to ten seconds. Closing the connection while
 * the client still sends would reset it before the client reads the response; an unread rest would be parsed as the next
 * request.
 */
export function drain(request: IncomingMessage): void {
  request.unpipe();
  if (request.complete) return;
  const timeout = setTimeout(() => request.destroy(), LINGER_FOR_BODY_MS).unref();
  request.on('error', () => undefined);
  for (const event of ['end', 'close']) request.once(event, () => clearTimeout(timeout));
  request.resume();
}

const refused = new WeakSet<Duplex>();

/**
 * Sends an error and closes the connection. If the latest request is complete, the invalid bytes came after it and the
 * error follows its response. Otherwise its own body is invalid and the error replaces its response, unless that has begun.
 */
function refuse(socket: Duplex, latest: ServerResponse | undefined, error: HttpError, requestId: string): void {
  refused.add(socket);
  const answer = rawResponse(error, requestId);
  if (latest === undefined) disconnect(socket, answer);
  else if (latest.writableFinished) disconnect(socket, latest.req.complete ? answer : undefined);
  else if (latest.req.complete) latest.once('close', () => disconnect(socket, answer));
  else if (latest.socket === socket && !latest.headersSent) disconnect(socket, answer);
  else {
    latest.once('close', () => disconnect(socket));
    // The handler may wait forever for the rest of the body, so the response gets a time limit.
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  }
}

function disconnect(socket: Duplex, answer?: string): void {
  if (socket.destroyed) return;
  socket.end(answer);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function rawResponse({ status, headers, body }: HttpError, requestId: string): string {
  const lines = Object.entries({ ...headers, ...NOSNIFF }).map(([name, value]) => `${name}: ${value}\r\n`);
  return (
    `HTTP/1.1 ${status} ${REASONS[status]}\r\n${lines.join('')}content-type: application/json\r\n` +
    `content-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${requestId}\r\nconnection: close\r\n\r\n${body}`
  );
}
