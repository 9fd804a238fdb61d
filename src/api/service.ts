import type { IncomingMessage, ServerResponse } from 'node:http';
import { Addresses } from '#access/address.ts';
import { type Allowances, MemoryAllowances, unused, type Verdict } from '#access/allowances.ts';
import { type Caller, Callers } from '#access/callers.ts';
import { credentialsOf, headersOf } from '#access/credentials.ts';
import type { UsageMeter } from '#access/usage-meter.ts';
import { VersionedCache } from '#access/versioned-cache.ts';
import { asWireError, invalidRequest, notFound, WireError } from '#base/errors.ts';
import { type Known, whenKnown } from '#base/known.ts';
import { isCleanText } from '#base/text.ts';
import { gatherTurn } from '#base/turn.ts';
import type { Db, Versions } from '#db/db.ts';
import type { Hall } from '#hall.ts';
import { type Body, bodyOf, codingOf, sendBody, sendError, sendPlain } from './answer.ts';
import { Deprecations } from './deprecation.ts';
import { type Answer, type Ask, type Endpoint, type Kit, Ready } from './endpoint.ts';
import { epochOf, findersOf } from './finders.ts';
import { addLimit, type Headers, headersFor, METHODS, PREFLIGHT } from './headers.ts';
import { listingOf } from './listing.ts';
import { momentsIn } from './moments.ts';
import { Passage } from './passage.ts';
import { type Route, Routes } from './routes.ts';

const OPENAPI_PATH = '/v1/openapi.json';
const MAX_ID = 256;
/** Requests that are answered together: their answers, however large, are young when they are sent. */
const AT_ONCE = 16;
const KEPT_ANSWERS = 2_500;
const MAX_KEPT_BYTES = 16 * 1024;

/** Parameters whose answers are neither kept nor admitted at once; a percent sign may hide one. */
const CREDENTIALS = /access_token|client_id|%/;

type Allowance = [subject: string, limit: number];

/** The one order that every request of the data API passes: caller, allowance, headers, answer. */
export class Api {
  readonly #hall: Hall;
  readonly #allowances: Allowances;
  readonly #meter: UsageMeter;
  readonly #addresses: Addresses;
  readonly #callers: Callers;
  readonly #routes: Routes;
  readonly #deprecations: Deprecations;
  readonly #kit: Kit;
  readonly #realm: string;
  readonly #edition: string;
  readonly #openapi: Body;
  readonly #admitTurn = gatherTurn<Passage>(AT_ONCE, (passages) => this.#serveTurn(passages));
  /** Of callers, who stay the same while nothing of their credentials changes. */
  readonly #allowancesOf = new WeakMap<Caller, Allowance>();
  /** Answers by their address. Only a change of matches, which are hardly ever changed, makes some of them stale. */
  readonly #answers = {
    anything: new VersionedCache<Body>(KEPT_ANSWERS),
    matches: new VersionedCache<Body>(KEPT_ANSWERS),
  };

  constructor(hall: Hall, allowances: Allowances, meter: UsageMeter, rows: readonly Endpoint[], openapi: object) {
    const { config, db, clock } = hall;
    this.#hall = hall;
    this.#allowances = allowances;
    this.#meter = meter;
    this.#routes = new Routes(rows);
    this.#deprecations = new Deprecations(rows, config.SITE_URL);
    this.#addresses = new Addresses(config.TRUSTED_PROXIES);
    this.#realm = config.NETWORK_NAME.replace(/[^\x20-\x7e]|["\\]/g, '');
    this.#callers = new Callers(db.lookUps, clock, this.#realm);
    this.#edition = listingOf(config).edition;
    const presenceTimeoutMs = config.PRESENCE_TIMEOUT * 1000;
    this.#kit = {
      db: db.lookUps,
      clock,
      ...findersOf(db, this.#edition),
      moment: momentsIn(config.TIME_ZONE),
      site: config.SITE_URL,
      presenceTimeoutMs,
    };
    this.#openapi = bodyOf(new Ready(JSON.stringify(openapi)));
  }

  /** Answers one request, whatever it is. */
  serve(request: IncomingMessage, response: ServerResponse): void {
    this.#admitTurn(new Passage(request, response));
  }

  /**
   * Answers the requests of one turn of the event loop behind each other: the database's state is looked at once for all
   * of them, and whoever waits for several answers is woken once.
   */
  #serveTurn(passages: readonly Passage[]): void {
    const { db } = this.#hall;
    db.reading(() => {
      const versions = versionsOf(db);
      const epoch = versions && epochOf(versions, this.#edition);
      for (const passage of passages) {
        if (versions !== undefined) {
          passage.versions = versions;
          passage.epoch = epoch;
        }
        passage.route = this.#routes.find(passage.path);
        this.#serveOne(passage);
      }
    });
  }

  #serveOne(passage: Passage): void {
    const caller = this.#admitAtOnce(passage);
    if (caller === undefined) return void this.#serve(passage, () => this.#introduced(passage));
    if (!this.#sendKept(passage, caller)) void this.#serve(passage, () => this.#ask(passage, caller));
  }

  /** Sends an answer that is kept ready to somebody who is admitted; false, and nothing done, where there is none. */
  #sendKept(passage: Passage, caller: Caller): boolean {
    const { request, response, verdict, route } = passage;
    const kept = this.#keptAnswer(passage);
    if (kept === undefined || !verdict!.allowed || codingOf(request, kept) !== undefined) return false;
    this.#meter.count(caller, route!.endpoint.path, 200);
    sendPlain(request, response, addLimit(headersFor(false), verdict!), kept);
    return true;
  }

  /**
   * Admits a bearer who is known and counted in memory, without waiting for anything. Undefined, and nothing done, where
   * any of that does not hold.
   */
  #admitAtOnce(passage: Passage): Caller | undefined {
    const { request, target, versions } = passage;
    if (!isReading(request.method) || CREDENTIALS.test(target) || !(this.#allowances instanceof MemoryAllowances))
      return undefined;
    if (isOpenapi(passage.path)) return undefined;
    const [authorization, second] = headersOf(request, 'authorization');
    if (authorization === undefined || second !== undefined || request.headers['x-client-id'] !== undefined)
      return undefined;
    const caller = authorization.startsWith('Bearer ')
      ? this.#callers.known(authorization.slice(7), versions.credentials)
      : undefined;
    if (caller?.application.access !== 'approved') return undefined;
    passage.verdict = this.#allowances.take(...this.#allowanceOf(request, caller));
    return caller;
  }

  /** Sends what is answered, or what is wrong; at once where nothing has to be waited for. */
  #serve(passage: Passage, answer: () => Known<Body | undefined>): Known<void> {
    try {
      const sent = whenKnown(answer(), (body) => this.#send(passage, body));
      return sent instanceof Promise ? sent.catch((error: unknown) => this.#refuseOrHangUp(passage, error)) : undefined;
    } catch (error) {
      return this.#refuseOrHangUp(passage, error);
    }
  }

  #send(passage: Passage, body: Body | undefined): Known<void> {
    const { request, response, verdict } = passage;
    const known = verdict === undefined ? this.#headersOrFresh(passage) : this.#headersOf(passage, verdict);
    return whenKnown(known, (headers) => {
      if (body === undefined) return void response.writeHead(204, headers).end();
      return sendBody(request, response, headers, body);
    });
  }

  /** The body of the answer to whoever is not admitted yet; undefined for a preflight, which has none. */
  async #introduced(passage: Passage): Promise<Body | undefined> {
    const { method } = passage.request;
    if (method === 'OPTIONS') return undefined;
    if (isOpenapi(passage.path) && isReading(method)) return this.#openapi;
    return await this.#ask(passage, await this.#admit(passage));
  }

  #ask(passage: Passage, caller: Caller): Known<Body> {
    const { request, verdict, route, query } = passage;
    passage.caller = caller;
    if (!verdict!.allowed) throw rateLimited(verdict!, this.#hall.clock.now());
    if (caller.application.access !== 'approved') throw notApproved();
    if (!isReading(request.method)) throw methodNotAllowed();
    if (route === undefined) throw notFound('There is no such path; see /v1/openapi.json for those there are.');
    const { endpoint } = route;
    const ask: Ask = {
      kit: this.#kit,
      caller,
      id: idIn(route),
      query: query.read(endpoint.query),
      epoch: passage.epoch,
    };
    const answer = endpoint.handle(ask as Ask<Record<string, never>>);
    return whenKnown(answer, (made) => this.#bodyOf(passage, caller, endpoint, made));
  }

  #bodyOf(passage: Passage, caller: Caller, endpoint: Endpoint, answer: Answer): Body {
    const body = bodyOf(answer instanceof Ready ? answer : new Ready(JSON.stringify(answer)));
    this.#meter.count(caller, endpoint.path, 200);
    if (body.length <= MAX_KEPT_BYTES && !CREDENTIALS.test(passage.target)) this.#keep(passage, endpoint, body);
    return body;
  }

  /** Proves the caller and counts the request: a failed proof counts for its address, apart from everything else. */
  async #admit(passage: Passage): Promise<Caller> {
    const caller = await this.#prove(passage).catch(async (error: unknown) => {
      if (!(error instanceof WireError)) throw error;
      const subject = `failed:${this.#addresses.of(passage.request)}`;
      passage.verdict = await this.#allowances.take(subject, this.#hall.config.ADDRESS_LIMIT);
      throw passage.verdict.allowed ? error : rateLimited(passage.verdict, this.#hall.clock.now());
    });
    passage.verdict = await this.#allowances.take(...this.#allowanceOf(passage.request, caller));
    return caller;
  }

  async #prove({ request, query, versions }: Passage): Promise<Caller> {
    const credentials = credentialsOf(request, (name) => query.values(name), this.#realm);
    return await this.#callers.prove(credentials, versions.credentials);
  }

  /** Whose allowance a request uses, and how large it is (spec decisions, "rate limit"). */
  #allowanceOf(request: IncomingMessage, caller: Caller): Allowance {
    if (caller.kind === 'client_id') return [`address:${this.#addresses.of(request)}`, this.#hall.config.ADDRESS_LIMIT];
    let allowance = this.#allowancesOf.get(caller);
    if (allowance === undefined) this.#allowancesOf.set(caller, (allowance = this.#ownAllowance(caller)));
    return allowance;
  }

  #ownAllowance(caller: Exclude<Caller, { kind: 'client_id' }>): Allowance {
    const { config } = this.#hall;
    const { client_id, hourly_limit } = caller.application;
    if (caller.kind === 'application') return [`application:${client_id}`, hourly_limit ?? config.APP_LIMIT];
    if (hourly_limit === null) return [`user:${caller.accountId}`, config.USER_LIMIT];
    return [`user:${caller.accountId}:${client_id}`, hourly_limit];
  }

  #keep({ target, versions }: Passage, { keeps, deprecated }: Endpoint, body: Body): void {
    if (keeps === undefined || deprecated !== undefined) return;
    this.#answers[keeps].set(target, body, versions[keeps]);
  }

  #keptAnswer({ target, versions, route }: Passage): Body | undefined {
    const keeps = route?.endpoint.keeps;
    return keeps && this.#answers[keeps].get(target, versions[keeps]);
  }

  async #refuseOrHangUp(passage: Passage, error: unknown): Promise<void> {
    try {
      await this.#refuse(passage, error);
    } catch {
      passage.response.destroy();
    }
  }

  async #refuse(passage: Passage, error: unknown): Promise<void> {
    const { request, response, path, route } = passage;
    const wire = asWireError(error);
    if (passage.caller !== undefined) this.#meter.count(passage.caller, route?.endpoint.path ?? '', wire.status);
    if (wire.status >= 500) this.#hall.log.error({ err: error, path }, 'request failed');
    if (response.headersSent) return void response.destroy();
    const headers = await this.#headersOrFresh(passage);
    sendError(request, response, headers, wire);
  }

  /** The headers of every answer. What counts nothing shows the state of the address. */
  async #headers(passage: Passage): Promise<Headers> {
    const { ADDRESS_LIMIT } = this.#hall.config;
    const address = `address:${this.#addresses.of(passage.request)}`;
    return this.#headersOf(passage, passage.verdict ?? (await this.#allowances.peek(address, ADDRESS_LIMIT)));
  }

  #headersOrFresh(passage: Passage): Promise<Headers> {
    return this.#headers(passage).catch(() => this.#headersOf(passage, this.#fresh()));
  }

  #headersOf({ request, query, route }: Passage, verdict: Verdict): Headers {
    const headers = addLimit(headersFor(query.hasToken), verdict);
    this.#deprecations.addTo(headers, route?.endpoint);
    if (request.method === 'OPTIONS') headers.push(...PREFLIGHT);
    return headers;
  }

  /** What is shown while the counters cannot be reached. */
  #fresh(): Verdict {
    return unused(this.#hall.config.ADDRESS_LIMIT, this.#hall.clock.now());
  }
}

/** A database that fails to tell lets nothing be kept; what is wrong with it shows where it is read. */
function versionsOf(db: Db): Versions | undefined {
  try {
    return db.versions();
  } catch {
    return undefined;
  }
}

/** @throws WireError 400 for what is not percent-encoded UTF-8, 404 for what no id or name is like */
function idIn({ id: encoded }: Route): string {
  const id = encoded.includes('%') ? decoded(encoded) : encoded;
  if (id.length > MAX_ID || !isCleanText(id)) throw notFound('Nothing has such an id or name.');
  return id;
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    throw invalidRequest('The path must be percent-encoded UTF-8.');
  }
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
