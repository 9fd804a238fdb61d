import type { Clock } from '#platform/clock.ts';
import { HttpError } from '#http/errors.ts';
import { currentRequest, errors } from './oidc-provider.ts';

const WINDOW_MS = 3_600_000;
/** Bounds the memory; the subjects are applications with a valid secret, and accounts that have signed in to one. */
const MAX_SUBJECTS = 100_000;

interface Window {
  used: number;
  resets: number;
}

/** A way to get tokens. */
export type LimitedGrant = 'client_credentials' | 'code' | 'refresh_token';

/**
 * Limits the tokens that an application gets within an hour, by client credentials for itself and by each other grant for
 * one account, because every token is a row until it expires. It counts in memory, as a count in the database would cost
 * a second write for each token; each process therefore allows the limit.
 */
export class TokenLimits {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #windows = new Map<string, Window>();

  /** @param limit tokens within an hour (setting `TOKEN_LIMIT`) */
  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** @throws HttpError 429 with `Retry-After` */
  count(grant: LimitedGrant, clientId: string, accountId = ''): void {
    const now = this.#clock.now();
    const { used, resets } = this.#counted(`${grant} ${clientId} ${accountId}`, now);
    if (used <= this.#limit) return;
    const seconds = String(Math.ceil((resets - now) / 1000));
    throw new HttpError(429, 'rate_limit', DESCRIPTION, { 'retry-after': seconds });
  }

  /** As `count`, for code that oidc-provider calls. @throws errors.OIDCProviderError 429 with `Retry-After` */
  countInProvider(grant: LimitedGrant, clientId: string, accountId?: string): void {
    try {
      this.count(grant, clientId, accountId);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      currentRequest()?.set(error.headers);
      throw new TooManyTokens();
    }
  }

  #counted(subject: string, now: number): Window {
    const current = this.#windows.get(subject);
    if (current !== undefined && current.resets > now) {
      current.used++;
      return current;
    }
    // Deleting first moves the subject to the end, so that the first entry is the oldest window.
    this.#windows.delete(subject);
    if (this.#windows.size >= MAX_SUBJECTS) this.#windows.delete(this.#windows.keys().next().value!);
    const window = { used: 1, resets: now + WINDOW_MS };
    this.#windows.set(subject, window);
    return window;
  }
}

const DESCRIPTION = 'The application has requested too many tokens within the hour. Use a token until it expires.';

class TooManyTokens extends errors.OIDCProviderError {
  override allow_redirect = false;
  override error_description = DESCRIPTION;

  constructor() {
    super(429, 'rate_limit');
  }
}
