import type { Clock } from '#platform/clock.ts';
import type { RateLimiter } from '#http/rate-limiter.ts';
import { Refusals } from '../refusals.ts';
import { rateLimitError } from './rate-limit-error.ts';

/** The beginning of the subjects that this file counts in the rate limiter. */
export const TOKEN_SUBJECTS = 'token ';

/** A way to get tokens. */
export type LimitedGrant = 'client_credentials' | 'code' | 'refresh_token';

/**
 * Limits the tokens of an application: by client credentials for itself, and by each other grant for one account. The rate
 * limiter shares the counts among processes.
 */
export class TokenLimits {
  readonly #rateLimiter: RateLimiter;
  readonly #clock: Clock;
  readonly #limit: number;
  /** The end of the window of subjects that have reached the limit. */
  readonly #refusals = new Refusals<number>();

  constructor(rateLimiter: RateLimiter, clock: Clock, limit: number) {
    this.#rateLimiter = rateLimiter;
    this.#clock = clock;
    this.#limit = limit;
  }

  /** Counts a token before it is issued. @throws errors.OIDCProviderError 429 with `Retry-After` */
  async count(grant: LimitedGrant, clientId: string, accountId = ''): Promise<void> {
    const subject = `${TOKEN_SUBJECTS}${grant} ${clientId} ${accountId}`;
    const resets = await this.#refusedUntil(subject);
    if (resets === undefined) return;
    const sentence = 'The application has requested too many tokens within the hour. Use a token until it expires.';
    throw rateLimitError(sentence, resets - this.#clock.now());
  }

  async #refusedUntil(subject: string): Promise<number | undefined> {
    const refusal = this.#refusals.get(subject, this.#clock.now());
    if (refusal !== undefined) return refusal;
    const { allowed, resets } = await this.#rateLimiter.count(subject, this.#limit);
    if (allowed) return undefined;
    this.#refusals.add(subject, resets, resets);
    return resets;
  }
}
