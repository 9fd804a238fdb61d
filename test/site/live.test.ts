import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { sql } from '#db/sql.ts';
import { setCounted } from '#events/handlers/match-counting.ts';
import { LIMITS } from '#http/limits.ts';
import { idOf, keyOf } from '#platform/ids.ts';
import { setHidden } from '#store/game/hidden-players.ts';
import { serverByName } from '#store/game/servers.ts';
import { after, configured, map, match, presence, progress, sendEvents, team } from '#test/support/builders.ts';
import { onEachDatabase, onSqlite, type TestAppContext, testContext, testServices } from '#test/support/context.ts';
import { StreamClient } from '#test/support/event-stream.ts';
import { retractEvents } from '#test/support/jobs.ts';
import { ask } from '#test/support/request.ts';

interface Update {
  parts: Record<string, string>;
  says: string;
  version: string;
}

const live = (page: string, query = ''): string => `/live?page=${encodeURIComponent(page)}${query}`;

async function openSite(t: TestContext, url: string) {
  const context = await testContext(t, url);
  const { SITE } = await testServices(context, ['SITE']);
  const follow = (page: string, query = ''): Promise<StreamClient> =>
    StreamClient.open(t, SITE!, live(page, query), {});
  return { context, site: SITE!, follow };
}

async function nextUpdate(stream: StreamClient): Promise<Update> {
  const next = await stream.next();
  assert.equal(next?.event, 'update', stream.text);
  return JSON.parse(next.data) as Update;
}

/** The first update after which a part matches. */
async function until(stream: StreamClient, part: string, text: RegExp): Promise<Update> {
  for (;;) {
    const update = await nextUpdate(stream);
    if (text.test(update.parts[part] ?? '')) return update;
  }
}

const pageOf = async ({ db }: TestAppContext, name: string): Promise<string> =>
  `/servers/${idOf((await serverByName(db, name))!.key)}`;

onEachDatabase(
  'the home page and the page of a server follow heartbeats, running matches and results',
  async (t, url) => {
    const { context, follow } = await openSite(t, url);
    await sendEvents(context, configured('Alpha', { max: 20 }), configured('Beta'), map('Twin Peaks'));
    const [home, japanese, alpha, beta] = [
      await follow('/'),
      await follow('/', '&lang=ja'),
      await follow(await pageOf(context, 'Alpha')),
      await follow(await pageOf(context, 'Beta')),
    ];
    const first = await nextUpdate(home);
    assert.deepEqual(Object.keys(first.parts), ['now', 'servers', 'latest']);
    assert.match(first.parts['now']!, />0<[^]*players are online/);
    for (const stream of [japanese, alpha, beta]) await nextUpdate(stream);

    await sendEvents(context, presence('Alpha', { players: ['Ada', 'Eve'], next_map: 'The <b>Fen' }));
    const online = await until(home, 'now', />2</);
    assert.match(online.parts['servers']!, /Ada[^]*Eve/);
    assert.equal(online.parts['latest'], undefined, 'only the parts that differ');
    assert.match((await until(japanese, 'now', />2</)).parts['now']!, /人/);
    assert.match((await until(alpha, 'now', /Ada/)).parts['now']!, /2 \/ 20 players[^]*Next map: The &lt;b&gt;Fen/);

    await sendEvents(context, progress({ teams: [team('Red', 1), team('Blue', 2)] }));
    const { says } = await until(alpha, 'now', /Twin Peaks[^]*Red/);
    assert.equal(says, 'Running: Twin Peaks');
    await until(home, 'servers', /Twin Peaks/);

    await sendEvents(context, match({ started: after(-600_000), finished: after(0), teams: [team('Red', 1)] }));
    const ended = await until(home, 'latest', /match-row/);
    assert.equal(ended.says, 'A match on Twin Peaks has ended.');
    await until(alpha, 'matches', /match-row/);
    context.clock.advance(121_000);
    await until(home, 'servers', /Offline/);
    await until(alpha, 'now', /Offline/);
    assert.deepEqual(beta.waiting, [], 'another server is no news for it');
  },
);

onEachDatabase('the page of a match follows that it is excluded, counted and withdrawn', async (t, url) => {
  const { context, follow, site } = await openSite(t, url);
  const { db, clock } = context;
  await sendEvents(context, configured('Alpha'));
  const [id] = (await sendEvents(context, match({ teams: [team('Red', 1)] }))) as [string];
  const stream = await follow(`/matches/${id}`);
  const { version } = await nextUpdate(stream);
  const html = (await ask(site, `/matches/${id}`)).text;
  assert.match(html, new RegExp(`data-live="/matches/${id}"\\s+data-version="${version}"`));
  const current = await follow(`/matches/${id}`, `&version=${version}`);

  assert.equal(await setCounted(db, clock, keyOf(id)!, false), undefined);
  for (const each of [stream, current]) await until(each, 'match', /class="notice"/);
  assert.equal(await setCounted(db, clock, keyOf(id)!, true), undefined);
  assert.equal((await until(stream, 'match', /^(?![^]*class="notice")/)).says, 'This match counts.');

  await retractEvents(db, clock, [keyOf(id)!]);
  assert.match(((await stream.ended('gone')) as { main: string }).main, /<h1>Page not found/);
  assert.match(
    (await ask(site, live(`/matches/${id}`))).text,
    /^retry: \d+\n\nevent: gone\n/,
    'withdrawn before it was followed',
  );
});

onEachDatabase('a hidden player leaves the pages that are followed', async (t, url) => {
  const { context, follow } = await openSite(t, url);
  await sendEvents(context, configured('Alpha'), presence('Alpha', { players: ['Ada', 'Mole'] }));
  const streams = [await follow('/'), await follow(await pageOf(context, 'Alpha'))];
  for (const stream of streams) assert.match(JSON.stringify((await nextUpdate(stream)).parts), /Ada[^]*Mole/);
  const { key } = (await serverByName(context.db, 'Alpha'))!;
  await setHidden(context.db, context.clock.now(), key, ['mole']);
  const parts = await Promise.all(streams.map(async (stream) => JSON.stringify((await nextUpdate(stream)).parts)));
  for (const part of parts) assert.match(part, /^(?!.*Mole).*Ada/);
});

onSqlite('streams are limited by address, and only some pages can be followed', async (t, url) => {
  const { context, site, follow } = await openSite(t, url);
  await sendEvents(context, configured('Alpha'));
  const [id] = (await sendEvents(context, match())) as [string];
  for (const path of ['', '/matches', '/matches/nothing', '/maps/1', '//', 'x'])
    assert.equal((await ask(site, live(path))).status, 404, path);
  assert.equal((await ask(site, `/live?page=${'x'.repeat(300)}`)).status, 400);
  assert.equal((await ask(site, live(`/matches/${id}?players=0`))).status, 400);
  assert.equal((await ask(site, live('/'), { method: 'POST' })).status, 405);
  const head = await ask(site, live('/'), { method: 'HEAD' });
  assert.equal(head.headers['content-type'], 'text/event-stream; charset=utf-8');
  const streams = [];
  for (let open = 0; open < LIMITS.livePage.max.network; open++) streams.push(await follow('/'));
  const refused = await ask(site, live('/'));
  assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '60']);
  assert.equal((await ask(site, '/')).status, 200);
  await streams[0]!.close();
  // The service learns a little later that the connection is closed.
  let again = await ask(site, live('/'), { method: 'HEAD' });
  while (again.status === 429) again = await ask(site, live('/'), { method: 'HEAD' });
  assert.equal(again.status, 200);
  assert.equal((await follow('/')).response.headers['cache-control'], 'no-store');
});

onSqlite('the service follows so many pages, and a metric counts the open streams', async (t, url) => {
  const context = await testContext(t, url, { TRUSTED_PROXIES: '127.0.0.1' });
  const { SITE } = await testServices(context, ['SITE']);
  const pages = LIMITS.followedPage.max.process;
  const names = Array.from({ length: pages / 2 }, (_, index) => `Server${index}`);
  await sendEvents(context, ...names.map((name) => configured(name)));
  const servers = await context.db.tuples(sql`select key from servers order by key`);
  const paths = servers.flatMap(([key]) =>
    ['en', 'ja'].map((lang) => live(`/servers/${idOf(key as number)}`, `&lang=${lang}`)),
  );
  let streams = 0;
  const wish = () => ({ headers: { 'x-forwarded-for': `192.0.2.${streams++ % 200}` } });
  await Promise.all(paths.map((path) => StreamClient.open(t, SITE!, path, wish())));
  const refused = await ask(SITE!, live('/'), wish());
  assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '60']);
  const another = await StreamClient.open(t, SITE!, paths[0]!, wish());
  assert.equal(another.response.statusCode, 200, 'a page that is followed already');
  const open = async () => /scorehall_live_streams_open (\d+)/.exec(await context.metrics.metrics())?.[1];
  assert.equal(await open(), String(pages + 1));
});
