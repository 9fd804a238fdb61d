import type { IncomingMessage } from 'node:http';
import { invalidRequest } from './errors.ts';
import { invalidToken } from './challenge.ts';

/** What a request shows of credentials, still unproven. */
export interface Credentials {
  token: string | undefined;
  clientId: string | undefined;
}

const MAX_CREDENTIAL = 512;

/**
 * Reads the credentials of a request: `Authorization: Bearer`, `?access_token=`, `X-Client-ID`, `?client_id=`.
 * @param query all values of each query parameter
 * @throws HttpError 400 for two different ones, 401 for another scheme than Bearer
 */
export function credentialsOf(request: IncomingMessage, query: (name: string) => string[], realm: string): Credentials {
  const tokens = [...bearerOf(request, realm), ...query('access_token')];
  const token = oneOf(tokens, 'Two different access tokens were sent; send one.');
  const clientIds = [...headerValues(request, 'x-client-id'), ...query('client_id')];
  const clientId = oneOf(clientIds, 'Two different Client IDs were sent; send one.');
  if ((token?.length ?? 0) > MAX_CREDENTIAL || (clientId?.length ?? 0) > MAX_CREDENTIAL) throw invalidToken(realm);
  return { token, clientId };
}

function bearerOf(request: IncomingMessage, realm: string): string[] {
  const sent = headerValues(request, 'authorization').filter((header) => header !== '');
  return sent.map((header) => {
    const [, token] = /^bearer +([^ ]+) *$/i.exec(header) ?? [];
    if (token === undefined) throw invalidToken(realm);
    return token;
  });
}

/** Every header of a name: `request.headers` holds only the first of some, and joins others. */
export function headerValues({ rawHeaders }: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let place = 0; place < rawHeaders.length; place += 2) {
    const sent = rawHeaders[place]!;
    if (sent.length === name.length && sent.toLowerCase() === name) values.push(rawHeaders[place + 1]!);
  }
  return values;
}

/** Empty ones count as not sent. */
function oneOf(values: string[], sentence: string): string | undefined {
  const sent = values.filter((value) => value !== '');
  if (sent.some((value) => value !== sent[0])) throw invalidRequest(sentence);
  return sent[0];
}
