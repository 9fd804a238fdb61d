import type { IncomingMessage } from 'node:http';
import { invalidRequest, HttpError } from './errors.ts';

/** The credentials of a request, not yet verified. */
export interface Credentials {
  token: string | undefined;
  clientId: string | undefined;
}

const MAX_CREDENTIAL = 512;
const RIGHT =
  'Send Authorization: Bearer TOKEN with an access token; a Client ID and its secret get one at /oauth/token of the sign-in.';

/**
 * Reads the credentials of a request: `Authorization: Bearer`, `?access_token=`, `X-Client-ID`, `?client_id=`.
 * @param query all values of each query parameter
 * @throws HttpError 400 for two different tokens or Client IDs, 401 for a scheme other than Bearer
 */
export function readCredentials(
  request: IncomingMessage,
  query: (name: string) => string[],
  realm: string,
): Credentials {
  const tokens = [...bearerTokens(request, realm), ...query('access_token')];
  const token = onlyValue(tokens, 'The request has two different access tokens. Send only one.');
  const clientIds = [...headerValues(request, 'x-client-id'), ...query('client_id')];
  const clientId = onlyValue(clientIds, 'The request has two different Client IDs. Send only one.');
  if (isTooLong(token ?? clientId))
    throw invalidToken(
      realm,
      `The ${token === undefined ? 'Client ID' : 'access token'} is longer than ${MAX_CREDENTIAL} characters.`,
    );
  return { token, clientId: isTooLong(clientId) ? undefined : clientId };
}

const isTooLong = (text: string | undefined): boolean => text !== undefined && text.length > MAX_CREDENTIAL;

function bearerTokens(request: IncomingMessage, realm: string): string[] {
  const sent = headerValues(request, 'authorization').filter((header) => header !== '');
  return sent.map((header) => {
    const [, token] = /^bearer +([^ ]+) *$/i.exec(header) ?? [];
    if (token === undefined) throw invalidToken(realm, `${schemeProblem(header)} ${RIGHT}`);
    return token;
  });
}

/** All values of a header. `request.headers` drops or joins repeated headers, depending on the name, and parses all others. */
export function headerValues({ rawHeaders }: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index]!;
    if (header.length === name.length && header.toLowerCase() === name) values.push(rawHeaders[index + 1]!);
  }
  return values;
}

/** The value, if all are the same. Empty values count as absent. */
function onlyValue(values: string[], sentence: string): string | undefined {
  const sent = values.filter((value) => value !== '');
  if (sent.some((value) => value !== sent[0])) throw invalidRequest(sentence);
  return sent[0];
}

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

/** Sentences about credentials of a wrong form. They repeat nothing of a credential, and are ASCII without quotation marks. */

/** Schemes that are named: another first word may be a part of a secret. */
const SCHEME = /^(basic|token|apikey|api-key|jwt|oauth|digest|bot|key) /i;

/** Why the value of an Authorization header is not `Bearer` and a token. */
export function schemeProblem(header: string): string {
  const value = header.trim();
  const at = 'The header Authorization has';
  if (/^bearer$/i.test(value)) return `${at} nothing after Bearer.`;
  if (/^bearer /i.test(value)) return `${at} a blank within what follows Bearer.`;
  const [, scheme] = SCHEME.exec(value) ?? [];
  if (scheme !== undefined) return `${at} the scheme ${scheme}.`;
  return value.includes(' ') ? `${at} another scheme than Bearer.` : `${at} no scheme.`;
}

export const CLIENT_SECRET = 'This is a Client Secret';

/** What was sent as an access token instead of one; undefined if it may be one. */
export function tokenProblem(token: string): string | undefined {
  if (token.startsWith('shs_'))
    return `${CLIENT_SECRET}: exchange it for an access token at /oauth/token of the sign-in.`;
  if (token.startsWith('whsec_'))
    return 'This is the secret of a webhook, which verifies messages: send an access token.';
  if (/^eyJ[\w-]*\.[\w-]+\./.test(token))
    return 'This is a JWT, such as an ID token: send the access token of the same response.';
  return undefined;
}
