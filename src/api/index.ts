import type { IncomingMessage, ServerResponse } from 'node:http';
import { Addresses } from '#access/address.ts';
import { type Allowances, MemoryAllowances, SharedAllowances, unused, type Verdict } from '#access/allowances.ts';
import { type Caller, credentialsOf, proveCaller } from '#access/caller.ts';
import type { OpenDoor } from '#app.ts';
import type { Config } from '#base/config.ts';
import { asWireError, notFound, WireError } from '#base/errors.ts';
import { isCleanText } from '#base/text.ts';
import type { Hall } from '#hall.ts';
import { type Headers, sendError, sendJson } from './answer.ts';
import { type Ask, type Endpoint, type Kit, Ready } from './endpoint.ts';
import { maps } from './maps.ts';
import { matches } from './matches.ts';
import { momentsIn } from './moments.ts';
import { openapiOf } from './openapi.ts';
import { players } from './players.ts';
import { punishments } from './punishments.ts';
import { Query } from './query.ts';
import { Routes } from './routes.ts';
import { servers } from './servers.ts';

/** Every path of the data API. */
export const ROWS: readonly Endpoint[] = [...servers, ...matches, ...maps, ...punishments, ...players];

const OPENAPI_PATH = '/v1/openapi.json';
const METHODS = 'GET, HEAD, OPTIONS';
const MAX_ID = 256;

/** Opens the data API: one order that every request passes (caller, allowance, headers, answer). */
export async function openApi(hall: Hall): Promise<OpenDoor> {
  const saveFailed = (error: unknown): void => hall.log.error({ err: error }, 'allowances not saved');
  const allowances =
    hall.config.COUNTERS === 'database'
      ? new SharedAllowances(hall.db, hall.clock)
      : await MemoryAllowances.open(hall.db, hall.clock, saveFailed);
  const api = new Api(hall, allowances);
  return {
    listener: (request, response) => void api.serve(request, response).catch(() => response.destroy()),
    close: () => allowances[Symbol.asyncDispose](),
  };
}

/** One request on its way: what is known of it so far. */
interface Passage {
  request: IncomingMessage;
  path: string;
  query: Query;
  verdict: Verdict | undefined;
}

class Api {
  readonly #hall: Hall;
  readonly #allowances: Allowances;
  readonly #addresses: Addresses;
  readonly #routes = new Routes(ROWS);
  readonly #kit: Kit;
  readonly #realm: string;
  readonly #openapi: string;

  constructor(hall: Hall, allowances: Allowances) {
    const { config, db, clock } = hall;
    this.#hall = hall;
    this.#allowances = allowances;
    this.#addresses = new Addresses(config.TRUSTED_PROXIES);
    this.#realm = config.NETWORK_NAME.replace(/[^\x20-\x7e]|["\\]/g, '');
    const presenceTimeoutMs = config.PRESENCE_TIMEOUT * 1000;
    this.#kit = { db, clock, moment: momentsIn(config.TIME_ZONE), site: config.SITE_URL, presenceTimeoutMs };
    this.#openapi = JSON.stringify(openapiOf(ROWS, documentFacts(config)));
  }

  /** Answers one request, whatever it is. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { path, query } = addressOf(request.url ?? '/');
    const passage: Passage = { request, path, query: new Query(query), verdict: undefined };
    try {
      const json = await this.#answer(passage);
      if (json === undefined) return void response.writeHead(204, await this.#headers(passage)).end();
      await sendJson(request, response, await this.#headers(passage), json);
    } catch (error) {
      await this.#refuse(passage, response, error);
    }
  }

  /** The JSON of the answer; undefined for a preflight, which has none. */
  async #answer(passage: Passage): Promise<string | undefined> {
    const { method } = passage.request;
    if (method === 'OPTIONS') return undefined;
    if (isOpenapi(passage.path) && isReading(method)) return this.#openapi;
    const caller = await this.#admit(passage);
    if (!isReading(method)) throw methodNotAllowed();
    const route = this.#routes.find(passage.path);
    if (route === undefined) throw notFound('There is no such path; see /v1/openapi.json for those there are.');
    return await this.#handle(passage, caller, route.endpoint, route.id);
  }

  /** Proves the caller and counts the request: a failed proof counts for its address, apart from everything else. */
  async #admit(passage: Passage): Promise<Caller> {
    const caller = await this.#prove(passage).catch(async (error: unknown) => {
      if (!(error instanceof WireError)) throw error;
      await this.#count(passage, `failed:${this.#address(passage)}`, this.#hall.config.ADDRESS_LIMIT);
      throw error;
    });
    const [subject, limit] = this.#allowanceOf(passage, caller);
    await this.#count(passage, subject, limit);
    if (caller.application.access !== 'approved') throw notApproved();
    return caller;
  }

  async #prove({ request, query }: Passage): Promise<Caller> {
    const credentials = credentialsOf(request, (name) => query.values(name), this.#realm);
    return await proveCaller(this.#hall.db, this.#hall.clock.now(), credentials, this.#realm);
  }

  async #count(passage: Passage, subject: string, limit: number): Promise<void> {
    passage.verdict = await this.#allowances.take(subject, limit);
    if (!passage.verdict.allowed) throw rateLimited(passage.verdict, this.#hall.clock.now());
  }

  /** Whose allowance a request uses, and how large it is (spec decisions, "rate limit"). */
  #allowanceOf(passage: Passage, caller: Caller): [subject: string, limit: number] {
    const { config } = this.#hall;
    const { client_id, hourly_limit } = caller.application;
    switch (caller.kind) {
      case 'client_id':
        return [`address:${this.#address(passage)}`, config.ADDRESS_LIMIT];
      case 'application':
        return [`application:${client_id}`, hourly_limit ?? config.APP_LIMIT];
      case 'user':
        if (hourly_limit === null) return [`user:${caller.accountId}`, config.USER_LIMIT];
        return [`user:${caller.accountId}:${client_id}`, hourly_limit];
    }
  }

  #address({ request }: Passage): string {
    return this.#addresses.of(request);
  }

  async #handle({ query }: Passage, caller: Caller, endpoint: Endpoint, id: string): Promise<string> {
    if (id.length > MAX_ID || !isCleanText(id)) throw notFound('Nothing has such an id or name.');
    const ask: Ask = { kit: this.#kit, caller, id, query: query.read(endpoint.query) };
    const answer = await endpoint.handle(ask as Ask<Record<string, never>>);
    return answer instanceof Ready ? answer.json : JSON.stringify(answer);
  }

  async #refuse(passage: Passage, response: ServerResponse, error: unknown): Promise<void> {
    const wire = asWireError(error);
    if (wire.status >= 500) this.#hall.log.error({ err: error, path: passage.path }, 'request failed');
    if (response.headersSent) return void response.destroy();
    const headers = await this.#headers(passage).catch(() => this.#headersOf(passage, this.#fresh()));
    sendError(passage.request, response, headers, wire);
  }

  /** The headers of every answer. What counts nothing shows the state of the address. */
  async #headers(passage: Passage): Promise<Headers> {
    const { ADDRESS_LIMIT } = this.#hall.config;
    passage.verdict ??= await this.#allowances.peek(`address:${this.#address(passage)}`, ADDRESS_LIMIT);
    return this.#headersOf(passage, passage.verdict);
  }

  /** What is shown while the counters cannot be reached. */
  #fresh(): Verdict {
    return unused(this.#hall.config.ADDRESS_LIMIT, this.#hall.clock.now());
  }

  #headersOf(passage: Passage, { limit, remaining, resets }: Verdict): Headers {
    const headers = this.#plainHeaders(passage);
    headers.push('x-ratelimit-limit', limit, 'x-ratelimit-remaining', remaining);
    headers.push('x-ratelimit-reset', Math.ceil(resets / 1000));
    return headers;
  }

  #plainHeaders({ request, query }: Passage): Headers {
    const inAddress = query.values('access_token').length > 0;
    const headers: Headers = [
      'access-control-allow-origin',
      '*',
      'cache-control',
      inAddress ? 'private, no-store' : 'private',
    ];
    if (request.method !== 'OPTIONS') return [...headers, 'access-control-expose-headers', EXPOSED];
    return [...headers, 'allow', METHODS, ...PREFLIGHT];
  }
}

const EXPOSED = 'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, WWW-Authenticate, ETag';
const PREFLIGHT: Headers = [
  ...['access-control-allow-methods', METHODS],
  ...['access-control-allow-headers', 'Authorization, X-Client-ID, If-None-Match'],
  ...['access-control-max-age', '86400'],
  ...['access-control-expose-headers', EXPOSED],
];

/** Splits a request's target; a client may send an absolute one (RFC 9112 section 3.2.2), whose host does not count. */
function addressOf(target: string): { path: string; query: string } {
  const url = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '');
  const at = url.indexOf('?');
  return at < 0 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at + 1) };
}

function documentFacts(config: Config): { server: string; network: string; tokenUrl: string } {
  return { server: config.API_URL, network: config.NETWORK_NAME, tokenUrl: `${config.AUTH_URL}/oauth/token` };
}

const isOpenapi = (path: string): boolean => path === OPENAPI_PATH || path === `${OPENAPI_PATH}/`;

const isReading = (method: string | undefined): boolean => method === 'GET' || method === 'HEAD';

function methodNotAllowed(): WireError {
  return new WireError(405, 'method_not_allowed', `The data API is read-only: use ${METHODS}.`, { allow: METHODS });
}

function notApproved(): WireError {
  const sentence = 'This application has no access to the data API yet; ask for it in the developer console.';
  return new WireError(403, 'access_not_approved', sentence);
}

/** The body is the specification's, word for word. */
function rateLimited({ resets }: Verdict, now: number): WireError {
  const seconds = Math.max(1, Math.ceil((resets - now) / 1000));
  return new WireError(429, 'rate_limit', 'Rate limit exceeded', { 'retry-after': String(seconds) });
}
