import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';

/** A raw HTTP response: no decoding, no redirects followed. */
export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  text: string;
  /** The body parsed as JSON; undefined if it is not JSON. */
  json: any; // oxlint-disable-line typescript/no-explicit-any -- tests inspect bodies of any shape
}

export interface Wish {
  method?: string;
  token?: string | undefined;
  clientId?: string | undefined;
  headers?: OutgoingHttpHeaders;
  body?: string;
}

/** Sends one request to a service and waits for the whole response. */
export function ask(origin: string, path: string, wish: Wish = {}): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const { hostname, port } = new URL(origin);
  const headers: OutgoingHttpHeaders = { ...wish.headers };
  if (wish.token !== undefined) headers['authorization'] = `Bearer ${wish.token}`;
  if (wish.clientId !== undefined) headers['x-client-id'] = wish.clientId;
  const sent = request({ hostname, port, path, method: wish.method ?? 'GET', headers }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('error', reject);
    response.on('end', () => resolve(toReply(response.statusCode!, response.headers, Buffer.concat(chunks))));
  });
  sent.on('error', reject);
  sent.end(wish.body);
  return promise;
}

/** Returns a function that sends requests to a service with the credentials of one caller. */
export function clientOf(origin: string, caller: Pick<Wish, 'token' | 'clientId'>) {
  return (path: string, wish: Wish = {}): Promise<Reply> => ask(origin, path, { ...caller, ...wish });
}

/** Writes raw bytes to a service and reads responses until the service closes the connection. */
export async function askRaw(origin: string, ...pieces: (string | Buffer)[]): Promise<Reply[]> {
  const { hostname, port } = new URL(origin);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect(Number(port), hostname.replace(/^\[(.*)\]$/, '$1'));
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', reject);
  socket.on('close', () => resolve());
  for (const piece of pieces) socket.write(piece);
  await promise;
  return repliesIn(Buffer.concat(chunks));
}

/** The bytes of a request; a body without `content-length` is sent in chunks. */
export function requestText(method: string, path: string, headers: Record<string, string>, body?: string): string {
  const isWhole = body === undefined || Object.keys(headers).some((name) => /^content-length$/i.test(name));
  const all = { host: 'x', ...headers, ...(isWhole ? {} : { 'transfer-encoding': 'chunked' }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${isWhole ? (body ?? '') : inChunks(body)}`;
}

/** Encodes a body as two chunks, so that neither is the whole body. */
function inChunks(body: string): string {
  const pieces = [body.slice(0, 5), body.slice(5)].filter((piece) => piece !== '');
  return [...pieces, ''].map((piece) => `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`).join('');
}

/** Splits the bytes of a connection into responses. Each must have a `content-length` or no body. */
export function repliesIn(bytes: Buffer): Reply[] {
  const replies: Reply[] = [];
  for (let rest = bytes; rest.length > 0;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) throw new Error(`Not an HTTP response: ${JSON.stringify(rest.toString('latin1').slice(0, 200))}`);
    const [first = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
    const length = Number(headers['content-length'] ?? 0);
    // 100 Continue is not the final response.
    if (status >= 200) replies.push(toReply(status, headers, rest.subarray(end + 4, end + 4 + length)));
    rest = rest.subarray(end + 4 + length);
  }
  return replies;
}

function toReply(status: number, headers: IncomingHttpHeaders, bytes: Buffer): Reply {
  const text = bytes.toString();
  const isOther = /^(application\/(x-ndjson|[\w.+-]*xml|javascript)|text\/|image\/|font\/)/.test(
    headers['content-type'] ?? '',
  );
  const isJson = headers['content-encoding'] === undefined && !isOther && text !== '';
  return { status, headers, bytes, text, json: isJson ? (JSON.parse(text) as unknown) : undefined };
}
