import { sql } from '#db/sql.ts';
import { ask } from '#test/support/request.ts';
import { everyPage } from '#test/site/pages.ts';
import { fileName } from './recording.ts';
import { recordRequest } from './requests.ts';
import type { World } from './world.ts';

/** Feeds, sitemaps, cards, pictures and assets of the site. */
export async function recordSiteExtras(world: World): Promise<void> {
  const { recording, site: origin, name, context } = world;
  const pages = Object.fromEntries((await everyPage(context.db)).map(({ name: page, path }) => [page, path]));
  const get = (path: string, file = path) =>
    recordRequest(recording, `${name}/site/extras/${fileName(file)}.txt`, { origin, path });
  const [match, player, map] = [pages['match']!, pages['player']!, pages['map']!];
  const sitemap = (await get('/sitemap.xml')).text;
  for (const [, path] of sitemap.matchAll(/<loc>https?:\/\/[^/<]+(\/sitemaps\/[^<]+)<\/loc>/g)) await get(path!);
  for (const path of [
    ...[
      '/robots.txt',
      '/favicon.ico',
      '/developers/reference/run?path=%2Fv1%2Fservers',
      '/matches.atom',
      '/punishments.atom',
      '/matches.atom?lang=ja',
    ],
    ...[`/cards${match}.png`, `/cards${player}.png`, `/cards${map}.png`, '/cards/site.png', '/cards/site.png?lang=ja'],
    ...[`${map}/image`, `${player}/head`, `/heads/${player.split('/').at(-1)}`, '/cards/matches/nothing.png'],
    ...[
      '/maps?page=2',
      '/matches?before=nothing',
      '/search?q=',
      '/search?q=%00',
      '/players?q=a',
      '/nothing',
      '/leaderboards?by=nonsense',
    ],
    ...[
      '/leaderboards?period=week&mode=teampvp',
      '/leaderboards?period=day',
      `${player}?lang=ja`,
      '/punishments?before=0',
    ],
  ])
    await get(path);
  await recordRequest(recording, `${name}/site/extras/live.txt`, { origin, path: '/live/' });
  for (const mode of ['bowspleef', 'tntrun', 'cp', 'objective', 'paintball', 'splatt', 'teampvp', 'factions'])
    await get(`/leaderboards?period=all&mode=${mode}`);
  const [logo] = (await context.db.tuples(sql`
    select a.client_id from application_logos l join applications a on a.key = l.application_key order by a.key`))!;
  for (const [at, path] of [
    [origin, '/console/logos/'],
    [world.auth, '/logos/'],
  ] as const)
    await recordRequest(recording, `${name}/site/extras/logo.txt`, { origin: at, path: path + String(logo?.[0]) });
  await recordRequest(recording, `${name}/site/extras/post.txt`, { origin, path: '/', wish: { method: 'POST' } });
  const home = (await ask(origin, '/')).text;
  const paths = new Set([...home.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!));
  for (const path of paths) await get(path, withoutHash(path));
  for (const [at, page] of [
    [origin, '/console'],
    [world.auth, '/sign-in'],
  ] as const) {
    const { text } = await ask(at, page);
    for (const [, path] of text.matchAll(/(?:href|src)="(\/(?:console\/)?assets\/[^"]+)"/g))
      await recordRequest(recording, `${name}/assets/${fileName(`${page} ${withoutHash(path!)}`)}.txt`, {
        origin: at,
        path: path!,
      });
  }
}

/** The name of an asset has the hash of its content. */
const withoutHash = (path: string): string => path.replace(/\.[\w-]{12}\./, '.');
