import { getRequestListener } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { compress } from 'hono/compress';
import { hash } from 'node:crypto';
import type { HttpService } from '#http/service.ts';
import { brandAssets } from '#http/branding.ts';
import { isCleanText } from '#platform/text.ts';
import { rememberLanguage, requestLanguage } from '#http/cookies.ts';
import { caughtError, errorPage } from '#http/error-page.ts';
import { pageHeaders, type PageShell } from '#http/page.ts';
import type { AppContext } from '#context/context.ts';
import { bucketsIn } from '#store/game/time-buckets.ts';
import { addSiteAssets } from './assets.ts';
import { matchImage, playerImage } from './open-graph/index.ts';
import { developerPages } from './developers/index.ts';
import { matchFeed, punishmentFeed } from './feeds.ts';
import { home, live } from './home.ts';
import { writePage } from './layout.ts';
import { leaderboards } from './leaderboards.ts';
import { map, mapImage } from './map.ts';
import { maps } from './maps.ts';
import { match } from './match.ts';
import { matches } from './matches.ts';
import { player, playerMatches } from './player.ts';
import { readPrivacy, showPrivacy } from './privacy.ts';
import { punishment, punishments } from './punishments.ts';
import { players, search } from './search.ts';
import { robots, sitemapFile, sitemapIndex } from './sitemap.ts';
import { type Deps, type PageContent, PageRequest, type Show } from './page-request.ts';

/** Opens the site: the pages that every `permalink_url` leads to. */
export async function openSite(context: AppContext): Promise<HttpService> {
  const site = siteOf(context);
  const listen = getRequestListener(site.fetch, { overrideGlobalObjects: false });
  return { listener: (request, response) => void listen(request, response) };
}

/** The site as a Hono application. */
export function siteOf({ config, db, clock, log }: AppContext): Hono {
  const assets = addSiteAssets(brandAssets(config));
  const shell: PageShell = {
    network: config.NETWORK_NAME,
    home: '/',
    assets,
    stylesheets: ['base.css', 'site.css'],
    scripts: ['site.js'],
  };
  const deps: Deps = { db, clock, config, log, shell, bucketsAt: bucketsIn(config.TIME_ZONE) };
  const app = new Hono();
  const showMissing = (c: Context): Promise<Response> => showError(c, deps, requestOf(c, deps).missing());
  app.use(compress());
  app.get('/assets/*', async (c) => {
    return (await assets.answer(c.req.path, c.req.header('accept-encoding'))) ?? (await showMissing(c));
  });
  app.get('/favicon.ico', (c) => c.redirect(assets.href('favicon.svg')));
  app.get('/maps/:id/image', (c) => answer(c, deps, (request) => mapImage(request, c.req.header('if-none-match'))));
  const pages = { ...PAGES, ...developerPages(deps), '/privacy': showPrivacy(readPrivacy(config)) };
  for (const [path, show] of Object.entries(pages)) app.get(path, (c) => answer(c, deps, show));
  app.notFound(showMissing);
  app.onError((error, c) => showError(c, deps, error));
  return app;
}

const PAGES: Record<string, Show> = {
  '/': home,
  '/live.json': live,
  '/matches': matches,
  '/matches.atom': matchFeed,
  '/matches/:id': match,
  '/maps': maps,
  '/maps/:id': map,
  '/leaderboards': leaderboards,
  '/players': players,
  '/players/:id': player,
  '/players/:id/matches': playerMatches,
  '/punishments': punishments,
  '/punishments.atom': punishmentFeed,
  '/punishments/:id': punishment,
  '/search': search,
  '/cards/matches/:id': matchImage,
  '/cards/players/:id': playerImage,
  '/robots.txt': robots,
  '/sitemap.xml': sitemapIndex,
  '/sitemaps/:file': sitemapFile,
};

function requestOf(c: Context, deps: Deps): PageRequest {
  const language = requestLanguage(c.req.header(), c.req.query('lang'));
  return new PageRequest(deps, language, new URL(c.req.url), c.req.param());
}

async function answer(c: Context, deps: Deps, show: Show): Promise<Response> {
  try {
    const request = requestOf(c, deps);
    // No id or name holds control characters, and PostgreSQL refuses NUL.
    if (!Object.values(request.params).every(isCleanText)) throw request.missing();
    rememberLanguage(c, deps.config.SITE_URL.startsWith('https:'));
    const shown = await show(request);
    return shown instanceof Response ? shown : await sendPage(c, request, shown);
  } catch (error) {
    return await showError(c, deps, error);
  }
}

async function sendPage(c: Context, request: PageRequest, content: PageContent): Promise<Response> {
  const page = await writePage(request, content);
  const etag = `W/"${hash('sha1', page, 'base64url')}"`;
  for (const [name, value] of Object.entries(pageHeaders('public, max-age=0, must-revalidate', content.policy)))
    c.header(name, value);
  c.header('vary', 'Accept-Language, Cookie');
  c.header('content-language', request.language);
  c.header('etag', etag);
  if (content.status === undefined && c.req.header('if-none-match') === etag) return c.body(null, 304);
  return c.body(page, (content.status ?? 200) as 200);
}

async function showError(c: Context, deps: Deps, error: unknown): Promise<Response> {
  const wire = caughtError(c, deps.log, error);
  const request = requestOf(c, deps);
  const { error: t } = request.text;
  const isWrongMethod = wire.status === 404 && !/^(GET|HEAD)$/.test(c.req.method);
  if (isWrongMethod) c.header('allow', 'GET, HEAD');
  const status = isWrongMethod ? 405 : wire.status;
  const title = t.heading[status as keyof typeof t.heading] ?? t.heading[500];
  const fixed: Record<number, string> = { 405: t.method, 503: t.unavailable };
  const sentence = fixed[status] ?? (status >= 500 ? t.server : wire.message);
  const main = errorPage({ status, title, sentence, link: { href: '/', label: t.home } });
  return await sendPage(c, request, { title, description: sentence, path: '/', main, status, unlisted: true });
}
