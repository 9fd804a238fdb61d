import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { type AllowedNetwork, isAllowed } from '#platform/config/allowed-networks.ts';
import { VERSION } from '#platform/version.ts';
import { type Address, type Lookup, nameLookup } from './name-lookup.ts';

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 64 * 1024;
/** Receivers usually close idle connections later than this. */
const IDLE_MS = 4_000;
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Why a request got no response. */
export type OutgoingReason =
  'address' | 'not_public' | 'not_found' | 'timeout' | 'certificate' | 'unreachable' | 'wrong_answer';

export class OutgoingError extends Error {
  readonly reason: OutgoingReason;

  constructor(reason: OutgoingReason, cause?: unknown) {
    super(`No response: ${reason}`, { cause });
    this.name = 'OutgoingError';
    this.reason = reason;
  }
}

export interface OutgoingRequest {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  timeoutMs?: number;
  signal?: AbortSignal;
}

export interface OutgoingResponse {
  status: number;
  headers: http.IncomingHttpHeaders;
  /** The first 64 kB. */
  body: Buffer;
  /** Whether `body` is all of it. */
  isComplete: boolean;
}

/** Why an address cannot be requested at all, whatever its name resolves to. */
export type AddressProblem = 'url' | 'scheme' | 'credentials' | 'port' | 'not_public';

/**
 * Sends requests to addresses that other people have chosen. They reach public addresses at port 443 by https, and the
 * networks and ports of WEBHOOK_NETWORKS. A redirect is a response like any other.
 */
export class OutgoingClient implements Disposable {
  readonly #allowed: readonly AllowedNetwork[];
  readonly #lookup: Lookup;
  readonly #public: Record<string, http.Agent>;
  readonly #private: Record<string, http.Agent>;

  constructor({ WEBHOOK_NETWORKS }: { WEBHOOK_NETWORKS: readonly AllowedNetwork[] }, lookup: Lookup = nameLookup()) {
    this.#allowed = WEBHOOK_NETWORKS;
    this.#lookup = lookup;
    const options = { keepAlive: true, maxFreeSockets: 16, timeout: IDLE_MS };
    this.#public = {
      'http:': new RequestFilteringHttpAgent(options),
      'https:': new RequestFilteringHttpsAgent(options),
    };
    this.#private = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) };
  }

  /** What is wrong with an address, as far as it can be known without DNS. */
  problemOf(text: string): AddressProblem | undefined {
    const url = URL.parse(text);
    if (url === null || url.hostname === '') return 'url';
    if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'scheme';
    if (url.username !== '' || url.password !== '') return 'credentials';
    const literal = literalOf(url);
    if (literal !== undefined && this.#permits(url, literal)) return undefined;
    if (literal !== undefined) return isPublic(literal) ? this.#problemOfPort(url) : 'not_public';
    const isUsual = url.protocol === 'https:' && portOf(url) === 443;
    const hasPort = this.#allowed.some(({ port }) => port === 'any' || port === portOf(url));
    return isUsual || hasPort ? undefined : this.#problemOfPort(url);
  }

  #problemOfPort(url: URL): AddressProblem {
    return url.protocol === 'http:' && url.port === '' ? 'scheme' : 'port';
  }

  /** @throws OutgoingError if there is no response: refused addresses, time-outs and broken connections */
  async request(address: string, request: OutgoingRequest = {}): Promise<OutgoingResponse> {
    const { timeoutMs = TIMEOUT_MS, signal } = request;
    const timeout = AbortSignal.timeout(timeoutMs);
    const ended = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
    try {
      const problem = this.problemOf(address);
      if (problem !== undefined) throw new OutgoingError(problem === 'not_public' ? problem : 'address');
      const url = new URL(address);
      const addresses = await this.#resolve(url, ended);
      const send = () => exchange(url, request, { agent: this.#agentFor(url, addresses), addresses, signal: ended });
      // A receiver may close an idle connection while it is used again.
      return await send().catch((error: unknown) => {
        if (error instanceof ReusedConnection) return send();
        throw error;
      });
    } catch (error) {
      if (error instanceof OutgoingError) throw error;
      throw new OutgoingError(timeout.aborted ? 'timeout' : reasonOf(error), error);
    }
  }

  /** The addresses to connect to, each of them permitted. */
  async #resolve(url: URL, signal: AbortSignal): Promise<Address[]> {
    const literal = literalOf(url);
    const addresses =
      literal === undefined
        ? await this.#lookup(url.hostname, signal).catch((error: unknown) => {
            signal.throwIfAborted();
            throw new OutgoingError('not_found', error);
          })
        : [{ address: literal, family: isIP(literal) }];
    if (addresses.length === 0) throw new OutgoingError('not_found');
    if (addresses.every(({ address }) => this.#permits(url, address))) return addresses;
    throw new OutgoingError(addresses.every(({ address }) => isPublic(address)) ? 'address' : 'not_public');
  }

  #permits(url: URL, address: string): boolean {
    if (isIP(address) === 0) return false;
    if (isAllowed(this.#allowed, ipaddr.parse(address), portOf(url)))
      return url.protocol === 'https:' || !isUsualPort(url);
    return url.protocol === 'https:' && isUsualPort(url) && isPublic(address);
  }

  #agentFor(url: URL, addresses: readonly Address[]): http.Agent {
    const agents = addresses.every(({ address }) => isPublic(address)) ? this.#public : this.#private;
    return agents[url.protocol]!;
  }

  [Symbol.dispose](): void {
    for (const agent of [...Object.values(this.#public), ...Object.values(this.#private)]) agent.destroy();
  }
}

const portOf = ({ port, protocol }: URL): number => Number(port) || (protocol === 'https:' ? 443 : 80);

const isUsualPort = (url: URL): boolean => portOf(url) === 443;

/** The host as an address; undefined for a name. `URL` has already read decimal, hexadecimal, octal and short forms. */
function literalOf({ hostname }: URL): string | undefined {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) === 0 ? undefined : host;
}

/** Of IPv6 only global unicast addresses are public: translated forms of IPv4 addresses lead to any of them. */
function isPublic(text: string): boolean {
  if (isIP(text) === 0) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(GLOBAL_UNICAST);
}

class ReusedConnection extends Error {}

interface Connection {
  agent: http.Agent;
  addresses: readonly Address[];
  signal: AbortSignal;
}

async function exchange(
  url: URL,
  { method = 'GET', headers = {}, body }: OutgoingRequest,
  { agent, addresses, signal }: Connection,
): Promise<OutgoingResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<OutgoingResponse>();
  const { request: open } = url.protocol === 'https:' ? https : http;
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const request = open(url, {
    ...{ method, agent, signal, lookup: answering(addresses) },
    headers: { 'user-agent': `Scorehall/${VERSION}`, ...headers, ...length },
  });
  request.on('response', (response) => void read(response).then(resolve, reject));
  request.on('upgrade', (_response, socket) => {
    socket.destroy();
    reject(new OutgoingError('wrong_answer'));
  });
  request.on('error', (error) => reject(request.reusedSocket && isClosed(error) ? new ReusedConnection() : error));
  request.end(body);
  return await promise;
}

const isClosed = (error: NodeJS.ErrnoException): boolean => /^(ECONNRESET|EPIPE)$/.test(error.code ?? '');

/** Gives a connection the addresses that were checked, so that a second look-up cannot differ. */
function answering(addresses: readonly Address[]): LookupFunction {
  const [{ address, family }] = addresses as [Address];
  return (_name, { all }, callback) => {
    if (all === true) callback(null, [...addresses]);
    else callback(null, address, family);
  };
}

async function read(response: http.IncomingMessage): Promise<OutgoingResponse> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_BYTES) break;
  }
  const body = Buffer.concat(chunks).subarray(0, MAX_BYTES);
  return { status: response.statusCode!, headers: response.headers, body, isComplete: size <= MAX_BYTES };
}

function reasonOf(error: unknown): OutgoingReason {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === 'ETIMEDOUT') return 'timeout';
  if (/^(HPE_|ERR_HTTP)/.test(code)) return 'wrong_answer';
  if (/CERT|ERR_TLS|SSL|SIGNATURE/.test(code)) return 'certificate';
  return 'unreachable';
}
