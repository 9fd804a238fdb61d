import { newSecret, secretHash } from '#platform/crypto/secrets.ts';
import type { Queryable } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';

/**
 * Access tokens, in the form in which oidc-provider stores its models `AccessToken` and `ClientCredentials`. The table
 * holds the hash of a token instead of its text, so a copy of it contains no usable credential.
 */
export type TokenKind = 'AccessToken' | 'ClientCredentials';

export interface AccessToken {
  kind: TokenKind;
  client_id: string;
  /** The account of the user; null for an application's own token. */
  account_id: string | null;
  /** Granted scopes. */
  scopes: string[];
  /** Epoch milliseconds. */
  expires: number;
}

type TokenRow = Omit<AccessToken, 'scopes'> & { payload: string };

/** Finds a valid bearer token by its text. */
export async function findAccessToken(db: Queryable, token: string, now: number): Promise<AccessToken | undefined> {
  const row = await db.get<TokenRow>(sql`
    select kind, payload, client_id, account_id, expires from tokens
    where hash = ${secretHash(token)} and kind in ('AccessToken', 'ClientCredentials') and expires > ${now}`);
  if (row === undefined) return undefined;
  const { payload, ...stored } = row;
  const { scope, jkt } = JSON.parse(payload) as { scope?: string; jkt?: string };
  // A DPoP-bound token (RFC 9449) must not be accepted as a bearer token.
  if (jkt !== undefined) return undefined;
  return { ...stored, scopes: scope === undefined ? [] : scope.split(' ') };
}

/** Those of some tokens that are valid and whose applications have access to the data API, with the times of their expiry. */
export async function liveTokens(db: Queryable, tokens: readonly string[], now: number): Promise<Map<string, number>> {
  const byHash = new Map(tokens.map((token) => [secretHash(token), token]));
  const rows = await db.tuples(sql`
    select t.hash, t.expires from tokens t join applications a on a.client_id = t.client_id
    where t.hash in (${list([...byHash.keys()])}) and t.kind in ('AccessToken', 'ClientCredentials')
      and t.expires > ${now} and a.access = 'approved' and a.suspended is null`);
  return new Map(rows.map(([hash, expires]) => [byHash.get(hash as string)!, expires as number]));
}

/** Whether a token was valid and has recently expired or been revoked. */
export async function isFormerToken(db: Queryable, token: string): Promise<boolean> {
  const hash = secretHash(token);
  const found = await db.tuple(sql`
    select 1 from tokens where hash = ${hash} and kind in ('AccessToken', 'ClientCredentials')
    union all select 1 from former_tokens where hash = ${hash} limit 1`);
  return found !== undefined;
}

/** Issues an application's own token, like the client credentials grant. */
export async function issueClientToken(
  db: Queryable,
  now: number,
  clientId: string,
  lifetimeMs: number,
): Promise<string> {
  const token = newSecret();
  const iat = Math.floor(now / 1000);
  const exp = Math.floor((now + lifetimeMs) / 1000);
  const payload = { iat, exp, kind: 'ClientCredentials', clientId, format: 'opaque' };
  await db.run(sql`
    insert into tokens (hash, kind, payload, client_id, expires)
    values (${secretHash(token)}, 'ClientCredentials', ${JSON.stringify(payload)}, ${clientId}, ${exp * 1000})`);
  return token;
}
