import { Hono } from 'hono';
import { ALLOWED_HEADERS } from '#http/cors.ts';
import { limitBody } from '#http/body-limit.ts';
import { toHttpError, HttpError } from '#http/errors.ts';
import { type Form, MAX_FORM, readForm } from '#http/form.ts';
import { rememberLanguage } from '#http/cookies.ts';
import { setHonoRoute } from '#http/request-metrics.ts';
import { caughtError, errorPage } from '#http/error-page.ts';
import { accountForms } from './account/account-forms.ts';
import { accountPages } from './account/account-page.ts';
import { consentPages } from './consent.ts';
import { type Context, type Deps, type Env, textsOf } from './deps.ts';
import { showPage } from './layout.ts';
import { linkPages } from './link.ts';
import { loginPages } from './login.ts';
import { recoveryPages } from './account/recovery.ts';
import { registerPages } from './account/register.ts';
import { clientInfo } from './client-info.ts';
import { mailStatePages } from './mail-state.ts';
import { signInLinkPages } from './sign-in-link.ts';
import type { TokenInfo } from './oidc/tokeninfo.ts';
import { verifyPages } from './account/verify-email.ts';

/** The pages, and the tokeninfo endpoint, which oidc-provider does not have. */
export function createPages(deps: Deps, tokenInfo: () => TokenInfo): Hono<Env> {
  const app = new Hono<Env>({ strict: false });
  app.use(setHonoRoute);
  app.use(async (c, next) => {
    c.set('client', clientInfo.getStore()!);
    c.set('texts', textsOf(c));
    rememberLanguage(c, deps.secure);
    await next();
  });
  app.use(limitBody(MAX_FORM));
  app.get('/assets/*', async (c) => {
    const asset = await deps.shell.assets.answer(c.req.path, c.req.header('accept-encoding'));
    return asset ?? (await c.notFound());
  });
  tokenInfoEndpoint(app, tokenInfo);
  for (const add of PAGES) add(app, deps);
  app.notFound((c) => showNotFound(c, deps));
  app.onError((error, c) => showError(c, deps, error));
  return app;
}

const PAGES = [
  loginPages,
  signInLinkPages,
  consentPages,
  linkPages,
  registerPages,
  verifyPages,
  recoveryPages,
  mailStatePages,
  accountPages,
  accountForms,
];

function tokenInfoEndpoint(app: Hono<Env>, tokenInfo: () => TokenInfo): void {
  const cors = { 'access-control-allow-origin': '*', 'cache-control': 'no-store' };
  app.on(['GET', 'POST'], '/oauth/tokeninfo', async (c) => {
    try {
      return c.json(await tokenInfo().of(await idTokenOf(c)), 200, cors);
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

async function idTokenOf(c: Context): Promise<string | undefined> {
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

async function showNotFound(c: Context, deps: Deps): Promise<Response> {
  const { problem: t } = c.get('texts');
  const [title, sentence, link] = [t.not_found_title, t.not_found, { href: '/account', label: t.to_account }];
  return await showPage(c, deps, { title, main: errorPage({ status: 404, title, sentence, link }), status: 404 });
}

async function showError(c: Context, deps: Deps, error: unknown): Promise<Response> {
  const { problem: t, errors } = c.get('texts');
  const { status, requestId } = caughtError(c, deps.log, error);
  const sentences: Record<number, string> = {
    400: errors.body,
    403: errors.form,
    410: t.expired,
    413: errors.body,
    429: errors.too_many_attempts,
    503: errors.busy,
  };
  const title = status === 410 ? t.expired_title : t.title;
  const link = { href: '/account', label: t.to_account };
  const main = errorPage({ status, title, sentence: sentences[status] ?? t.server, requestId, link });
  return await showPage(c, deps, { title, main, status });
}
