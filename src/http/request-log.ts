import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { AppContext } from '#context/context.ts';
import { ClientAddresses } from './client-address.ts';
import { clientNetwork } from './client-network.ts';
import { headerValues } from './credentials.ts';
import type { RefusedRequests } from './refused-requests.ts';
import type { MeasuredResponse } from './request-metrics.ts';

/** A form that log and header can hold; 64 characters have room for a UUID and for the trace ids of proxies. */
const REQUEST_ID = /^[\w.:+/=@-]{1,64}$/;
const MAX_PATH = 200;
/** The id of a sign-in in its path is the value of its cookie too. */
const SECRET_SEGMENT = /\/[\w-]{43}(?=\/|$)/g;
/** The client closed the connection first; nothing was refused. */
const CLOSED_BY_CLIENT = 499;

/** Writes the access log of one service, and counts its refused requests. */
export class RequestLog {
  readonly #log: AppContext['log'];
  /** The lowest status that is logged. */
  readonly #logged: number;
  readonly #service: string;
  readonly #addresses: ClientAddresses;
  readonly #hasProxies: boolean;
  readonly #refused: RefusedRequests;

  constructor({ config, log }: AppContext, service: string, refused: RefusedRequests) {
    this.#log = log;
    this.#logged = { off: Infinity, errors: 400, all: 0 }[config.ACCESS_LOG];
    this.#service = service;
    this.#addresses = new ClientAddresses(config.TRUSTED_PROXIES);
    this.#hasProxies = config.TRUSTED_PROXIES.length > 0;
    this.#refused = refused;
  }

  /** Takes over the request id of a trusted proxy. */
  received(request: IncomingMessage, response: MeasuredResponse): void {
    if (!this.#hasProxies) return;
    const [id] = headerValues(request, 'x-request-id');
    if (id !== undefined && REQUEST_ID.test(id) && this.#addresses.trustsPeer(request)) response.requestId = id;
  }

  ended(response: MeasuredResponse, status: number, seconds: number): void {
    if (status < 400 && status < this.#logged) return;
    const { req: request, route, senders, requestId } = response;
    const address = response.address ?? this.#addresses.of(request);
    if (isRefused(status)) this.#refused.add({ ...senders, address: networkOf(address) }, status);
    if (status < this.#logged) return;
    // A query may have a token or the code of a mail.
    const path = request.url?.split('?', 1)[0]!.replaceAll(SECRET_SEGMENT, '/…').slice(0, MAX_PATH);
    const fields = { request_id: requestId, service: this.#service, method: request.method, path, route, status };
    this.#log.info({ ...fields, ms: Math.round(seconds * 1e5) / 100, address, ...senders }, 'request');
  }

  /** A request that Node could not read, so that there is neither a path nor a header. */
  unreadable({ remoteAddress: address = '' }: Socket, status: number, requestId: string): void {
    this.#refused.add({ address: networkOf(address.replace(/^::ffff:/, '')) }, status);
    if (status < this.#logged) return;
    this.#log.info({ request_id: requestId, service: this.#service, status, address }, 'request');
  }
}

const isRefused = (status: number): boolean => status >= 400 && status < CLOSED_BY_CLIENT;

/** The address for a count: a /64 for IPv6, whose addresses one client may use all. */
function networkOf(address: string): string {
  if (address === '') return 'unix';
  return address.includes(':') ? `${clientNetwork(address)}::/64` : address;
}
