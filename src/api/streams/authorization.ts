import type { Clock } from '#platform/clock.ts';
import { chunksOf } from '#platform/streams/chunks.ts';
import type { Db } from '#db/db.ts';
import type { Credentials } from '#http/credentials.ts';
import { HttpError } from '#http/errors.ts';
import { liveTokens } from '#store/applications/tokens.ts';
import { isServerKey } from '#store/game/server-keys.ts';
import type { Callers } from '../callers.ts';
import { notApproved } from '../refusals.ts';
import { type Subscriber, endUnauthorized } from './feed-group.ts';

const INTERVAL_MS = 1_000;
/** Without a sign of a change, tokens are checked this often: a notification of the database can be lost. */
const MAX_AGE_MS = 10_000;
const TOKENS_PER_STATEMENT = 500;

/** Ends streams whose credentials are no longer valid. */
export class StreamAuthorization {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #callers: Callers;
  /** The streams by their token or Client ID. */
  readonly #byCredential = new Map<string, Set<Subscriber>>();
  #lastCheck = 0;
  /** When the tokens have to be checked again, and the data version of credentials at their last check. */
  #due = 0;
  #version: number | undefined;

  constructor(db: Db, clock: Clock, callers: Callers) {
    this.#db = db;
    this.#clock = clock;
    this.#callers = callers;
  }

  /** Its credentials were valid a moment ago, and are checked with the next ones. */
  add(subscriber: Subscriber): void {
    const known = this.#byCredential.getOrInsertComputed(credentialOf(subscriber), () => new Set<Subscriber>());
    if (known.size === 0) this.#due = 0;
    known.add(subscriber);
  }

  delete(subscriber: Subscriber): void {
    const credential = credentialOf(subscriber);
    const known = this.#byCredential.get(credential);
    known?.delete(subscriber);
    if (known?.size === 0) this.#byCredential.delete(credential);
  }

  /** Checks the credentials, unless that was less than a second ago. */
  async tick(): Promise<void> {
    const now = this.#clock.now();
    if (now - this.#lastCheck < INTERVAL_MS) return;
    this.#lastCheck = now;
    const { credentials: version } = this.#db.versions();
    const isDue = version === undefined || version !== this.#version || now >= this.#due;
    const valid = isDue ? await this.#liveTokens(now) : undefined;
    this.#version = version;
    for (const [credential, subscribers] of this.#byCredential) {
      // Keys of game servers have no data version.
      if (!isServerKey(credential) && (valid === undefined || valid.has(credential))) continue;
      const [first] = subscribers;
      const refusal = first && (await this.#refusal(first.order.credentials));
      if (refusal !== undefined) for (const { stream } of subscribers) endUnauthorized(stream, refusal);
    }
  }

  /** The tokens that are valid, checked with few statements. */
  async #liveTokens(now: number): Promise<ReadonlySet<string>> {
    const valid = new Set<string>();
    this.#due = now + MAX_AGE_MS;
    for (const some of chunksOf(this.#byCredential.keys(), TOKENS_PER_STATEMENT)) {
      for (const [token, expires] of await liveTokens(this.#db.shortReads, some, now)) {
        valid.add(token);
        this.#due = Math.min(this.#due, expires);
      }
    }
    return valid;
  }

  async #refusal(credentials: Credentials): Promise<HttpError | undefined> {
    try {
      // Without a version nothing is cached.
      const caller = await this.#callers.authenticate(credentials, undefined);
      return caller.kind !== 'server' && caller.application.access !== 'approved' ? notApproved() : undefined;
    } catch (error) {
      if (error instanceof HttpError) return error;
      throw error;
    }
  }
}

/** A blank distinguishes a Client ID, which is no token. */
const credentialOf = ({ order: { credentials } }: Subscriber): string =>
  credentials.token ?? ` ${credentials.clientId}`;
