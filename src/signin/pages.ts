import { Hono } from 'hono';
import { setCookie } from 'hono/cookie';
import { html } from 'hono/html';
import { limitBody } from '#base/body-limit.ts';
import { hungUp } from '#base/http-server.ts';
import { asWireError, WireError } from '#base/errors.ts';
import { type Form, MAX_FORM, readForm } from '#base/form.ts';
import type { Assets } from '#base/assets.ts';
import { accountForms } from './account-forms.ts';
import { accountPages } from './account.ts';
import { consentPages } from './consent.ts';
import { type Ask, type Desk, type Env, LANGUAGE_COOKIE, languageOf } from './desk.ts';
import { linkPages } from './link.ts';
import { loginPages } from './login.ts';
import { recoveryPages } from './recovery.ts';
import { registerPages } from './register.ts';
import { visits } from './visits.ts';
import { TEXTS } from './texts/index.ts';
import type { TokenInfo } from './tokeninfo.ts';
import { verifyPages } from './verify.ts';

const YEAR_S = 31_536_000;

/** Every page that people see, and the one endpoint that the protocol lacks. */
export function pagesOf(desk: Desk, assets: Assets, tokenInfo: () => TokenInfo): Hono<Env> {
  const app = new Hono<Env>({ strict: false });
  app.use(async (c, next) => {
    c.set('visit', visits.getStore()!);
    c.set('texts', languageOf(c));
    const chosen = c.req.query('lang');
    if (chosen !== undefined && Object.hasOwn(TEXTS, chosen)) {
      setCookie(c, LANGUAGE_COOKIE, chosen, {
        path: '/',
        httpOnly: true,
        sameSite: 'Lax',
        secure: desk.secure,
        maxAge: YEAR_S,
      });
    }
    await next();
  });
  app.use(limitBody(MAX_FORM));
  app.get('/assets/*', async (c) => {
    return (await assets.answer(c.req.path, c.req.header('accept-encoding'))) ?? (await showNotFound(c, desk));
  });
  tokenInfoEndpoint(app, tokenInfo);
  for (const add of ROOMS) add(app, desk);
  app.notFound((c) => showNotFound(c, desk));
  app.onError((error, c) => showError(c, desk, error));
  return app;
}

const ROOMS = [
  ...[loginPages, consentPages, linkPages, registerPages],
  ...[verifyPages, recoveryPages, accountPages, accountForms],
];

function tokenInfoEndpoint(app: Hono<Env>, tokenInfo: () => TokenInfo): void {
  const cors = { 'access-control-allow-origin': '*', 'cache-control': 'no-store' };
  app.on(['GET', 'POST'], '/oauth/tokeninfo', async (c) => {
    try {
      return c.json(await tokenInfo().of(await idTokenOf(c)), 200, cors);
    } catch (error) {
      const { status, code, message } = asWireError(error);
      return c.json({ error: code, error_description: message }, status as 400, cors);
    }
  });
  app.options('/oauth/tokeninfo', (c) => {
    const headers = { ...cors, 'access-control-allow-methods': 'GET, POST', 'access-control-max-age': '3600' };
    return c.body(null, 204, { ...headers, 'access-control-allow-headers': 'content-type' });
  });
  app.all('/oauth/tokeninfo', (c) => {
    const body = { error: 'method_not_allowed', error_description: 'Use GET or POST.' };
    return c.json(body, 405, { ...cors, allow: 'GET, POST, OPTIONS' });
  });
}

async function idTokenOf(c: Ask): Promise<string | undefined> {
  const values = c.req.queries('id_token') ?? [];
  const form: Form = c.req.method === 'POST' ? readLongForm(c.req.header('content-type'), await c.req.text()) : {};
  const all = [...values, ...(form['id_token'] === undefined ? [] : [form['id_token']])];
  if (all.length > 1) throw new WireError(400, 'invalid_request', 'id_token must be sent once.');
  return all[0];
}

/** An ID token is longer than what people type. */
function readLongForm(type: string | undefined, body: string): Form {
  if (body === '' && type === undefined) return {};
  return readForm(type, body);
}

async function showNotFound(c: Ask, desk: Desk): Promise<Response> {
  const { problem: t } = c.get('texts');
  const main = html`<div class="card narrow stack">
    <h1>${t.not_found_title}</h1>
    <p>${t.not_found}</p>
    <p><a class="button" href="/account">${t.to_account}</a></p>
  </div>`;
  return await desk.show(c, { title: t.not_found_title, main, status: 404 });
}

async function showError(c: Ask, desk: Desk, error: unknown): Promise<Response> {
  const { problem: t, errors } = c.get('texts');
  const wire = asWireError(error);
  const level = hungUp(c.env.incoming, error) ? 'debug' : 'error';
  if (wire.status >= 500) desk.log[level]({ err: error }, 'a page failed');
  const [title, sentence] = {
    400: [t.title, errors.body],
    403: [t.title, errors.form],
    410: [t.expired_title, t.expired],
    413: [t.title, errors.body],
    429: [t.title, errors.tries],
    503: [t.title, errors.busy],
  }[wire.status] ?? [t.title, t.server];
  const main = html`<div class="card narrow stack">
    <h1>${title}</h1>
    <p>${sentence}</p>
  </div>`;
  for (const [name, value] of Object.entries(wire.headers)) c.header(name, value);
  return await desk.show(c, { title: title!, main, status: wire.status });
}
