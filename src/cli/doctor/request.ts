import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Config } from '#platform/config/config.ts';

const TIMEOUT_MS = 10_000;

export interface Received {
  status: number;
  body: string;
  /** The own end of the connection. */
  local: { address: string; port: number };
  /** When the certificate of the other end expires; undefined without TLS. */
  expires: Date | undefined;
}

/**
 * Sends one request on a new connection. `fetch` shows neither the connection nor the certificate.
 * @param socketPath a socket to send it to, instead of the address of the URL
 */
export function send(
  url: string,
  headers: Record<string, string>,
  body?: Buffer,
  socketPath?: string,
): Promise<Received> {
  const { promise, resolve, reject } = Promise.withResolvers<Received>();
  const open = url.startsWith('https:') ? httpsRequest : httpRequest;
  const method = body === undefined ? 'GET' : 'POST';
  const length = body === undefined ? {} : { 'content-length': body.length };
  const request = open(url, { method, agent: false, socketPath, headers: { ...headers, ...length } });
  const timeout = setTimeout(
    () => request.destroy(Object.assign(new Error(`no answer within ${TIMEOUT_MS / 1000} s`), { code: 'ETIMEDOUT' })),
    TIMEOUT_MS,
  );
  request.once('close', () => clearTimeout(timeout));
  request.once('error', reject);
  request.once('response', (response) => {
    const { socket } = response;
    const local = { address: (socket.localAddress ?? '').replace(/^::ffff:/, ''), port: socket.localPort ?? 0 };
    const expires = expiryOf(socket);
    text(response).then((body) => resolve({ status: response.statusCode!, body, local, expires }), reject);
  });
  request.end(body);
  return promise;
}

/** Asks the internal listener of the running service. */
export const askInternal = ({ INTERNAL_LISTEN }: Pick<Config, 'INTERNAL_LISTEN'>, path: string): Promise<Received> =>
  send(`http://${internalAddress(INTERNAL_LISTEN)}${path}`, {}, undefined, INTERNAL_LISTEN.path);

/** HOST:PORT, or the path of the socket for a request that is sent to it. */
export const internalAddress = ({ host = 'localhost', port = 80 }: Config['INTERNAL_LISTEN']): string =>
  `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

function expiryOf(socket: IncomingMessage['socket']): Date | undefined {
  if (!('getPeerCertificate' in socket)) return undefined;
  const { valid_to } = (socket as TLSSocket).getPeerCertificate();
  return valid_to === undefined ? undefined : new Date(valid_to);
}
