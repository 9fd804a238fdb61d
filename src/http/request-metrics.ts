import { ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { DURATION_BUCKETS, histogram, type Metrics } from '#platform/process/metrics.ts';

/** A response that carries what is measured of it. `httpServer` lets Node create its responses as this class. */
export class MeasuredResponse extends ServerResponse {
  readonly started = performance.now();
  /** The route label; the initial value is for paths that do not exist. */
  route = 'none';
}

/** Sets the route label of a response: the path with `:id`, never the path of the request. */
export function setRoute(response: ServerResponse, route: string): void {
  if (response instanceof MeasuredResponse) response.route = route;
}

/** Sets the route label to the pattern that matched. Must be the first middleware. */
export const setHonoRoute: MiddlewareHandler = async (c, next) => {
  await next();
  // Tests call the application without a connection.
  const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
  const last = matchedRoutes(c).at(-1);
  if (outgoing !== undefined && last !== undefined && last.method !== 'ALL')
    setRoute(outgoing as ServerResponse, last.path);
};

/** Measures the requests of one service: duration and number by route and status. */
export class RequestMetrics {
  readonly #durations: ReturnType<typeof histogram<'service' | 'route' | 'status'>>;
  readonly #service: string;
  readonly #observers = new Map<string, (seconds: number) => void>();

  constructor(metrics: Metrics, service: string) {
    this.#service = service;
    this.#durations = histogram(metrics, {
      name: 'scorehall_http_request_duration_seconds',
      help: 'Time from the headers of a request to the end of its response',
      labelNames: ['service', 'route', 'status'],
      buckets: DURATION_BUCKETS,
    });
  }

  /** Measures a request whose headers have just arrived. */
  start(response: MeasuredResponse): void {
    response.on('close', () => this.#observe(response));
  }

  #observe(response: MeasuredResponse): void {
    const { route, started } = response;
    // 499, as proxies log it: the client closed the connection before the response was complete.
    const status = response.writableFinished ? response.statusCode : 499;
    const key = `${status} ${route}`;
    let observe = this.#observers.get(key);
    if (observe === undefined) {
      const labels = this.#durations.labels({ service: this.#service, route, status: String(status) });
      this.#observers.set(key, (observe = (value) => labels.observe(value)));
    }
    observe((performance.now() - started) / 1000);
  }
}
