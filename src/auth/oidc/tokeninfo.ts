import { createLocalJWKSet, type JWK, jwtVerify } from 'jose';
import { HttpError, invalidRequest, toHttpError } from '#http/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { Hono } from 'hono';
import { ALLOWED_HEADERS } from '#http/cors.ts';
import { requestIdIn } from '#http/error-page.ts';
import { MAX_FORM, readForm, limitBody } from '#http/form.ts';
import type { Queryable } from '#db/db.ts';
import { accountById } from '#store/accounts/accounts.ts';
import type { Context, Env } from '../deps.ts';

const MAX_TOKEN_LENGTH = 8_192;

/** Verifies an ID token of this issuer and returns its claims as the specification names them. */
export type TokenInfo = (idToken: string | undefined) => Promise<{ user_id: string } & Record<string, unknown>>;

/** @throws HttpError 400 `invalid_request` without a token, `invalid_token` if it is not valid */
export function tokenInfoBy(issuer: string, clock: Clock, keys: readonly JWK[]): TokenInfo {
  const keySet = createLocalJWKSet({ keys: keys.map(publicPart) });
  return async (idToken = '') => {
    if (idToken === '') throw invalidRequest('Send the ID token as id_token.');
    if (idToken.length > MAX_TOKEN_LENGTH) throw invalidIdToken();
    const options = { issuer, algorithms: ['RS256'], requiredClaims: ['sub', 'aud', 'exp', 'iat'] };
    const verified = await jwtVerify(idToken, keySet, { ...options, currentDate: new Date(clock.now()) }).catch(() => {
      throw invalidIdToken();
    });
    const { iss, sub, aud, exp, iat } = verified.payload;
    return {
      issuer: iss,
      issued_to: aud,
      audience: aud,
      user_id: sub!,
      expires_in: exp! - Math.floor(clock.now() / 1000),
      issued_at: iat,
    };
  };
}

/** Also for the ID token of an account that is disabled or deleted. */
const invalidIdToken = (): HttpError =>
  new HttpError(400, 'invalid_token', 'id_token is not a valid ID token of this service, or has expired.');

function publicPart({ kty, n, e, kid, alg, use }: JWK): JWK {
  return { kty, n, e, kid, alg, use } as JWK;
}

const CORS = { 'access-control-allow-origin': '*', 'cache-control': 'no-store' };

/** `/oauth/tokeninfo`, which oidc-provider does not have. Its errors are JSON, unlike those of the pages. */
export function tokenInfoEndpoint(db: Queryable, tokenInfo: () => TokenInfo): Hono<Env> {
  const app = new Hono<Env>({ strict: false });
  app.use('/oauth/tokeninfo', limitBody(MAX_FORM));
  app.on(['GET', 'POST'], '/oauth/tokeninfo', async (c) => {
    const claims = await tokenInfo()(await readIdToken(c));
    const account = await accountById(db, claims.user_id);
    if (account?.disabled !== null) throw invalidIdToken();
    return c.json(claims, 200, CORS);
  });
  app.options('/oauth/tokeninfo', (c) => {
    const headers = { ...CORS, 'access-control-allow-methods': 'GET, POST', 'access-control-max-age': '3600' };
    return c.body(null, 204, { ...headers, 'access-control-allow-headers': ALLOWED_HEADERS });
  });
  app.all('/oauth/tokeninfo', (c) => {
    const body = { error: 'method_not_allowed', error_description: 'Use GET or POST.' };
    return c.json(body, 405, { ...CORS, allow: 'GET, POST, OPTIONS' });
  });
  app.onError((error, c) => {
    const { status, body, headers } = toHttpError(error, requestIdIn(c));
    return c.body(body, status as 400, { ...headers, ...CORS, 'content-type': 'application/json' });
  });
  return app;
}

async function readIdToken(c: Context): Promise<string | undefined> {
  const inQuery = c.req.queries('id_token') ?? [];
  const [type, body] = [c.req.header('content-type'), await c.req.text()];
  // A request without a body is an empty form.
  const isEmpty = c.req.method !== 'POST' || (body === '' && type === undefined);
  const inForm = isEmpty ? undefined : readForm(type, body)['id_token'];
  const tokens = inForm === undefined ? inQuery : [...inQuery, inForm];
  if (tokens.length > 1) throw invalidRequest('Send id_token only once.');
  return tokens[0];
}
