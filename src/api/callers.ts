import type { Clock } from '#platform/clock.ts';
import { invalidRequest, HttpError } from '#http/errors.ts';
import type { Queryable } from '#db/db.ts';
import { type Application, applicationByClientId } from '#store/applications/applications.ts';
import { suspensionReason } from '#store/applications/suspension.ts';
import { findServerKey, isServerKey } from '#store/game/server-keys.ts';
import { findAccessToken, isFormerToken } from '#store/applications/tokens.ts';
import { type Credentials, invalidToken, unauthenticated, CLIENT_SECRET, tokenProblem } from '#http/credentials.ts';
import { VersionedCache } from './versioned-cache.ts';

/**
 * A user through an application, an application on its own behalf, an application that sent only its Client ID, or a game
 * server with its key.
 */
export type Caller =
  | { kind: 'user'; application: Application; accountId: string; scopes: string[] }
  | { kind: 'application'; application: Application }
  | { kind: 'client_id'; application: Application }
  | { kind: 'server'; serverKey: number };

/** 401 for a token that has recently expired or been revoked. */
export class FormerToken extends HttpError {}

/** A caller or an application, and until when the cache may serve it, in epoch milliseconds. */
interface Authenticated<T> {
  value: T;
  until: number;
}

const CLIENT_ID =
  'This is a Client ID, not an access token: send it as ?client_id= or in the header X-Client-ID, or exchange it with its ' +
  'secret for an access token at /oauth/token of the sign-in.';
const CACHED_TOKENS = 20_000;
const CACHED_APPLICATIONS = 2_000;
/**
 * The longest time for which an application is served from the cache: a revocation takes effect within a second even if
 * the database's change notification is lost (a connection pooler, a broken connection).
 */
const CACHE_MS = 1_000;

/** Authenticates the callers of the data API. Caches them for as long as the data version of credentials stays the same. */
export class Callers {
  readonly #db: Queryable;
  readonly #clock: Clock;
  readonly #realm: string;
  /** Callers by their tokens. */
  readonly #bearers = new VersionedCache<Authenticated<Caller>>(CACHED_TOKENS);
  /** Applications by their Client IDs, cached separately because an application has many tokens. */
  readonly #applications = new VersionedCache<Authenticated<Application>>(CACHED_APPLICATIONS);

  /** @param realm the realm of `WWW-Authenticate` */
  constructor(db: Queryable, clock: Clock, realm: string) {
    this.#db = db;
    this.#clock = clock;
    this.#realm = realm;
  }

  /**
   * @param version the current data version of credentials
   * @throws HttpError 401 for missing or invalid credentials, 400 if the Client ID is that of another application than the
   *   token, 403 if the application is suspended
   */
  async authenticate({ token, clientId }: Credentials, version: number | undefined): Promise<Caller> {
    if (token === undefined) return await this.#byClientId(clientId, version);
    const caller = this.#cached(token, version) ?? (await this.#byToken(token, version));
    if (clientId === undefined || caller.kind === 'server') return caller;
    if (clientId === caller.application.client_id) return caller;
    return await this.#withClientId(caller, clientId);
  }

  /** Ignores a Client ID that no application has, because generated clients send a placeholder with the token. */
  async #withClientId(caller: Caller, clientId: string): Promise<Caller> {
    if (!isStorable(clientId) || (await applicationByClientId(this.#db, clientId)) === undefined) return caller;
    throw invalidRequest('The access token belongs to another application than client_id. Send only the access token.');
  }

  #cached(token: string, version: number | undefined): Caller | undefined {
    const bearer = this.#bearers.get(token, version);
    return bearer !== undefined && bearer.until > this.#clock.now() ? bearer.value : undefined;
  }

  async #byToken(token: string, version: number | undefined): Promise<Caller> {
    if (isServerKey(token)) return await this.#byServerKey(token, version);
    const found = await findAccessToken(this.#db, token, this.#clock.now());
    const application = found && (await this.#application(found.client_id, version));
    if (found === undefined || application === undefined) throw await this.#refusal(token);
    const caller = toCaller(application.value, found);
    this.#bearers.set(token, { value: caller, until: Math.min(found.expires, application.until) }, version);
    return caller;
  }

  /** There is no data version of keys, so a revocation takes effect after `CACHE_MS`. */
  async #byServerKey(key: string, version: number | undefined): Promise<Caller> {
    const now = this.#clock.now();
    const found = await findServerKey(this.#db, key, now);
    if (found === undefined)
      throw invalidToken(this.#realm, 'The key of the game server is unknown, expired or revoked.');
    const caller: Caller = { kind: 'server', serverKey: found.serverKey };
    this.#bearers.set(key, { value: caller, until: now + CACHE_MS }, version);
    return caller;
  }

  async #refusal(token: string): Promise<HttpError> {
    const problem = tokenProblem(token);
    if (problem !== undefined) return invalidToken(this.#realm, problem);
    const refusal = invalidToken(this.#realm);
    if (await isFormerToken(this.#db, token))
      return new FormerToken(refusal.status, refusal.code, refusal.message, refusal.headers);
    const isClientId = isStorable(token) && (await applicationByClientId(this.#db, token)) !== undefined;
    return isClientId ? invalidToken(this.#realm, CLIENT_ID) : refusal;
  }

  async #byClientId(clientId: string | undefined, version: number | undefined): Promise<Caller> {
    if (clientId === undefined) throw unauthenticated(this.#realm);
    const application = isStorable(clientId) ? await this.#application(clientId, version) : undefined;
    if (application === undefined) throw invalidToken(this.#realm, unknownClientId(clientId));
    return { kind: 'client_id', application: application.value };
  }

  async #application(clientId: string, version: number | undefined): Promise<Authenticated<Application> | undefined> {
    const now = this.#clock.now();
    const cached = this.#applications.get(clientId, version);
    if (cached !== undefined && cached.until > now) return cached;
    const application = await applicationByClientId(this.#db, clientId);
    if (application === undefined) return undefined;
    const suspended = suspensionReason(application);
    if (suspended !== undefined) throw new HttpError(403, 'access_not_approved', suspended);
    const authenticated = { value: application, until: now + CACHE_MS };
    this.#applications.set(clientId, authenticated, version);
    return authenticated;
  }
}

function toCaller(
  application: Application,
  { account_id, scopes }: { account_id: string | null; scopes: string[] },
): Caller {
  return account_id === null
    ? { kind: 'application', application }
    : { kind: 'user', application, accountId: account_id, scopes };
}

const unknownClientId = (sent: string): string =>
  sent.startsWith('shs_')
    ? `${CLIENT_SECRET}, not a Client ID, and must not be in an address: replace it in the console.`
    : 'No application has this Client ID. An access token belongs into the header Authorization: Bearer TOKEN.';

/** PostgreSQL refuses NUL in text. */
function isStorable(text: string): boolean {
  return !text.includes('\0');
}
