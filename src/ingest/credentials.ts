import type { IncomingMessage } from 'node:http';
import type { Clock } from '#platform/clock.ts';
import { HttpError } from '#http/errors.ts';
import type { Db } from '#db/db.ts';
import { type Credential, findServerKey } from '#store/game/server-keys.ts';

/** A key that is revoked is refused everywhere within this time. */
const KEPT_MS = 500;
const MAX_STORED = 1_000;

/** Finds out which server speaks. */
export class Credentials {
  readonly #db: Db;
  readonly #clock: Clock;
  /** By the header as it was sent: to hash the key of every request would cost more than all else that is asked of it. */
  readonly #cached = new Map<string, { credential: Credential; until: number }>();

  constructor({ db, clock }: { db: Db; clock: Clock }) {
    this.#db = db;
    this.#clock = clock;
  }

  /** @throws HttpError 401 */
  async of(request: IncomingMessage): Promise<Credential> {
    const header = request.headers.authorization ?? '';
    const cached = this.#cached.get(header);
    if (cached !== undefined && performance.now() < cached.until) return cached.credential;
    this.#cached.delete(header);
    const [, secret] = /^Bearer +(\S+) *$/i.exec(header) ?? [];
    if (secret === undefined) throw unauthorized('Send the key of the game server as Authorization: Bearer.', '');
    const credential = await findServerKey(this.#db, secret, this.#clock.now());
    if (credential === undefined)
      throw unauthorized('The key is unknown, expired or revoked.', ', error="invalid_token"');
    if (this.#cached.size >= MAX_STORED) this.#cached.clear();
    this.#cached.set(header, { credential, until: performance.now() + KEPT_MS });
    return credential;
  }
}

function unauthorized(sentence: string, error: string): HttpError {
  return new HttpError(401, 'invalid_token', sentence, {
    'www-authenticate': `Bearer realm="Scorehall ingest"${error}`,
  });
}
