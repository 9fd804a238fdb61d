import { Hono } from 'hono';
import { getCookie } from 'hono/cookie';
import { MAX_FORM, limitBody } from '#http/form.ts';
import { rememberLanguage } from '#http/cookies.ts';
import { setHonoRoute } from '#http/request-metrics.ts';
import { caughtError, errorPage, requestIdIn } from '#http/error-page.ts';
import { accountForms } from './account/account-forms.ts';
import { accountPages } from './account/account-page.ts';
import { applicationsCookie, expiredSignIn } from './expired-sign-ins.ts';
import { consentPages } from './sign-in/consent.ts';
import { type Context, type Deps, type Env, requestTexts } from './deps.ts';
import { showPage } from './layout.ts';
import { linkPages } from './sign-in/link.ts';
import { loginPages } from './sign-in/login.ts';
import { recoveryPages } from './account/recovery.ts';
import { registerPages } from './account/register.ts';
import { clientInfo } from './client-info.ts';
import { mailStatePages } from './mail-state.ts';
import { secondFactorPages } from './sign-in/second-factor.ts';
import { appPages } from './security/app-pages.ts';
import { codesPages } from './security/codes-pages.ts';
import { confirmPage } from './security/confirm-page.ts';
import { passkeyPages } from './security/passkey-pages.ts';
import { securityPage } from './security/security-page.ts';
import { selectAccountPages } from './sign-in/select-account.ts';
import { signInLinkPages } from './sign-in/sign-in-link.ts';
import { factorResetPages } from './account/factor-resets.ts';
import { verifyPages } from './account/verify-email.ts';

/** @param tokenInfo the endpoint that oidc-provider does not have */
export function createPages(deps: Deps, tokenInfo: Hono<Env>): Hono<Env> {
  const app = new Hono<Env>({ strict: false });
  app.use(setHonoRoute);
  app.use(async (c, next) => {
    c.set('client', clientInfo.getStore()!);
    c.set('texts', requestTexts(c));
    rememberLanguage(c, deps.secure);
    await next();
  });
  app.route('/', tokenInfo);
  app.use(limitBody(MAX_FORM));
  app.get('/assets/*', async (c) => {
    const asset = await deps.shell.assets.answer(c.req.path, c.req.header('accept-encoding'));
    return asset ?? (await c.notFound());
  });
  for (const add of PAGES) add(app, deps);
  app.notFound((c) => showNotFound(c, deps));
  app.onError((error, c) => showError(c, deps, error));
  return app;
}

const PAGES = [
  secondFactorPages,
  loginPages,
  signInLinkPages,
  selectAccountPages,
  consentPages,
  linkPages,
  registerPages,
  verifyPages,
  factorResetPages,
  recoveryPages,
  mailStatePages,
  accountPages,
  accountForms,
  securityPage,
  confirmPage,
  passkeyPages,
  appPages,
  codesPages,
];

async function showNotFound(c: Context, deps: Deps): Promise<Response> {
  const { problem: t } = c.get('texts');
  const [title, sentence, link] = [t.not_found_title, t.not_found, { href: '/account', label: t.to_account }];
  return await showPage(c, deps, { title, main: errorPage({ status: 404, title, sentence, link }), status: 404 });
}

async function showError(c: Context, deps: Deps, error: unknown): Promise<Response> {
  const { problem: t, errors } = c.get('texts');
  const { status } = caughtError(c, deps.log, error);
  const sentences: Record<number, string> = {
    400: errors.body,
    403: errors.form,
    413: errors.body,
    429: errors.too_many_attempts,
    503: errors.busy,
  };
  const title = status === 410 ? t.expired_title : t.title;
  const cookie = getCookie(c, applicationsCookie(deps.secure));
  const { sentence = sentences[status] ?? t.server, link = { href: '/account', label: t.to_account } } =
    status === 410 ? await expiredSignIn(deps, c.get('texts'), c.req.path, cookie) : {};
  const main = errorPage({ status, title, sentence, requestId: requestIdIn(c), link });
  return await showPage(c, deps, { title, main, status });
}
