import { HttpError } from './errors.ts';

/** 401 for a request without credentials: the challenge has no error code (RFC 6750 section 3.1). */
export function unauthenticated(realm: string): HttpError {
  return new HttpError(401, 'invalid_token', 'Send an access token or a Client ID with the request.', {
    'www-authenticate': `Bearer realm="${realm}"`,
  });
}

/** 401 for credentials that are not valid. */
export function invalidToken(
  realm: string,
  sentence = 'The access token or Client ID is unknown, malformed, expired or revoked.',
): HttpError {
  return new HttpError(401, 'invalid_token', sentence, {
    'www-authenticate': `Bearer realm="${realm}", error="invalid_token", error_description="${sentence}"`,
  });
}
