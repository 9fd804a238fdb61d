import type { IncomingMessage, ServerResponse } from 'node:http';
import { ClientAddresses } from '#http/client-address.ts';
import { rateLimit, type RateLimitResult, type RateLimits, unusedRateLimit } from '#http/rate-limits.ts';
import { type Caller, Callers, FormerToken } from './callers.ts';
import { limitExceeded, methodNotAllowed, noSuchPath, notApproved, notIngest } from './refusals.ts';
import { type Credentials, readCredentials } from '#http/credentials.ts';
import { describeResponse, requestIdOf } from '#http/request-metrics.ts';
import type { Senders } from '#http/refused-requests.ts';
import { Router, withoutSlash } from '#http/router.ts';
import { isIngestPath } from '#http/service-paths.ts';
import type { UsageMeter } from './usage-meter.ts';
import { toHttpError, invalidRequest, notFound, HttpError } from '#http/errors.ts';
import { isCleanText } from '#text/text.ts';
import type { Db, Versions } from '#db/db.ts';
import type { AppContext } from '#context/context.ts';
import { type Body, encodeBody, sendBody, sendError } from './response.ts';
import { depsOf, dataVersionOf, renderVersionOf } from './deps.ts';
import { type EndpointContext, type Endpoint, type Deps, RenderedBody } from './endpoint.ts';
import { addLimit, allowSharedCaches, type Headers, headersFor, PREFLIGHT, addDeprecation } from './headers.ts';
import { type AuthenticatedRequest, ReceivedRequest, type CountedRequest, addIgnored } from './request-stages.ts';
import { OpenStreams, type StreamHost, StreamStart } from './open-streams.ts';
import { ResponseCache } from './response-cache.ts';

const OPENAPI_PATH = '/v1/openapi.json';
const MAX_ID = 256;
/** Maximum milliseconds for which requests share the data versions. */
const VERSIONS_MS = 1;

/**
 * The data API. Every request passes the same stages, each with its own type: received, authenticated, counted against a
 * rate limit, answered.
 */
export class Api {
  readonly #context: AppContext;
  readonly #limits: RateLimits;
  readonly #meter: UsageMeter;
  readonly #addresses: ClientAddresses;
  readonly #callers: Callers;
  readonly #router: Router<Endpoint>;
  readonly #deps: Deps;
  readonly #realm: string;
  readonly #renderVersion: string;
  readonly #streams: OpenStreams;
  readonly #openapi: () => object;
  #openapiBody: Body | undefined;
  readonly #responses = new ResponseCache();
  /** The data versions of this turn of the event loop, and when they were read (`performance.now()`). */
  #versions: Versions | undefined;
  #versionsRead = 0;

  constructor(
    context: AppContext,
    { limits, meter, streams }: { limits: RateLimits; meter: UsageMeter; streams: StreamHost },
    endpoints: readonly Endpoint[],
    openapi: () => object,
  ) {
    const { config, db, clock } = context;
    this.#context = context;
    this.#limits = limits;
    this.#meter = meter;
    this.#router = new Router(endpoints.map((endpoint) => [endpoint.path, endpoint]));
    this.#addresses = new ClientAddresses(config.TRUSTED_PROXIES);
    this.#realm = config.NETWORK_NAME.replace(/[^\x20-\x7e]|["\\]/g, '');
    this.#callers = new Callers(db.shortReads, clock, this.#realm);
    this.#renderVersion = renderVersionOf(config);
    this.#deps = depsOf(context);
    this.#openapi = openapi;
    this.#streams = new OpenStreams(streams, config, this.#addresses);
  }

  /** Ends the streams, which would keep the listener from closing. */
  stop(): void {
    this.#streams.stop();
  }

  /** Answers a request. Never throws. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const received = new ReceivedRequest(request, response, this.#router, this.#currentVersions());
      const { path, endpoint } = received;
      if (endpoint !== undefined) describeResponse(response, { route: endpoint.path });
      if (request.method === 'OPTIONS') await this.#sendUncounted(received, undefined);
      else if (isOpenapi(path) && received.isReading) await this.#sendUncounted(received, this.#openapiDocument());
      else if (isIngestPath(withoutSlash(path))) await this.#refuse(received, notIngest(this.#context.config, path));
      else await this.#serveReceived(received);
    } catch (error) {
      const { log } = this.#context;
      log.error({ err: error, request_id: requestIdOf(response) }, 'a response could not be sent');
      response.destroy();
    }
  }

  /**
   * Reads them once in a turn of the event loop: its requests had arrived before it began. A turn of many requests also
   * serves some that arrive in it, so that it reads them again after a millisecond.
   */
  #currentVersions(): Versions {
    const now = performance.now();
    if (this.#versions === undefined) setImmediate(() => (this.#versions = undefined));
    else if (now - this.#versionsRead < VERSIONS_MS) return this.#versions;
    this.#versionsRead = now;
    return (this.#versions = readVersions(this.#context.db));
  }

  async #serveReceived(received: ReceivedRequest): Promise<void> {
    let authenticated: AuthenticatedRequest | undefined;
    let counted: CountedRequest | undefined;
    try {
      authenticated = { received, caller: await this.#authenticate(received) };
      describeResponse(received.response, { senders: sendersOf(authenticated.caller) });
      const isPaced = received.endpoint?.isPaced !== undefined && (await this.#isPaced(authenticated));
      const rateLimit = await this.#count(authenticated, isPaced ? 'peek' : 'count');
      counted = { ...authenticated, isPaced, rateLimit };
      const body = await this.#answer(counted);
      if (body instanceof StreamStart) return this.#begin(counted, body);
      this.#countUse(counted, 200, body.about);
      await sendBody(received.request, received.response, this.#countedHeaders(counted), body);
    } catch (error) {
      if (counted !== undefined) this.#refuseCounted(counted, error);
      else if (authenticated !== undefined) await this.#refuse(received, error);
      else await this.#refuseCredentials(received, error);
    }
  }

  #begin(counted: CountedRequest, { content }: StreamStart): void {
    const { caller, received } = counted;
    const headers = this.#countedHeaders(counted);
    const credentials = this.#credentials(received);
    this.#streams.open(received, { headers, caller, credentials, content });
    this.#countUse(counted, 200);
  }

  #countUse({ received, caller }: CountedRequest, status: number, about?: readonly string[]): void {
    this.#meter.count(caller, received.endpoint?.path ?? '', status, about);
  }

  /** Made at the first request for it, because making it takes half the time of the service's start. */
  #openapiDocument(): Body {
    return (this.#openapiBody ??= encodeBody(new RenderedBody(JSON.stringify(this.#openapi()))));
  }

  #credentials({ request, query }: ReceivedRequest): Credentials {
    return readCredentials(request, (name) => query.values(name), this.#realm);
  }

  #authenticate(received: ReceivedRequest): Promise<Caller> {
    return this.#callers.authenticate(this.#credentials(received), received.versions.credentials);
  }

  /** Counts a request against the hourly limit of its caller: a user, an application, a game server or an address. */
  #count({ received, caller }: AuthenticatedRequest, how: 'count' | 'peek'): Promise<RateLimitResult> {
    const { request, price } = received;
    const limits = this.#limits;
    if (caller.kind === 'client_id') return limits[how]('clientId', this.#network(request), { price });
    if (caller.kind === 'server') return limits[how]('server', { server: String(caller.serverKey) }, { price });
    const { client_id, hourly_limit } = caller.application;
    const options = { price, max: hourly_limit ?? undefined };
    if (caller.kind === 'application') return limits[how]('application', { application: client_id }, options);
    const user = hourly_limit === null ? caller.accountId : `${caller.accountId} ${client_id}`;
    return limits[how]('user', { user }, options);
  }

  /** Whether the endpoint limits the request itself. A request with a wrong query counts, and so does HEAD, which gives nothing. */
  async #isPaced({ received, caller }: AuthenticatedRequest): Promise<boolean> {
    const { endpoint, validQuery, request } = received;
    if (endpoint?.isPaced === undefined || validQuery === undefined || request.method === 'HEAD') return false;
    return await endpoint.isPaced({ deps: this.#deps, caller, query: validQuery as Record<string, never> });
  }

  #network(request: IncomingMessage): { network: string } {
    return { network: this.#addresses.of(request) };
  }

  #answer(counted: CountedRequest): Body | Promise<Body | StreamStart> {
    const { received, caller, rateLimit, isPaced } = counted;
    const { endpoint } = received;
    if (!rateLimit.allowed && !isPaced) throw limitExceeded(rateLimit, this.#context.clock.now());
    if (caller.kind !== 'server' && caller.application.access !== 'approved') throw notApproved();
    if (!received.isReading) throw methodNotAllowed();
    if (endpoint === undefined) throw noSuchPath(received.path, [...this.#router.paths, OPENAPI_PATH]);
    return this.#responses.get(received) ?? this.#handle(counted, endpoint);
  }

  async #handle({ received, caller, isPaced }: CountedRequest, endpoint: Endpoint): Promise<Body | StreamStart> {
    const parameters = received.parameters.map(parameterIn);
    const endpointContext: EndpointContext = {
      deps: this.#deps,
      caller,
      parameters,
      id: parameters[0] ?? '',
      query: received.query.read(endpoint.query),
      dataVersion: dataVersionOf(received.versions, this.#renderVersion),
      accept: received.request.headers.accept ?? '',
      lastEventId: String(received.request.headers['last-event-id'] ?? ''),
      isPaced,
      about: new Set<string>(),
    };
    const result = await endpoint.handle(endpointContext as EndpointContext<Record<string, never>>);
    if (result instanceof StreamStart) return result;
    const body: Body = encodeBody(result instanceof RenderedBody ? result : new RenderedBody(JSON.stringify(result)));
    if (endpointContext.about.size > 0) body.about = [...endpointContext.about];
    this.#responses.set(received, body);
    return body;
  }

  /** Answers a request that needs no credentials and counts against no limit. A preflight has no body. */
  async #sendUncounted(received: ReceivedRequest, body: Body | undefined): Promise<void> {
    const { request, response } = received;
    const headers = await this.#uncountedHeaders(received);
    if (body !== undefined && !received.query.hasToken) allowSharedCaches(headers);
    if (body === undefined) response.writeHead(204, headers).end();
    else await sendBody(request, response, headers, body);
  }

  /**
   * Counts a failed authentication against a separate rate limit of the client address. A former token always gets its
   * 401, because clients refresh their token only then.
   */
  async #refuseCredentials(received: ReceivedRequest, error: unknown): Promise<void> {
    if (!(error instanceof HttpError)) return await this.#refuse(received, error);
    const { clock } = this.#context;
    let rateLimit: RateLimitResult;
    try {
      rateLimit = await this.#limits.count('failedCredentials', this.#network(received.request));
    } catch (failure) {
      return await this.#refuse(received, failure);
    }
    const refusal = rateLimit.allowed || error instanceof FormerToken ? error : limitExceeded(rateLimit, clock.now());
    this.#sendError(received, this.#headers(received, rateLimit), refusal);
  }

  #refuseCounted(counted: CountedRequest, error: unknown): void {
    const { received } = counted;
    this.#countUse(counted, toHttpError(error, '').status);
    this.#sendError(received, this.#countedHeaders(counted), error);
  }

  async #refuse(received: ReceivedRequest, error: unknown): Promise<void> {
    this.#sendError(received, await this.#uncountedHeaders(received), error);
  }

  #sendError({ request, response, path }: ReceivedRequest, headers: Headers, error: unknown): void {
    const requestId = requestIdOf(response);
    const httpError = toHttpError(error, requestId);
    if (httpError.status >= 500) this.#context.log.error({ err: error, path, request_id: requestId }, 'request failed');
    if (response.headersSent) response.destroy();
    else sendError(request, response, headers, httpError);
  }

  /**
   * The headers of a request that counts against no limit show the rate limit of the client address, or an unused one if
   * the counters are unavailable.
   */
  async #uncountedHeaders(received: ReceivedRequest): Promise<Headers> {
    const { clock, config } = this.#context;
    try {
      return this.#headers(received, await this.#limits.peek('clientId', this.#network(received.request)));
    } catch {
      return this.#headers(received, unusedRateLimit(rateLimit(config, 'clientId', 'network'), clock.now()));
    }
  }

  #countedHeaders({ received, rateLimit }: CountedRequest): Headers {
    const headers = this.#headers(received, rateLimit);
    if (received.endpoint?.price !== undefined) headers.push('x-ratelimit-cost', `${received.price}`);
    return headers;
  }

  #headers({ request, query, endpoint }: ReceivedRequest, rateLimit: RateLimitResult): Headers {
    const headers = addLimit(headersFor(query.hasToken), rateLimit);
    if (endpoint?.deprecated !== undefined) addDeprecation(headers, endpoint.deprecated, this.#deps.site);
    if (endpoint !== undefined) addIgnored(headers, query, endpoint.query);
    if (request.method === 'OPTIONS') headers.push(...PREFLIGHT);
    return headers;
  }
}

function sendersOf(caller: Caller): Senders {
  if (caller.kind === 'server') return { server: String(caller.serverKey) };
  const { client_id: application } = caller.application;
  return caller.kind === 'user' ? { application, account: caller.accountId } : { application };
}

/** If reading the versions fails, nothing is cached and the request continues: its own queries report the error. */
function readVersions(db: Db): Versions {
  try {
    return db.versions();
  } catch {
    return {};
  }
}

/** @throws HttpError 400 if the parameter is not percent-encoded UTF-8, 404 if no id or name can look like this */
function parameterIn(encoded: string): string {
  const id = encoded.includes('%') ? decoded(encoded) : encoded;
  if (id.length > MAX_ID || !isCleanText(id)) throw notFound('There is nothing with this id or name.');
  return id;
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    throw invalidRequest('The path must be percent-encoded UTF-8.');
  }
}

const isOpenapi = (path: string): boolean => withoutSlash(path) === OPENAPI_PATH;
