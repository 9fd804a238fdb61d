import { currentRequest, errors } from './oidc-provider.ts';

class RateLimitError extends errors.OIDCProviderError {
  override allow_redirect = false;

  constructor(sentence: string) {
    super(429, 'rate_limit');
    this.error_description = sentence;
  }
}

/** Sets `Retry-After` for the current request and returns the error to throw. */
export function rateLimitError(sentence: string, waitMs: number): Error {
  currentRequest()?.set('retry-after', String(Math.ceil(waitMs / 1000)));
  return new RateLimitError(sentence);
}
