import { HttpError } from './errors.ts';

/** 401 for a request without credentials: the challenge has no error code (RFC 6750 section 3.1). */
export function unauthenticated(realm: string): HttpError {
  const sentence = 'Send an access token (Authorization: Bearer TOKEN) or a Client ID (?client_id=ID).';
  return new HttpError(401, 'invalid_token', sentence, { 'www-authenticate': `Bearer realm="${realm}"` });
}

/** The sentence for a token of which nothing is known. */
export const UNKNOWN_TOKEN = 'The access token is unknown, expired or revoked. Request a new one.';

/** 401 for credentials that are not valid. */
export function invalidToken(realm: string, sentence = UNKNOWN_TOKEN): HttpError {
  return new HttpError(401, 'invalid_token', sentence, {
    'www-authenticate': `Bearer realm="${realm}", error="invalid_token", error_description="${sentence}"`,
  });
}
