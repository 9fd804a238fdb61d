import type { IncomingMessage } from 'node:http';
import { invalidRequest, WireError } from '#base/errors.ts';
import type { Db } from '#db/db.ts';
import { type Application, applicationByClientId } from '#records/applications.ts';
import { findAccessToken } from '#records/tokens.ts';

/** Who asks: a user through an application, an application for itself, or an application by its Client ID alone. */
export type Caller =
  | { kind: 'user'; application: Application; accountId: string; scopes: string[] }
  | { kind: 'application'; application: Application }
  | { kind: 'client_id'; application: Application };

/** What a request shows of credentials, still unproven. */
export interface Credentials {
  token: string | undefined;
  clientId: string | undefined;
}

const MAX_CREDENTIAL = 512;

/**
 * Reads the credentials of a request: `Authorization: Bearer`, `?access_token=`, `X-Client-ID`, `?client_id=`.
 * @param query all values of each query parameter
 * @throws WireError 400 for two different ones, 401 for another scheme than Bearer
 */
export function credentialsOf(request: IncomingMessage, query: (name: string) => string[], realm: string): Credentials {
  const tokens = [...bearerOf(request, realm), ...query('access_token')];
  const token = oneOf(tokens, 'Two different access tokens were sent; send one.');
  const clientIds = [...headersOf(request, 'x-client-id'), ...query('client_id')];
  const clientId = oneOf(clientIds, 'Two different Client IDs were sent; send one.');
  if ((token?.length ?? 0) > MAX_CREDENTIAL || (clientId?.length ?? 0) > MAX_CREDENTIAL) throw invalidToken(realm);
  return { token, clientId };
}

function bearerOf(request: IncomingMessage, realm: string): string[] {
  const sent = headersOf(request, 'authorization').filter((header) => header !== '');
  return sent.map((header) => {
    const [, token] = /^bearer +([^ ]+) *$/i.exec(header) ?? [];
    if (token === undefined) throw invalidToken(realm);
    return token;
  });
}

/** Every header of a name: `request.headers` holds only the first of some, and joins others. */
function headersOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter(
    (_, place) =>
      place % 2 === 1 && rawHeaders[place - 1]!.length === name.length && rawHeaders[place - 1]!.toLowerCase() === name,
  );
}

/** Empty ones count as not sent. */
function oneOf(values: string[], sentence: string): string | undefined {
  const sent = values.filter((value) => value !== '');
  if (sent.some((value) => value !== sent[0])) throw invalidRequest(sentence);
  return sent[0];
}

/**
 * Proves who asks.
 * @throws WireError 401 where nothing or nothing valid was sent, 400 where the Client ID names another application
 */
export async function proveCaller(db: Db, now: number, credentials: Credentials, realm: string): Promise<Caller> {
  const { token, clientId } = credentials;
  if (token === undefined) return await callerByClientId(db, clientId, realm);
  const found = await findAccessToken(db, token, now);
  const application = found && (await applicationByClientId(db, found.client_id));
  if (found === undefined || application === undefined) throw invalidToken(realm);
  if (clientId !== undefined && clientId !== application.client_id) {
    throw invalidRequest('client_id names another application than the access token; leave it out.');
  }
  if (found.account_id === null) return { kind: 'application', application };
  return { kind: 'user', application, accountId: found.account_id, scopes: found.scopes };
}

async function callerByClientId(db: Db, clientId: string | undefined, realm: string): Promise<Caller> {
  if (clientId === undefined) throw unauthenticated(realm);
  const application = isStorable(clientId) ? await applicationByClientId(db, clientId) : undefined;
  if (application === undefined) throw invalidToken(realm);
  return { kind: 'client_id', application };
}

/** PostgreSQL refuses NUL in text. */
function isStorable(text: string): boolean {
  return !text.includes('\0');
}

/** Nothing was sent: the challenge names no error (RFC 6750 section 3.1). */
function unauthenticated(realm: string): WireError {
  return new WireError(401, 'invalid_token', 'An access token or a Client ID is needed.', {
    'www-authenticate': `Bearer realm="${realm}"`,
  });
}

function invalidToken(realm: string): WireError {
  const sentence = 'The access token or Client ID is unknown, malformed, expired or revoked.';
  return new WireError(401, 'invalid_token', sentence, {
    'www-authenticate': `Bearer realm="${realm}", error="invalid_token", error_description="${sentence}"`,
  });
}
