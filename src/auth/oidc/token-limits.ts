import type { Clock } from '#platform/clock.ts';
import type { RateLimiter } from '#http/rate-limiter.ts';
import { currentRequest, errors } from './oidc-provider.ts';

/** The beginning of the subjects that this file counts in the rate limiter. */
export const TOKEN_SUBJECTS = 'token ';

/** Bounds the memory; the subjects are applications with a valid secret, and accounts that have signed in to one. */
const MAX_EXHAUSTED = 10_000;

/** A way to get tokens. */
export type LimitedGrant = 'client_credentials' | 'code' | 'refresh_token';

/**
 * Limits the tokens that an application gets within an hour, by client credentials for itself and by each other grant for
 * one account. The rate limiter shares the counts among processes.
 */
export class TokenLimits {
  readonly #rateLimiter: RateLimiter;
  readonly #clock: Clock;
  readonly #limit: number;
  /** Subjects that have reached the limit, with the end of their window, so that refusals cost no access to the database. */
  readonly #exhausted = new Map<string, number>();

  /** @param limit tokens within an hour (setting `TOKEN_LIMIT`) */
  constructor(rateLimiter: RateLimiter, clock: Clock, limit: number) {
    this.#rateLimiter = rateLimiter;
    this.#clock = clock;
    this.#limit = limit;
  }

  /** Counts a token before it is issued. @throws errors.OIDCProviderError 429 with `Retry-After` */
  async count(grant: LimitedGrant, clientId: string, accountId = ''): Promise<void> {
    const subject = `${TOKEN_SUBJECTS}${grant} ${clientId} ${accountId}`;
    const resets = await this.#exhaustedUntil(subject);
    if (resets === undefined) return;
    currentRequest()?.set('retry-after', String(Math.ceil((resets - this.#clock.now()) / 1000)));
    throw new TooManyTokens();
  }

  async #exhaustedUntil(subject: string): Promise<number | undefined> {
    const known = this.#exhausted.get(subject);
    if (known !== undefined && known > this.#clock.now()) return known;
    this.#exhausted.delete(subject);
    const { allowed, resets } = await this.#rateLimiter.count(subject, this.#limit);
    if (allowed) return undefined;
    if (this.#exhausted.size >= MAX_EXHAUSTED) this.#exhausted.delete(this.#exhausted.keys().next().value!);
    this.#exhausted.set(subject, resets);
    return resets;
  }
}

class TooManyTokens extends errors.OIDCProviderError {
  override allow_redirect = false;
  override error_description =
    'The application has requested too many tokens within the hour. Use a token until it expires.';

  constructor() {
    super(429, 'rate_limit');
  }
}
