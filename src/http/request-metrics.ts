import { randomUUID } from 'node:crypto';
import { type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { Senders } from './refused-requests.ts';
import { DURATION_BUCKETS, histogram, type Metrics } from '#platform/process/metrics.ts';

const REQUEST_ID = 'x-request-id';

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

/** Keeps the client address of a request whose headers are changed. */
export function setAddress(response: ServerResponse, address: string): void {
  if (response instanceof MeasuredResponse) response.address = address;
}

/** Names the senders of a request, for the access log and the counts of refused requests. */
export function setSenders(response: ServerResponse | undefined, senders: Senders): void {
  if (response instanceof MeasuredResponse) response.senders = senders;
}

/** Sets the route label of a response: the path with `:id`, never the path of the request. */
export function setRoute(response: ServerResponse, route: string): void {
  if (response instanceof MeasuredResponse) response.route = route;
}

/** The response that Hono writes to; undefined in tests that call an application without a connection. */
export function outgoingOf(c: Context): ServerResponse | undefined {
  return ((c.env ?? {}) as Partial<HttpBindings>).outgoing as ServerResponse | undefined;
}

/** Sets the route label to the pattern that matched. Must be the first middleware. */
export const setHonoRoute: MiddlewareHandler = async (c, next) => {
  await next();
  const outgoing = outgoingOf(c);
  const last = matchedRoutes(c).at(-1);
  if (outgoing !== undefined && last !== undefined && last.method !== 'ALL') setRoute(outgoing, last.path);
};

type RequestEnded = (response: MeasuredResponse, status: number, seconds: number) => void;

/** Measures the requests of one service: duration and number by route and status. */
export class RequestMetrics {
  readonly #durations: ReturnType<typeof histogram<'service' | 'route' | 'status'>>;
  readonly #service: string;
  readonly #ended: RequestEnded | undefined;
  readonly #observers = new Map<string, (seconds: number) => void>();

  /** @param ended runs after each request */
  constructor(metrics: Metrics, service: string, ended?: RequestEnded) {
    this.#service = service;
    this.#ended = ended;
    this.#durations = histogram(metrics, {
      name: 'scorehall_http_request_duration_seconds',
      help: 'Time from the headers of a request to the end of its response',
      labelNames: ['service', 'route', 'status'],
      buckets: DURATION_BUCKETS,
    });
  }

  /** Measures a request whose headers have just arrived. */
  start(response: MeasuredResponse): void {
    response.measure = () => {
      response.measure = undefined;
      this.#observe(response);
    };
    response.on('close', () => response.measure?.());
  }

  #observe(response: MeasuredResponse): void {
    const { route, started, isStream } = response;
    // 499, as proxies log it: the client closed the connection before the response was complete.
    const status = response.writableFinished || isStream ? response.statusCode : 499;
    const key = `${status} ${route}`;
    let observe = this.#observers.get(key);
    if (observe === undefined) {
      const labels = this.#durations.labels({ service: this.#service, route, status: String(status) });
      this.#observers.set(key, (observe = (value) => labels.observe(value)));
    }
    const seconds = (performance.now() - started) / 1000;
    observe(seconds);
    this.#ended?.(response, status, seconds);
  }
}
