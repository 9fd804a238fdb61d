import { Hono } from 'hono';
import type { ClientAddresses } from '#http/client-address.ts';
import { limitBody } from '#http/form.ts';
import { rememberLanguage, requestLanguage } from '#http/cookies.ts';
import { describeResponse, outgoingOf, setHonoRoute } from '#http/request-metrics.ts';
import { caughtError, errorPage, requestIdIn } from '#http/error-page.ts';
import { publicPicture } from '#http/image-response.ts';
import { accessRoutes } from './applications/access.ts';
import { changeRoutes } from './applications/changes.ts';
import { ownerRoutes } from './applications/owners.ts';
import { applicationRoutes } from './applications/application.ts';
import { applicationsRoutes, frontPage } from './applications/applications.ts';
import type { Context, Deps, Env } from './deps.ts';
import { showPage } from './layout.ts';
import { logoRoutes, MAX_UPLOAD, showLogo } from './applications/logos.ts';
import { operatorRoutes } from './operator/index.ts';
import { personOf } from './session.ts';
import { type Route, serveRoute } from './routes.ts';
import { closeToUnprotected, continueForm, notFound, signInPages, signOut } from './sign-in.ts';
import { TEXTS } from './texts/index.ts';
import { webhookRoutes } from './applications/webhook.ts';
import { webhookListRoutes } from './applications/webhooks.ts';
import { usageRoutes } from './applications/usage.ts';

/** Every page and form that needs a signed-in person. */
export const ROUTES: readonly Route[] = [
  signOut,
  continueForm,
  ...applicationsRoutes,
  ...applicationRoutes,
  ...changeRoutes,
  ...ownerRoutes,
  ...logoRoutes,
  ...accessRoutes,
  ...usageRoutes,
  ...webhookListRoutes,
  ...webhookRoutes,
  ...operatorRoutes,
];

export function createPages(deps: Deps, addresses: ClientAddresses): Hono<Env> {
  const app = new Hono<Env>({ strict: false });
  app.use(setHonoRoute);
  app.get('/console/assets/*', async (c) => {
    const asset = await deps.shell.assets.answer(c.req.path, c.req.header('accept-encoding'));
    if (asset !== undefined) return asset;
    setLanguage(c, deps);
    return c.notFound();
  });
  app.use(async (c, next) => {
    c.set('address', addresses.of(c.env.incoming));
    setLanguage(c, deps);
    const person = await personOf(c, deps);
    c.set('person', person);
    if (person !== undefined) describeResponse(outgoingOf(c), { senders: { account: person.account.id } });
    // No id contains NUL, and PostgreSQL refuses NUL in a query parameter.
    if (c.req.url.includes('%00')) throw notFound();
    await next();
  });
  app.use(limitBody(MAX_UPLOAD));
  app.get('/console/logos/:client_id', publicPicture, (c) => showLogo(c, deps));
  signInPages(app, deps);
  app.use(closeToUnprotected(deps));
  app.get('/console', (c) => frontPage(c, deps));
  for (const route of ROUTES) app.on(route.method, `/console${route.path}`, (c) => serveRoute(c, deps, route));
  app.notFound((c) => showError(c, deps, notFound()));
  app.onError((error, c) => showError(c, deps, error));
  return app;
}

function setLanguage(c: Context, { secure }: Deps): void {
  c.set('texts', TEXTS[requestLanguage(c.req.header(), c.req.query('lang'))]);
  rememberLanguage(c, secure);
}

async function showError(c: Context, deps: Deps, error: unknown): Promise<Response> {
  const { errors: t, operator } = c.get('texts') ?? TEXTS.en;
  const { status, code } = caughtError(c, deps.log, error);
  const { other_session, not_operator } = t;
  const byCode = { other_session, not_operator, not_moderator: operator.not_moderator }[code];
  const [title = '', sentence = ''] = byCode ?? t.status[status as 404] ?? t.status[500];
  const main = errorPage({
    status,
    title,
    sentence,
    requestId: requestIdIn(c),
    link: { href: '/console', label: t.home },
  });
  return await showPage(c, deps, { title, main, status });
}
