import type { Clock } from '#base/clock.ts';
import { invalidRequest } from '#base/errors.ts';
import type { Db } from '#db/db.ts';
import { type Application, applicationByClientId } from '#records/applications.ts';
import { findAccessToken } from '#records/tokens.ts';
import { invalidToken, unauthenticated } from './challenge.ts';
import type { Credentials } from './credentials.ts';
import { Kept } from './kept.ts';

/** Who asks: a user through an application, an application for itself, or an application by its Client ID alone. */
export type Caller =
  | { kind: 'user'; application: Application; accountId: string; scopes: string[] }
  | { kind: 'application'; application: Application }
  | { kind: 'client_id'; application: Application };

/** A caller with a token, up to a moment. */
interface Bearer {
  caller: Caller;
  until: number;
}

const KEPT_BEARERS = 20_000;
/** Even where the database's word of a change gets lost (a pooler, a broken line), a revocation holds within a second. */
const KEPT_MS = 1_000;

/** Proves who asks. Who was proven is kept while the database says that nothing has changed. */
export class Callers {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #realm: string;
  readonly #bearers: Kept<Bearer>;

  /** @param realm as `WWW-Authenticate` names it */
  constructor(db: Db, clock: Clock, realm: string) {
    this.#db = db;
    this.#clock = clock;
    this.#realm = realm;
    this.#bearers = new Kept(KEPT_BEARERS);
  }

  /**
   * The bearer of a token who was proven before, where that still holds.
   * @param version the database's version now
   */
  known(token: string, version: number | undefined): Caller | undefined {
    const bearer = this.#bearers.get(token, version);
    return bearer !== undefined && bearer.until > this.#clock.now() ? bearer.caller : undefined;
  }

  /** @throws WireError 401 where nothing or nothing valid was sent, 400 where the Client ID names another application */
  async prove({ token, clientId }: Credentials, version: number | undefined): Promise<Caller> {
    if (token === undefined) return await this.#byClientId(clientId);
    const caller = this.known(token, version) ?? (await this.#byToken(token, version));
    if (clientId !== undefined && clientId !== caller.application.client_id) {
      throw invalidRequest('client_id names another application than the access token; leave it out.');
    }
    return caller;
  }

  async #byToken(token: string, version: number | undefined): Promise<Caller> {
    const now = this.#clock.now();
    const found = await findAccessToken(this.#db, token, now);
    const application = found && (await applicationByClientId(this.#db, found.client_id));
    if (found === undefined || application === undefined) throw invalidToken(this.#realm);
    const caller = callerOf(application, found);
    this.#bearers.set(token, { caller, until: Math.min(found.expires, now + KEPT_MS) }, version);
    return caller;
  }

  async #byClientId(clientId: string | undefined): Promise<Caller> {
    if (clientId === undefined) throw unauthenticated(this.#realm);
    const application = isStorable(clientId) ? await applicationByClientId(this.#db, clientId) : undefined;
    if (application === undefined) throw invalidToken(this.#realm);
    return { kind: 'client_id', application };
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
