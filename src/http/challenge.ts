import { HttpError } from './errors.ts';

/** Nothing was sent: the challenge names no error (RFC 6750 section 3.1). */
export function unauthenticated(realm: string): HttpError {
  return new HttpError(401, 'invalid_token', 'An access token or a Client ID is needed.', {
    'www-authenticate': `Bearer realm="${realm}"`,
  });
}

export function invalidToken(realm: string): HttpError {
  const sentence = 'The access token or Client ID is unknown, malformed, expired or revoked.';
  return new HttpError(401, 'invalid_token', sentence, {
    'www-authenticate': `Bearer realm="${realm}", error="invalid_token", error_description="${sentence}"`,
  });
}
