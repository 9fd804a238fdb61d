import type { Clock } from '#platform/clock.ts';
import { HttpError } from '#http/errors.ts';
import { schemeProblem } from '#http/credentials.ts';
import type { Db } from '#db/db.ts';
import { type Credential, findServerKey, isServerKey } from '#store/game/server-keys.ts';

/** Lifetime of a cache entry: a revoked key is refused after this time at the latest. */
const CACHE_TTL_MS = 500;
const MAX_CACHED = 1_000;

const INVALID = 'The key is unknown, expired or revoked. Ask the operator of the network for a new one.';
const OTHER_KIND =
  'This is not the key of a game server, which begins with shk_. Tokens and secrets of applications report no events.';

const RIGHT = 'Send the key of the game server in the header Authorization: Bearer KEY.';

/** Authenticates game servers by the key in `Authorization: Bearer`. */
export class Credentials {
  readonly #db: Db;
  readonly #clock: Clock;
  /** By the Authorization header as sent: hashing the key of every request would cost more than the other checks together. */
  readonly #cached = new Map<string, { credential: Credential; until: number }>();

  constructor({ db, clock }: { db: Db; clock: Clock }) {
    this.#db = db;
    this.#clock = clock;
  }

  /**
   * Returns the server and the key that sent a request, by the value of its Authorization header.
   * @throws HttpError 401 if the key is missing, unknown, expired or revoked
   */
  async of(header = ''): Promise<Credential> {
    const cached = this.#cached.get(header);
    if (cached !== undefined && performance.now() < cached.until) return cached.credential;
    this.#cached.delete(header);
    const [, secret] = /^Bearer +(\S+) *$/i.exec(header) ?? [];
    if (secret === undefined) throw unauthorized(`${header === '' ? '' : `${schemeProblem(header)} `}${RIGHT}`, '');
    const credential = await findServerKey(this.#db, secret, this.#clock.now());
    if (credential === undefined)
      throw unauthorized(isServerKey(secret) ? INVALID : OTHER_KIND, ', error="invalid_token"');
    if (this.#cached.size >= MAX_CACHED) this.#cached.clear();
    this.#cached.set(header, { credential, until: performance.now() + CACHE_TTL_MS });
    return credential;
  }
}

function unauthorized(sentence: string, error: string): HttpError {
  return new HttpError(401, 'invalid_token', sentence, {
    'www-authenticate': `Bearer realm="Scorehall ingest"${error}`,
  });
}
