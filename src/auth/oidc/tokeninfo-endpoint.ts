import type { Hono } from 'hono';
import { ALLOWED_HEADERS } from '#http/cors.ts';
import { HttpError, toHttpError } from '#http/errors.ts';
import { type Form, readForm } from '#http/form.ts';
import type { Context, Env } from '../deps.ts';
import type { TokenInfo } from './tokeninfo.ts';

/** `/oauth/tokeninfo`, which oidc-provider does not have. */
export function addTokenInfo(app: Hono<Env>, tokenInfo: () => TokenInfo): void {
  const cors = { 'access-control-allow-origin': '*', 'cache-control': 'no-store' };
  app.on(['GET', 'POST'], '/oauth/tokeninfo', async (c) => {
    try {
      return c.json(await tokenInfo().of(await readIdToken(c)), 200, cors);
    } catch (error) {
      const { status, code, message } = toHttpError(error);
      return c.json({ error: code, error_description: message }, status as 400, cors);
    }
  });
  app.options('/oauth/tokeninfo', (c) => {
    const headers = { ...cors, 'access-control-allow-methods': 'GET, POST', 'access-control-max-age': '3600' };
    return c.body(null, 204, { ...headers, 'access-control-allow-headers': ALLOWED_HEADERS });
  });
  app.all('/oauth/tokeninfo', (c) => {
    const body = { error: 'method_not_allowed', error_description: 'Use GET or POST.' };
    return c.json(body, 405, { ...cors, allow: 'GET, POST, OPTIONS' });
  });
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
