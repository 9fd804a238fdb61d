import { networkError, responseError, ScorehallError } from './errors.ts';
import { priceOf } from './paths.ts';
import { type EndRequest, RateLimit } from './rate-limit.ts';
import { abortable, backoff, Deadline, pause } from './timing.ts';
import { applicationTokens, type TokenSource } from './tokens.ts';

export interface ClientOptions {
  /** `API_URL` of the network: the origin of its data API. */
  baseUrl: string;
  /** An access token, or the key of a game server. */
  token?: string;
  /** Called before each request, and again with the token that was refused. The client keeps one limit: use one client a person. */
  getToken?: TokenSource;
  /** Without a secret it reads public data, with the limit of the address. */
  clientId?: string;
  /** Only on your own server: with `clientId` and `authUrl` the client requests the application's tokens. */
  clientSecret?: string;
  /** `AUTH_URL` of the network: the origin of its sign-in. */
  authUrl?: string;
  /** The longest wait for the limit, for each time; 0 throws instead. Default: as long as it takes, at most an hour. */
  maxWaitMs?: number;
  /** How often a request is sent again after a network error or a status from 500; default 3. */
  retries?: number;
  /** How long a response may take; default 30 seconds. */
  timeoutMs?: number;
  /** How many responses are kept for `If-None-Match`; default 100. */
  cached?: number;
  /** Replaces the platform's `fetch`. */
  fetch?: typeof fetch;
}

/** Options of one call. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  maxWaitMs?: number | undefined;
}

interface JsonOptions extends CallOptions {
  isCached?: boolean;
}

/** One request, of which `read` reads the response. `read` closes the deadline, unless it returns it. */
interface Request<T> extends CallOptions {
  path: string;
  headers?: Record<string, string>;
  retries?: number;
  read: (response: Response, deadline: Deadline) => Promise<T>;
}

interface CachedResponse {
  etag: string;
  text: string;
}

/** Longer texts are not cached. */
const MAX_CACHED_LENGTH = 65_536;

/** Sends requests with a token, within the limit, again after faults that pass. */
export class Transport {
  readonly #options: ClientOptions;
  readonly #fetch: typeof fetch;
  readonly #timeoutMs: number;
  readonly #token: TokenSource | undefined;
  readonly #limit = new RateLimit();
  readonly #cache = new Map<string, CachedResponse>();

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#fetch = options.fetch ?? ((...request) => fetch(...request));
    this.#timeoutMs = options.timeoutMs ?? 30_000;
    this.#token = this.#tokenSource(options);
  }

  #tokenSource({ token, getToken, clientId, clientSecret, authUrl }: ClientOptions): TokenSource | undefined {
    if (getToken !== undefined) return getToken;
    if (token !== undefined) return () => token;
    if (clientId === undefined) throw new TypeError('The client needs a token, getToken or a clientId.');
    if (clientSecret === undefined) return undefined;
    if (authUrl === undefined) throw new TypeError('A clientSecret needs authUrl, the AUTH_URL of the network.');
    return applicationTokens({ authUrl, clientId, clientSecret }, this.#fetch, this.#timeoutMs);
  }

  /** The JSON at a path. A response that has not changed comes from the cache; it counts as a request all the same. */
  async json(path: string, { isCached = true, ...options }: JsonOptions = {}): Promise<unknown> {
    const cached = this.#cache.get(path);
    const text = await this.send({
      ...options,
      path,
      headers: cached === undefined ? {} : { 'if-none-match': cached.etag },
      read: async (response, deadline) => {
        const text = response.status === 304 && cached !== undefined ? cached.text : await response.text();
        deadline.close();
        if (isCached) this.#keep(path, { etag: response.headers.get('etag') ?? '', text });
        return text;
      },
    });
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new ScorehallError('unexpected_response', `${path} did not answer JSON`, { cause });
    }
  }

  #keep(path: string, response: CachedResponse): void {
    this.#cache.delete(path);
    if (response.etag === '' || response.text.length > MAX_CACHED_LENGTH) return;
    this.#cache.set(path, response);
    if (this.#cache.size > (this.#options.cached ?? 100)) this.#cache.delete(this.#cache.keys().next().value!);
  }

  async send<T>(request: Request<T>): Promise<T> {
    const { signal, maxWaitMs = this.#options.maxWaitMs ?? Infinity, retries = this.#options.retries ?? 3 } = request;
    let refused: string | undefined;
    for (let attempts = 0, faults = 0; ; attempts++) {
      const end = await this.#limit.admit({ price: priceOf(request.path), signal, maxWaitMs });
      let token: string | undefined;
      try {
        token = await abortable(Promise.resolve(this.#token?.(refused)), signal);
        return await this.#attempt(request, token, end);
      } catch (error) {
        end();
        signal?.throwIfAborted();
        if (!(error instanceof ScorehallError)) throw error;
        const waitMs = Math.max(error.retryAfterMs ?? 0, backoff(attempts));
        if (error.status === 401 && token !== undefined && refused === undefined) refused = token;
        else if (!error.isTransient || (error.retryAfterMs ?? 0) > maxWaitMs) throw error;
        else if (error.status === 429 ? maxWaitMs === 0 : faults++ >= retries) throw error;
        else await pause(waitMs, signal);
      }
    }
  }

  async #attempt<T>(
    { path, headers, signal, read }: Request<T>,
    token: string | undefined,
    end: EndRequest,
  ): Promise<T> {
    const url = new URL(path, this.#options.baseUrl).href;
    const caller: Record<string, string> =
      token === undefined ? { 'x-client-id': this.#options.clientId! } : { authorization: `Bearer ${token}` };
    const deadline = new Deadline(this.#timeoutMs, signal);
    try {
      const response = await this.#fetch(url, {
        headers: { accept: 'application/json', ...caller, ...headers },
        signal: deadline.signal,
      });
      end(response.headers);
      if (!response.ok && response.status !== 304) throw await responseError(response);
      return await read(response, deadline);
    } catch (error) {
      const { aborted, reason } = deadline.signal;
      deadline.close();
      throw networkError(aborted ? reason : error, url);
    }
  }
}
