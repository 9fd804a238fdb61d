import type { Clock } from '#platform/clock.ts';
import { invalidRequest, HttpError } from '#http/errors.ts';
import { type MaybePromise, mapMaybe } from '#platform/maybe-promise.ts';
import type { Queryable } from '#db/db.ts';
import { type Application, applicationByClientId } from '#store/applications/applications.ts';
import { suspensionReason } from '#store/applications/suspension.ts';
import { findAccessToken } from '#store/applications/tokens.ts';
import { invalidToken, unauthenticated } from '#http/challenge.ts';
import type { Credentials } from '#http/credentials.ts';
import { VersionedCache } from '../versioned-cache.ts';

/** Who asks: a user through an application, an application for itself, or an application by its Client ID alone. */
export type Caller =
  | { kind: 'user'; application: Application; accountId: string; scopes: string[] }
  | { kind: 'application'; application: Application }
  | { kind: 'client_id'; application: Application };

/** Something that was proven, up to a moment. */
interface Authenticated<T> {
  thing: T;
  until: number;
}

const CACHED_TOKENS = 20_000;
const CACHED_APPLICATIONS = 2_000;
/** Even where the database's word of a change gets lost (a pooler, a broken line), a revocation holds within a second. */
const KEPT_MS = 1_000;

/** Proves who asks. Who was proven is kept while the database says that nothing has changed. */
export class Callers {
  readonly #db: Queryable;
  readonly #clock: Clock;
  readonly #realm: string;
  /** Callers by their tokens. */
  readonly #bearers = new VersionedCache<Authenticated<Caller>>(CACHED_TOKENS);
  /** Applications by their Client IDs: one stands behind many tokens. */
  readonly #applications = new VersionedCache<Authenticated<Application>>(CACHED_APPLICATIONS);

  /** @param realm as `WWW-Authenticate` names it */
  constructor(db: Queryable, clock: Clock, realm: string) {
    this.#db = db;
    this.#clock = clock;
    this.#realm = realm;
  }

  /**
   * @param version the data version of credentials now
   * @throws HttpError 401 where nothing or nothing valid was sent, 400 where the Client ID names another application, 403
   *   where the application is stopped
   */
  authenticate({ token, clientId }: Credentials, version: number | undefined): MaybePromise<Caller> {
    if (token === undefined) return this.#byClientId(clientId, version);
    return mapMaybe(this.#cached(token, version) ?? this.#byToken(token, version), (caller) => {
      if (clientId === undefined || clientId === caller.application.client_id) return caller;
      throw invalidRequest('client_id names another application than the access token; leave it out.');
    });
  }

  #cached(token: string, version: number | undefined): Caller | undefined {
    const bearer = this.#bearers.get(token, version);
    return bearer !== undefined && bearer.until > this.#clock.now() ? bearer.thing : undefined;
  }

  async #byToken(token: string, version: number | undefined): Promise<Caller> {
    const found = await findAccessToken(this.#db, token, this.#clock.now());
    const application = found && (await this.#application(found.client_id, version));
    if (found === undefined || application === undefined) throw invalidToken(this.#realm);
    const caller = callerOf(application.thing, found);
    this.#bearers.set(token, { thing: caller, until: Math.min(found.expires, application.until) }, version);
    return caller;
  }

  async #byClientId(clientId: string | undefined, version: number | undefined): Promise<Caller> {
    if (clientId === undefined) throw unauthenticated(this.#realm);
    const application = isStorable(clientId) ? await this.#application(clientId, version) : undefined;
    if (application === undefined) throw invalidToken(this.#realm);
    return { kind: 'client_id', application: application.thing };
  }

  async #application(clientId: string, version: number | undefined): Promise<Authenticated<Application> | undefined> {
    const now = this.#clock.now();
    const cached = this.#applications.get(clientId, version);
    if (cached !== undefined && cached.until > now) return cached;
    const application = await applicationByClientId(this.#db, clientId);
    if (application === undefined) return undefined;
    const suspended = suspensionReason(application);
    if (suspended !== undefined) throw new HttpError(403, 'access_not_approved', suspended);
    const proven = { thing: application, until: now + KEPT_MS };
    this.#applications.set(clientId, proven, version);
    return proven;
  }
}

function callerOf(
  application: Application,
  { account_id, scopes }: { account_id: string | null; scopes: string[] },
): Caller {
  return account_id === null
    ? { kind: 'application', application }
    : { kind: 'user', application, accountId: account_id, scopes };
}

/** PostgreSQL refuses NUL in text. */
function isStorable(text: string): boolean {
  return !text.includes('\0');
}
