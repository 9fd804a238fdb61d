import { HttpError } from '#http/errors.ts';
import { schemeProblem } from '#http/credentials.ts';
import type { Queryable } from '#db/db.ts';
import { type Credential, findServerKey, isServerKey } from '#store/game/server-keys.ts';

const INVALID = 'The key is unknown, expired or revoked. Ask the operator of the network for a new one.';
const OTHER_KIND =
  'This is not the key of a game server, which begins with shk_. Tokens and secrets of applications report no events.';

const RIGHT = 'Send the key of the game server in the header Authorization: Bearer KEY.';

/**
 * Returns the server and the key that sent a request, by the value of its Authorization header.
 * @throws HttpError 401 if the key is missing, unknown, expired or revoked
 */
export async function authenticate(db: Queryable, now: number, header = ''): Promise<Credential> {
  const [, secret] = /^Bearer +(\S+) *$/i.exec(header) ?? [];
  if (secret === undefined) throw unauthorized(`${header === '' ? '' : `${schemeProblem(header)} `}${RIGHT}`, '');
  const credential = await findServerKey(db, secret, now);
  if (credential !== undefined) return credential;
  throw unauthorized(isServerKey(secret) ? INVALID : OTHER_KIND, ', error="invalid_token"');
}

function unauthorized(sentence: string, error: string): HttpError {
  return new HttpError(401, 'invalid_token', sentence, {
    'www-authenticate': `Bearer realm="Scorehall ingest"${error}`,
  });
}
