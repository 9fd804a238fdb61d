import { getRequestListener } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { compress } from 'hono/compress';
import { getCookie, setCookie } from 'hono/cookie';
import { html } from 'hono/html';
import { hash } from 'node:crypto';
import type { OpenDoor } from '#app.ts';
import { brandAssets } from '#base/brand.ts';
import { asWireError } from '#base/errors.ts';
import { chooseLanguage, LANGUAGES } from '#base/languages.ts';
import { pageHeaders } from '#base/page.ts';
import { isCleanText } from '#base/text.ts';
import type { Hall } from '#hall.ts';
import { bucketsIn } from '#records/buckets.ts';
import { addSiteAssets } from './assets.ts';
import { matchCard, playerCard } from './cards/index.ts';
import { developerPages } from './developers/index.ts';
import { matchFeed, punishmentFeed } from './feeds.ts';
import { home, live } from './home.ts';
import { type PageContent, writePage } from './layout.ts';
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
import { type Kit, type Show, Visit } from './visit.ts';

const LANGUAGE_COOKIE = 'lang';
const YEAR_S = 31_536_000;

/** Opens the site: the pages that every `permalink_url` leads to. */
export async function openSite(hall: Hall): Promise<OpenDoor> {
  const site = siteOf(hall);
  const listen = getRequestListener(site.fetch, { overrideGlobalObjects: false });
  return { listener: (request, response) => void listen(request, response) };
}

/** The site as a Hono application. */
export function siteOf(hall: Hall): Hono {
  const { config, db, clock } = hall;
  const assets = addSiteAssets(brandAssets(config));
  const frame = { network: config.NETWORK_NAME, assets, stylesheets: ['base.css', 'site.css'], scripts: ['site.js'] };
  const kit: Kit = { db, clock, config, frame, bucketsAt: bucketsIn(config.TIME_ZONE) };
  const app = new Hono();
  app.use(compress());
  app.get('/assets/*', async (c) => {
    const answer = await assets.answer(c.req.path, c.req.header('accept-encoding'));
    return answer ?? (await refuse(c, kit, visitOf(c, kit).missing(), hall));
  });
  app.get('/favicon.ico', (c) => c.redirect(assets.href('favicon.svg')));
  app.get('/maps/:id/image', (c) => answer(c, kit, hall, (visit) => mapImage(visit, c.req.header('if-none-match'))));
  const pages = { ...PAGES, ...developerPages(kit), '/privacy': showPrivacy(readPrivacy(config)) };
  for (const [path, show] of Object.entries(pages)) app.get(path, (c) => answer(c, kit, hall, show));
  app.notFound((c) => refuse(c, kit, visitOf(c, kit).missing(), hall));
  app.onError((error, c) => refuse(c, kit, error, hall));
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
  '/cards/matches/:id': matchCard,
  '/cards/players/:id': playerCard,
  '/robots.txt': robots,
  '/sitemap.xml': sitemapIndex,
  '/sitemaps/:file': sitemapFile,
};

function visitOf(c: Context, kit: Kit): Visit {
  const url = new URL(c.req.url);
  const asked = [url.searchParams.get('lang') ?? undefined, getCookie(c, LANGUAGE_COOKIE)];
  return new Visit(kit, chooseLanguage(asked, c.req.header('accept-language')), url, c.req.param());
}

async function answer(c: Context, kit: Kit, hall: Hall, show: Show): Promise<Response> {
  try {
    const visit = visitOf(c, kit);
    // No id or name holds control characters, and PostgreSQL refuses NUL.
    if (!Object.values(visit.params).every(isCleanText)) throw visit.missing();
    rememberLanguage(c, hall.config.SITE_URL.startsWith('https:'));
    const shown = await show(visit);
    return shown instanceof Response ? shown : await sendPage(c, visit, shown);
  } catch (error) {
    return await refuse(c, kit, error, hall);
  }
}

/** Whoever chooses a language by a link is shown it from then on. */
function rememberLanguage(c: Context, secure: boolean): void {
  const asked = LANGUAGES.find((language) => language === c.req.query('lang'));
  if (asked === undefined) return;
  setCookie(c, LANGUAGE_COOKIE, asked, { path: '/', maxAge: YEAR_S, sameSite: 'Lax', httpOnly: true, secure });
}

async function sendPage(c: Context, visit: Visit, content: PageContent): Promise<Response> {
  const page = await writePage(visit, content);
  const etag = `W/"${hash('sha1', page, 'base64url')}"`;
  for (const [name, value] of Object.entries(pageHeaders('public, max-age=0, must-revalidate', content.policy)))
    c.header(name, value);
  c.header('vary', 'Accept-Language, Cookie');
  c.header('content-language', visit.language);
  c.header('etag', etag);
  if (content.status === undefined && c.req.header('if-none-match') === etag) return c.body(null, 304);
  return c.body(page, (content.status ?? 200) as 200);
}

/** The page of whatever went wrong. */
async function refuse(c: Context, kit: Kit, error: unknown, hall: Hall): Promise<Response> {
  const wire = asWireError(error);
  if (wire.status >= 500) hall.log.error({ err: error, path: c.req.path }, 'page failed');
  const visit = visitOf(c, kit);
  const { text } = visit;
  const wrongMethod = wire.status === 404 && !/^(GET|HEAD)$/.test(c.req.method);
  const status = (wrongMethod ? 405 : wire.status) as keyof typeof text.error.heading;
  const words = wrongMethod
    ? text.error.method
    : status === 503
      ? text.error.unavailable
      : status >= 500
        ? text.error.server
        : wire.message;
  const heading = text.error.heading[status] ?? text.error.heading[500];
  const main = html`<section class="lost">
    <p class="lost-code" aria-hidden="true">${status}</p>
    <h1>${heading}</h1>
    <p>${words}</p>
    <p><a class="button" href="/">${text.error.home}</a></p>
  </section>`;
  if (wrongMethod) c.header('allow', 'GET, HEAD');
  for (const [name, value] of Object.entries(wire.headers)) c.header(name, value);
  return await sendPage(c, visit, { title: heading, description: words, path: '/', main, status, unlisted: true });
}
