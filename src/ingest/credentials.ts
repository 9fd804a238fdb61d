import type { IncomingMessage } from 'node:http';
import type { Clock } from '#platform/clock.ts';
import { WireError } from '#http/errors.ts';
import type { Db } from '#db/db.ts';
import { type Credential, findServerKey } from '#store/game/server-keys.ts';

/** A key that is revoked is refused everywhere within this time. */
const KEPT_MS = 500;
const MOST_KEPT = 1_000;

/** Finds out which server speaks. */
export class Credentials {
  readonly #db: Db;
  readonly #clock: Clock;
  /** By the header as it was sent: to hash the key of every request would cost more than all else that is asked of it. */
  readonly #kept = new Map<string, { credential: Credential; until: number }>();

  constructor({ db, clock }: { db: Db; clock: Clock }) {
    this.#db = db;
    this.#clock = clock;
  }

  /** @throws WireError 401 */
  async of(request: IncomingMessage): Promise<Credential> {
    const header = request.headers.authorization ?? '';
    const kept = this.#kept.get(header);
    if (kept !== undefined && performance.now() < kept.until) return kept.credential;
    this.#kept.delete(header);
    const [, secret] = /^Bearer +(\S+) *$/i.exec(header) ?? [];
    if (secret === undefined) throw unauthorized('Send the key of the game server as Authorization: Bearer.', '');
    const credential = await findServerKey(this.#db, secret, this.#clock.now());
    if (credential === undefined)
      throw unauthorized('The key is unknown, expired or revoked.', ', error="invalid_token"');
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
    this.#kept.set(header, { credential, until: performance.now() + KEPT_MS });
    return credential;
  }
}

function unauthorized(sentence: string, error: string): WireError {
  return new WireError(401, 'invalid_token', sentence, {
    'www-authenticate': `Bearer realm="Scorehall ingest"${error}`,
  });
}
