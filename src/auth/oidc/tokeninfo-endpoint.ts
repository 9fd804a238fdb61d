import { Hono } from 'hono';
import { limitBody } from '#http/body-limit.ts';
import { ALLOWED_HEADERS } from '#http/cors.ts';
import { requestIdIn } from '#http/error-page.ts';
import { HttpError, toHttpError } from '#http/errors.ts';
import { type Form, MAX_FORM, readForm } from '#http/form.ts';
import type { Queryable } from '#db/db.ts';
import { accountById } from '#store/accounts/accounts.ts';
import type { Context, Env } from '../deps.ts';
import { invalidIdToken, type TokenInfo } from './tokeninfo.ts';

const CORS = { 'access-control-allow-origin': '*', 'cache-control': 'no-store' };

/** `/oauth/tokeninfo`, which oidc-provider does not have. Its errors are JSON, unlike those of the pages. */
export function tokenInfoEndpoint(db: Queryable, tokenInfo: () => TokenInfo): Hono<Env> {
  const app = new Hono<Env>({ strict: false });
  app.use('/oauth/tokeninfo', limitBody(MAX_FORM));
  app.on(['GET', 'POST'], '/oauth/tokeninfo', async (c) => {
    const claims = await tokenInfo().of(await readIdToken(c));
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
  const form: Form = c.req.method === 'POST' ? readOptionalForm(c.req.header('content-type'), await c.req.text()) : {};
  const inForm = form['id_token'];
  const tokens = inForm === undefined ? inQuery : [...inQuery, inForm];
  if (tokens.length > 1) throw new HttpError(400, 'invalid_request', 'Send id_token only once.');
  return tokens[0];
}

/** Like `readForm`, but a request without a body is an empty form. */
function readOptionalForm(type: string | undefined, body: string): Form {
  if (body === '' && type === undefined) return {};
  return readForm(type, body);
}
