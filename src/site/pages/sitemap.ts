import { html } from 'hono/html';
import { idOf, keyOf } from '#platform/ids.ts';
import { SITEMAP_KINDS, type SitemapEntry, sitemapEntries, sitemapFiles } from '#store/game/sitemaps.ts';
import type { PageRequest } from '#site/page-request.ts';

const PAGES = ['/', '/matches', '/maps', '/leaderboards', '/players', '/punishments', '/developers', '/privacy'];

/** `/sitemap.xml`: the index of the sitemap files (sitemaps.org). */
export async function sitemapIndex({ db, deps }: PageRequest): Promise<Response> {
  const site = deps.config.SITE_URL;
  const files = (await sitemapFiles(db)).map(({ kind, first_key }) => `${kind}-${idOf(first_key)}`);
  return xml(
    html`<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
      ${['pages', ...files].map((name) => html`<sitemap><loc>${site}/sitemaps/${name}.xml</loc></sitemap> `)}</sitemapindex
    >`,
  );
}

/** `/sitemaps/:file`: `pages.xml`, or `KIND-ID.xml` with the id of its first entry */
export async function sitemapFile(request: PageRequest): Promise<Response> {
  const site = request.deps.config.SITE_URL;
  const paths = await sitemapPaths(request);
  return xml(
    html`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
      ${paths.map((path) => html`<url><loc>${site}${path}</loc></url> `)}</urlset
    >`,
  );
}

async function sitemapPaths(request: PageRequest): Promise<string[]> {
  const name = request.params['file'] ?? '';
  if (name === 'pages.xml') return PAGES;
  const [, kindName, id = ''] = /^([a-z]+)-([0-9a-z]{11})\.xml$/.exec(name) ?? [];
  const [kind, first_key] = [SITEMAP_KINDS.find((candidate) => candidate === kindName), keyOf(id)];
  if (kind === undefined || first_key === undefined) throw request.notFound();
  const path = ({ key, uuid }: SitemapEntry): string => `/${kind}/${uuid ?? idOf(key)}`;
  return (await sitemapEntries(request.db, { kind, first_key })).map(path);
}

async function xml(body: ReturnType<typeof html>): Promise<Response> {
  return new Response(`<?xml version="1.0" encoding="utf-8"?>\n${await body}`, {
    headers: { 'content-type': 'application/xml; charset=utf-8', 'cache-control': 'public, max-age=600' },
  });
}

/** `/robots.txt` */
export async function robots({ deps }: PageRequest): Promise<Response> {
  const lines = [
    'User-agent: *',
    'Disallow: /search',
    'Disallow: /console',
    `Sitemap: ${deps.config.SITE_URL}/sitemap.xml`,
  ];
  return new Response(`${lines.join('\n')}\n`, { headers: { 'content-type': 'text/plain; charset=utf-8' } });
}
