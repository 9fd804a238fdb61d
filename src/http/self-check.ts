import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ServiceName } from '#platform/config/config.ts';
import { keyedHashOf, openSecretKey } from '#platform/crypto/secret-key.ts';
import type { KeyedHash } from '#db/db.ts';
import type { AppContext } from '#context/context.ts';
import { ClientAddresses } from './client-address.ts';
import { drain } from './listener.ts';

/** Every public service answers here to `scorehall doctor`, which sees whether its address leads to this installation. */
export const SELF_CHECK_PATH = '/.well-known/scorehall-check';
export const SELF_CHECK_HEADER = 'x-scorehall-check';

const VALID_MS = 60_000;
/** Maximum bytes of a body that are counted; the ingest accepts 64 MB, after decompression. */
const MAX_BODY = 64 * 1024 * 1024;

/** A request of the doctor as the service received it. */
export interface SelfCheck {
  service: ServiceName;
  /** The address that limits and logs count for. */
  client_address: string;
  /** The other end of the connection: the client itself or the last proxy; empty for a Unix socket. */
  peer_address: string;
  peer_port: number;
  /** Whether TRUSTED_PROXIES has the peer. */
  peer_trusted: boolean;
  forwarded_for: string;
  body_bytes: number;
}

/** It has `keyedHashOf` under the secret key, without the keys of earlier secrets. */
type Signer = Record<'keyedHash', KeyedHash>;

/** The header of a request to one service. It proves the secret key; other requests get no answer. */
export function selfCheckToken({ keyedHash }: Signer, service: ServiceName, now: number): string {
  return `${now}.${keyedHash(`self-check ${service} ${now}`)}`;
}

/** Answers requests of the doctor; every other request goes to `listener`, as if the path did not exist. */
export function withSelfCheck(
  { config, clock }: AppContext,
  service: ServiceName,
  listener: RequestListener,
): RequestListener {
  const addresses = new ClientAddresses(config.TRUSTED_PROXIES);
  // Read once: a file that has become unreadable must not fail in the listener of a request.
  const signer: Signer = { keyedHash: keyedHashOf(openSecretKey(config)) };
  return (request, response) => {
    if (request.url !== SELF_CHECK_PATH || !isSigned(signer, service, clock.now(), request))
      return listener(request, response);
    answer(addresses, service, request, response).catch(() => response.destroy());
  };
}

function isSigned(signer: Signer, service: ServiceName, now: number, { headers }: IncomingMessage): boolean {
  const given = String(headers[SELF_CHECK_HEADER] ?? '');
  const time = Number(/^\d{1,15}(?=\.)/.exec(given)?.[0] ?? NaN);
  if (!(Math.abs(now - time) <= VALID_MS)) return false;
  const expected = Buffer.from(selfCheckToken(signer, service, time));
  const actual = Buffer.from(given);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

async function answer(
  addresses: ClientAddresses,
  service: ServiceName,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const result: SelfCheck = {
    service,
    client_address: addresses.of(request),
    peer_address: (request.socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
    peer_port: request.socket.remotePort ?? 0,
    peer_trusted: addresses.trustsPeer(request),
    forwarded_for: String(request.headers['x-forwarded-for'] ?? ''),
    body_bytes: await readLength(request),
  };
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(result));
}

async function readLength(request: IncomingMessage): Promise<number> {
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY) break;
  }
  drain(request);
  return length;
}
