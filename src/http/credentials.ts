import type { IncomingMessage } from 'node:http';
import { invalidRequest } from './errors.ts';
import { invalidToken } from './challenge.ts';
import { schemeProblem } from './credential-form.ts';

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

/** All values of a header. `request.headers` cannot be used: it drops or joins repeated headers, depending on the name. */
function headerValues({ rawHeaders }: IncomingMessage, name: string): string[] {
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
