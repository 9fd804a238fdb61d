import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { compress } from 'hono/compress';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Assets, brandAssets } from '#http/assets.ts';
import type { HttpService } from '#http/service.ts';
import { setHonoRoute } from '#http/request-metrics.ts';
import { isCleanText } from '#text/text.ts';
import { rememberLanguage, requestLanguage } from '#http/cookies.ts';
import { caughtError, errorPage, requestIdIn } from '#http/error-page.ts';
import { publicPicture } from '#http/image-response.ts';
import { ownPath } from '#http/links.ts';
import { pageHeaders, type PageShell } from '#http/page.ts';
import type { AppContext } from '#context/context.ts';
import { bucketsIn } from '#store/game/time-buckets.ts';
import { rateLimited } from '#http/errors.ts';
import { ClientAddresses } from '#http/client-address.ts';
import { SiteLimits } from './request-limits.ts';
import { headImage, playerHead } from './pages/head-image.ts';
import { colourRules, hueRules } from './components/colours.ts';
import { Heads } from './heads.ts';
import { cachedHighlights } from './components/highlights.ts';
import { signedInPerson } from './person.ts';
import { Cards } from './cards.ts';
import { boardCard, mapCard, matchImage, playerCard, playerImage, siteCard } from './open-graph/index.ts';
import { developerPages } from './developers/index.ts';
import { matchFeed, punishmentFeed } from './pages/feeds.ts';
import { homePage } from './pages/home.ts';
import { writePage, writeRefusal } from './layout.ts';
import { Live, type LivePageHandler } from './live.ts';
import { leaderboardsPage } from './pages/leaderboards.ts';
import { mapImage, mapPage } from './pages/map.ts';
import { mapsPage } from './pages/maps.ts';
import { matchPage } from './pages/match.ts';
import { matchesPage } from './pages/matches.ts';
import { playerMatchesPage, playerPage } from './pages/player.ts';
import { comparePage, rivalsPage } from './pages/rivals.ts';
import { readPrivacy, showPrivacy } from './pages/privacy.ts';
import { punishmentPage, punishmentsPage } from './pages/punishments.ts';
import { playersPage, searchForm, searchPage } from './pages/search.ts';
import { serverPage } from './pages/server.ts';
import { robots, sitemapFile, sitemapIndex } from './pages/sitemap.ts';
import { type Deps, type PageContent, PageRequest, type PageHandler, type SignedIn } from './page-request.ts';

interface Env {
  Bindings: HttpBindings;
}

/**
 * Opens the public site, whose pages are the targets of every `permalink_url`.
 * @param apiDocument the OpenAPI document of the data API
 */
export async function openSite(context: AppContext, apiDocument: () => Promise<object>): Promise<HttpService> {
  const cards = new Cards();
  const app = createSite(context, apiDocument, cards);
  const listen = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  return {
    listener: (request, response) => void listen(request, response),
    close: () => cards.close(),
  };
}

const HERE = new URL('./', import.meta.url);

/** Adds the site's own files to the assets that all services share. */
function addSiteAssets(assets: Assets): Assets {
  const stylesheet = readFileSync(new URL('style/site.css', HERE), 'utf8');
  return assets
    .add('site.css', `${stylesheet}\n${colourRules()}\n${hueRules()}\n`)
    .addFile('site.js', new URL('script/site.js', HERE))
    .addFile('live.js', new URL('script/live.js', HERE))
    .addFile('reference.js', new URL('script/reference.js', HERE));
}

/** The site as a Hono application. */
export function createSite(
  { config, db, clock, log }: AppContext,
  apiDocument: () => Promise<object>,
  cards = new Cards(),
): Hono<Env> {
  const assets = addSiteAssets(brandAssets(config));
  const shell: PageShell = {
    network: config.NETWORK_NAME,
    home: '/',
    assets,
    stylesheets: ['base.css', 'site.css'],
    scripts: ['site.js'],
  };
  const heads = new Heads({ clock, log, config });
  const bucketsAt = bucketsIn(config.TIME_ZONE);
  const deps: Deps = {
    db,
    clock,
    config,
    log,
    shell,
    bucketsAt,
    cards,
    heads,
    highlights: cachedHighlights({ db, clock, bucketsAt }),
    apiDocument,
  };
  const app = new Hono<Env>();
  const limits = new SiteLimits({ config, db, clock });
  const live = new Live(deps, limits);
  const addresses = new ClientAddresses(config.TRUSTED_PROXIES);
  const sendNotFound = (c: Context): Promise<Response> | Response =>
    withoutSlash(c) ?? sendError(c, deps, pageRequest(c, deps).notFound());
  app.use(setHonoRoute);
  for (const path of Object.keys(PICTURES)) app.use(path, publicPicture);
  // Before the limits of pages: these have their own.
  for (const [path, page] of Object.entries(LIVE_PAGES))
    app.get(`/live${path}`, (c) => live.respond(c, page, addressOf(c, addresses)));
  limitRequests(app, deps, limits, addresses);
  app.use(compress());
  app.get('/assets/*', async (c) => {
    return (await assets.answer(c.req.path, c.req.header('accept-encoding'))) ?? (await sendNotFound(c));
  });
  for (const [path, target] of Object.entries({ ...OTHER_PATHS, ...iconPaths(assets) }))
    app.get(path, (c) => c.redirect(target));
  const pages = { ...PAGES, ...developerPages(deps), '/privacy': showPrivacy(readPrivacy(config)) };
  for (const [path, handler] of Object.entries(pages)) app.get(path, (c) => handle(c, deps, handler));
  app.notFound(sendNotFound);
  app.onError((error, c) => sendError(c, deps, error));
  return app;
}

/** Pictures that other sites and programs may show. */
export const PICTURES: Record<string, PageHandler> = {
  '/maps/:id/image': mapImage,
  '/players/:id/head': playerHead,
  '/heads/:uuid': headImage,
  '/cards/matches/:id': matchImage,
  '/cards/players/:id': playerImage,
  '/cards/maps/:id': mapCard,
  '/cards/site.png': siteCard,
  '/cards/leaderboards.png': boardCard,
  '/players/:id/card.png': playerCard,
};

/** The pages that follow what they show. */
const LIVE_PAGES: Record<string, LivePageHandler> = {
  '/': homePage,
  '/matches/:id': matchPage,
  '/servers/:id': serverPage,
};

export const PAGES: Record<string, PageHandler> = {
  ...PICTURES,
  ...LIVE_PAGES,
  '/matches': matchesPage,
  '/matches.atom': matchFeed,
  '/maps': mapsPage,
  '/maps/:id': mapPage,
  '/leaderboards': leaderboardsPage,
  '/players': playersPage,
  '/players/:id': playerPage,
  '/players/:id/matches': playerMatchesPage,
  '/players/:id/rivals': rivalsPage,
  '/players/:id/compare': comparePage,
  '/punishments': punishmentsPage,
  '/punishments.atom': punishmentFeed,
  '/punishments/:id': punishmentPage,
  '/search': searchPage,
  '/robots.txt': robots,
  '/sitemap.xml': sitemapIndex,
  '/sitemaps/:file': sitemapFile,
};

/** What people type, or remember of other sites. */
const OTHER_PATHS = { '/login': '/console/sign-in', '/leaderboard': '/leaderboards' };

/** The paths at which browsers look for icons without reading a page. */
const iconPaths = (assets: Assets): Record<string, string> => ({
  '/favicon.ico': assets.href('favicon.svg'),
  '/apple-touch-icon.png': assets.href('touch-icon.png'),
});

/** For a path that ends with a slash and is no page, the redirect to the path without it; scripts ask for exact paths. */
function withoutSlash(c: Context): Response | undefined {
  const url = new URL(c.req.url);
  const path = ownPath(url).replace(/\/+$/, '');
  const isPage = path !== '' && !/^\/(live|assets)(\/|$)/.test(path) && /^(GET|HEAD)$/.test(c.req.method);
  return isPage && path !== ownPath(url) ? c.redirect(path + url.search, 301) : undefined;
}

/** Counts requests against their address and limits those in progress. */
function limitRequests(app: Hono<Env>, deps: Deps, limits: SiteLimits, addresses: ClientAddresses): void {
  app.use(async (c, next) => {
    const address = addressOf(c, addresses);
    const seconds = await limits.secondsToWait(address, c.req.path);
    if (seconds !== undefined) {
      const sentence = pageRequest(c, deps).text.error.tooMany(String(seconds));
      throw rateLimited(sentence, seconds * 1000);
    }
    await limits.run(address, c.req.path, next);
  });
}

/** The client address; empty in tests, which call the application without a connection. */
function addressOf(c: Context, addresses: ClientAddresses): string {
  const incoming = (c.env as Partial<HttpBindings> | undefined)?.incoming;
  return incoming === undefined ? '' : addresses.of(incoming);
}

function pageRequest(c: Context, deps: Deps): PageRequest {
  const language = requestLanguage(c.req.header(), c.req.query('lang'));
  return new PageRequest(deps, language, new URL(c.req.url), c.req.param(), {
    ifNoneMatch: c.req.header('if-none-match'),
    person: () => signedInPerson(c.req.header('cookie'), deps),
  });
}

async function handle(c: Context, deps: Deps, handler: PageHandler): Promise<Response> {
  try {
    const request = pageRequest(c, deps);
    // No id or name contains control characters, and PostgreSQL refuses NUL.
    if (!Object.values(request.params).every(isCleanText)) throw request.notFound();
    rememberLanguage(c, deps.config.SITE_URL.startsWith('https:'));
    const result = await handler(request);
    if (result instanceof Response) return result;
    return await sendPage(c, request, result, await request.person());
  } catch (error) {
    return await sendError(c, deps, error);
  }
}

/**
 * Pages are the same for all browsers without a session in one language, so caches may store them. A page with a person's name and form token
 * is never stored and has no entity tag that another response could match.
 */
async function sendPage(c: Context, request: PageRequest, content: PageContent, person?: SignedIn): Promise<Response> {
  const page = await writePage(request, content, person);
  const headers =
    person === undefined
      ? pageHeaders('public, max-age=0, must-revalidate', content.policy)
      : // Signing out ends at the sign-in service, and browsers apply the policy to the whole chain of redirects.
        pageHeaders('private, no-store', {
          ...content.policy,
          'form-action': [...(content.policy?.['form-action'] ?? []), request.deps.config.AUTH_URL],
        });
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  c.header('vary', 'Accept-Language, Cookie');
  c.header('content-language', request.language);
  if (person !== undefined) return c.body(page, (content.status ?? 200) as 200);
  const etag = `W/"${hash('sha1', page, 'base64url')}"`;
  c.header('etag', etag);
  if (content.status === undefined && c.req.header('if-none-match') === etag) return c.body(null, 304);
  return c.body(page, (content.status ?? 200) as 200);
}

async function sendError(c: Context, deps: Deps, error: unknown): Promise<Response> {
  const wire = caughtError(c, deps.log, error);
  const request = pageRequest(c, deps);
  const { error: t } = request.text;
  const isWrongMethod = wire.status === 404 && !/^(GET|HEAD)$/.test(c.req.method);
  if (isWrongMethod) c.header('allow', 'GET, HEAD');
  const status = isWrongMethod ? 405 : wire.status;
  const title = t.heading[status as keyof typeof t.heading] ?? t.heading[500];
  const sentences: Record<number, string> = { 405: t.method, 503: t.unavailable };
  const sentence = sentences[status] ?? (status >= 500 ? t.server : wire.message);
  const search = status === 404 ? searchForm(request, '') : undefined;
  const link = { href: '/', label: t.home };
  const main = errorPage({ status, title, sentence, requestId: requestIdIn(c), search, link });
  if (status === 429)
    return c.html(await writeRefusal(request, title, main), status, {
      ...pageHeaders(),
      ...{ vary: 'Accept-Language', 'content-language': request.language },
    });
  return await sendPage(c, request, { title, description: sentence, path: '/', main, status, noIndex: true });
}
