import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { AppContext } from '#context/context.ts';
import { DURATION_BUCKETS, histogram } from '#platform/process/metrics.ts';
import { ClientAddresses, clientNetwork } from './client-address.ts';
import { headerValues } from './credentials.ts';
import type { RefusedRequests, Senders } from './refused-requests.ts';

const REQUEST_ID = 'x-request-id';
/** A form that log and header can hold; 64 characters have room for a UUID and for the trace ids of proxies. */
const REQUEST_ID_FORM = /^[\w.:+/=@-]{1,64}$/;
const MAX_PATH = 200;
/** The id of a sign-in in its path is the value of its cookie too. */
const SECRET_SEGMENT = /\/[\w-]{43}(?=\/|$)/g;
/** As proxies log it: the client closed the connection before the response was complete; nothing was refused. */
const CLOSED_BY_CLIENT = 499;

export const newRequestId = (): string => randomUUID().slice(-12);

/** A header of every response: no answer is another type than it says. */
export const NOSNIFF = { 'x-content-type-options': 'nosniff' };

/**
 * A response that carries what is measured and logged of it, and has its request's id in `X-Request-Id`. `httpServer` lets
 * Node create its responses as this class.
 */
export class MeasuredResponse extends ServerResponse {
  readonly started = performance.now();
  /** The route label; the initial value is for paths that do not exist. */
  route = 'none';
  /** Who sent the request, as soon as a service knows it. */
  senders: Senders | undefined;
  /** The client address, if the service has determined it. */
  address: string | undefined;
  isStream = false;
  /** Measures it before its end, once: a stream is as long as its client wants. */
  measure: (() => void) | undefined;
  #requestId: string | undefined;

  get requestId(): string {
    return (this.#requestId ??= newRequestId());
  }

  set requestId(id: string) {
    this.#requestId = id;
  }

  override writeHead(
    status: number,
    message?: string | OutgoingHttpHeaders | OutgoingHttpHeader[],
    headers?: OutgoingHttpHeaders | OutgoingHttpHeader[],
  ): this {
    const given = typeof message === 'string' ? headers : (message ?? headers);
    // Adding to the given headers keeps Node's fast way of writing them, which `setHeader` would leave.
    const all = Array.isArray(given)
      ? [...given, ...Object.entries(this.#headers()).flat()]
      : { ...given, ...this.#headers() };
    return typeof message === 'string' ? super.writeHead(status, message, all) : super.writeHead(status, all);
  }

  #headers(): Record<string, string> {
    return { ...NOSNIFF, [REQUEST_ID]: this.requestId };
  }
}

/** Measures and logs a response that has begun and whose end says nothing. */
export function measureStream(response: ServerResponse): void {
  if (!(response instanceof MeasuredResponse)) return;
  response.isStream = true;
  response.measure?.();
}

/** The id of the request that is answered: the one of the response, in the log and on error pages. */
export function requestIdOf(response: ServerResponse | undefined): string {
  return response instanceof MeasuredResponse ? response.requestId : newRequestId();
}

/**
 * Describes a response for metrics, access log and counts of refused requests: its route label, which is the path with `:id`
 * and never the path of the request; the senders; the client address of a request whose headers are changed.
 */
export function describeResponse(
  response: ServerResponse | undefined,
  facts: Partial<Pick<MeasuredResponse, 'route' | 'senders' | 'address'>>,
): void {
  if (response instanceof MeasuredResponse) Object.assign(response, facts);
}

/** The response that Hono writes to; undefined in tests that call an application without a connection. */
export function outgoingOf(c: Context): ServerResponse | undefined {
  return ((c.env ?? {}) as Partial<HttpBindings>).outgoing as ServerResponse | undefined;
}

/** Sets the route label to the pattern that matched. Must be the first middleware. */
export const setHonoRoute: MiddlewareHandler = async (c, next) => {
  await next();
  const last = matchedRoutes(c).at(-1);
  if (last !== undefined && last.method !== 'ALL') describeResponse(outgoingOf(c), { route: last.path });
};

/** Observes the requests of one service: measures them by route and status, writes the access log, counts refused ones. */
export class RequestObserver {
  readonly #log: AppContext['log'];
  /** The lowest status that is logged. */
  readonly #logged: number;
  readonly #service: string;
  readonly #addresses: ClientAddresses;
  readonly #hasProxies: boolean;
  readonly #refused: RefusedRequests;
  readonly #durations: ReturnType<typeof histogram<'service' | 'route' | 'status'>>;
  /** The part of the histogram of each status and route. */
  readonly #byRoute = new Map<string, { observe(seconds: number): void }>();

  constructor({ config, log, metrics }: AppContext, service: string, refused: RefusedRequests) {
    this.#log = log;
    this.#logged = { off: Infinity, errors: 400, all: 0 }[config.ACCESS_LOG];
    this.#service = service;
    this.#addresses = new ClientAddresses(config.TRUSTED_PROXIES);
    this.#hasProxies = config.TRUSTED_PROXIES.length > 0;
    this.#refused = refused;
    this.#durations = histogram(metrics, {
      name: 'scorehall_http_request_duration_seconds',
      help: 'Time from the headers of a request to the end of its response',
      labelNames: ['service', 'route', 'status'],
      buckets: DURATION_BUCKETS,
    });
  }

  /** Observes a request whose headers have just arrived. Takes over the request id of a trusted proxy. */
  received(request: IncomingMessage, response: MeasuredResponse): void {
    response.measure = () => {
      response.measure = undefined;
      this.#ended(response);
    };
    response.on('close', () => response.measure?.());
    if (!this.#hasProxies) return;
    const [id] = headerValues(request, REQUEST_ID);
    if (id !== undefined && REQUEST_ID_FORM.test(id) && this.#addresses.trustsPeer(request)) response.requestId = id;
  }

  #ended(response: MeasuredResponse): void {
    const { req: request, route, senders } = response;
    const status = response.writableFinished || response.isStream ? response.statusCode : CLOSED_BY_CLIENT;
    const seconds = (performance.now() - response.started) / 1000;
    const durations = this.#byRoute.getOrInsertComputed(`${status} ${route}`, () =>
      this.#durations.labels({ service: this.#service, route, status: String(status) }),
    );
    durations.observe(seconds);
    if (status < 400 && status < this.#logged) return;
    const address = response.address ?? this.#addresses.of(request);
    if (status >= 400 && status < CLOSED_BY_CLIENT)
      this.#refused.add({ ...senders, address: networkOf(address) }, status);
    if (status < this.#logged) return;
    // A query may have a token or the code of a mail.
    const path = request.url?.split('?', 1)[0]!.replaceAll(SECRET_SEGMENT, '/…').slice(0, MAX_PATH);
    const { method } = request;
    const fields = { request_id: response.requestId, service: this.#service, method, path, route, status };
    this.#log.info({ ...fields, ms: Math.round(seconds * 1e5) / 100, address, ...senders }, 'request');
  }

  /** A request that Node could not read, so that there is neither a path nor a header. */
  unreadable({ remoteAddress: address = '' }: Socket, status: number, requestId: string): void {
    this.#refused.add({ address: networkOf(address.replace(/^::ffff:/, '')) }, status);
    if (status < this.#logged) return;
    this.#log.info({ request_id: requestId, service: this.#service, status, address }, 'request');
  }
}

/** The address for a count: a /64 for IPv6, whose addresses one client may use all. */
function networkOf(address: string): string {
  if (address === '') return 'unix';
  return address.includes(':') ? `${clientNetwork(address)}::/64` : address;
}
