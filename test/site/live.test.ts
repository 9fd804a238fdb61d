import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { apiDocument } from '#api/index.ts';
import { setCounted } from '#events/handlers/match-counting.ts';
import { LIMITS } from '#http/limits.ts';
import { idOf, keyOf } from '#platform/ids.ts';
import { createSite } from '#site/index.ts';
import type { Db } from '#db/db.ts';
import { readConfig } from '#platform/config/config.ts';
import { SiteLimits } from '#site/request-limits.ts';
import { setHidden } from '#store/game/hidden-players.ts';
import { serverByName } from '#store/game/servers.ts';
import { after, configured, map, match, presence, progress, sendEvents, team } from '#test/support/builders.ts';
import {
  onEachDatabase,
  onSqlite,
  type TestAppContext,
  TestClock,
  testContext,
  testServices,
} from '#test/support/context.ts';
import { retractEvents } from '#test/support/jobs.ts';
import { ask } from '#test/support/request.ts';
import { get, page, SITE } from './request.ts';
import { siteSession } from './session.ts';

interface Update {
  parts: Record<string, string>;
  says: string;
  version: string;
}

/** Asks for the live parts of a page as a browser does that shows it. */
class Reader {
  readonly #context: TestAppContext;
  readonly #path: string;
  #etag = '';

  constructor(context: TestAppContext, path: string) {
    this.#context = context;
    this.#path = `/live${path}`;
  }

  /** @returns undefined if nothing has changed */
  async ask(): Promise<Update | undefined> {
    const response = await get(this.#context, this.#path, { headers: { 'if-none-match': this.#etag } });
    if (response.status === 304) return undefined;
    assert.equal(response.status, 200, this.#path);
    const update = (await response.json()) as Update;
    this.#etag = response.headers.get('etag')!;
    assert.equal(this.#etag, `W/"${update.version}"`);
    return update;
  }

  /** What has changed a second later. */
  async next(): Promise<Update> {
    this.#context.clock.advance(1_000);
    const update = await this.ask();
    assert.ok(update, `${this.#path} has not changed`);
    return update;
  }
}

const pageOf = async ({ db }: TestAppContext, name: string): Promise<string> =>
  `/servers/${idOf((await serverByName(db, name))!.key)}`;

onEachDatabase(
  'the home page and the page of a server follow heartbeats, running matches and results',
  async (t, url) => {
    const context = await testContext(t, url);
    await sendEvents(context, configured('Alpha', { max: 20 }), configured('Beta'), map('Twin Peaks'));
    const home = new Reader(context, '/');
    const japanese = new Reader(context, '/?lang=ja');
    const alpha = new Reader(context, await pageOf(context, 'Alpha'));
    const beta = new Reader(context, await pageOf(context, 'Beta'));
    const first = await home.next();
    assert.deepEqual(Object.keys(first.parts), ['now', 'running', 'servers', 'latest']);
    assert.match(first.parts['now']!, />0<[^]*players are online/);
    for (const reader of [japanese, alpha, beta]) await reader.next();

    await sendEvents(context, presence('Alpha', { players: ['Ada', 'Eve'], next_map: 'The <b>Fen' }));
    const online = (await home.next()).parts;
    assert.match(online['now']!, />2</);
    assert.match(online['servers']!, /Ada[^]*Eve/);
    assert.match((await japanese.next()).parts['now']!, />2<[^]*人/);
    assert.match((await alpha.next()).parts['now']!, /2 \/ 20 players[^]*Next map: The &lt;b&gt;Fen[^]*Ada/);

    await sendEvents(context, progress({ teams: [team('Red', 1), team('Blue', 2)] }));
    const running = await alpha.next();
    assert.match(running.parts['now']!, /Twin Peaks[^]*Red/);
    assert.equal(running.says, 'Running: Twin Peaks');
    assert.match((await home.next()).parts['servers']!, /Twin Peaks/);
    assert.ok(await alpha.next(), 'the time that has passed');

    await sendEvents(context, match({ started: after(-600_000), finished: after(0), teams: [team('Red', 1)] }));
    const ended = await home.next();
    assert.match(ended.parts['latest']!, /match-row/);
    assert.equal(ended.says, 'A match on Twin Peaks has ended.');
    assert.match((await alpha.next()).parts['matches']!, /match-row/);
    context.clock.advance(121_000);
    assert.match((await home.next()).parts['servers']!, /Offline/);
    assert.match((await alpha.next()).parts['now']!, /Offline/);
    assert.equal(await beta.ask(), undefined, 'another server is no news for it');
  },
);

onEachDatabase('the page of a match follows that it is excluded, counted and withdrawn', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  await sendEvents(context, configured('Alpha'));
  const [id] = (await sendEvents(context, match({ teams: [team('Red', 1)] }))) as [string];
  const reader = new Reader(context, `/matches/${id}`);
  const { version } = await reader.next();
  const text = await page(context, `/matches/${id}`);
  assert.match(text, new RegExp(`data-live="/matches/${id}"\\s+data-version="${version}"`));

  assert.equal(await setCounted(db, clock, keyOf(id)!, false), undefined);
  assert.match((await reader.next()).parts['match']!, /class="notice"/);
  assert.equal(await setCounted(db, clock, keyOf(id)!, true), undefined);
  const counted = await reader.next();
  assert.doesNotMatch(counted.parts['match']!, /class="notice"/);
  assert.equal(counted.says, 'This match counts.');

  await retractEvents(db, clock, [keyOf(id)!]);
  assert.equal(await reader.ask(), undefined, 'from memory');
  clock.advance(1_000);
  assert.equal((await get(context, `/live/matches/${id}`)).status, 404);
});

onEachDatabase('a hidden player leaves the pages that follow', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(context, configured('Alpha'), presence('Alpha', { players: ['Ada', 'Mole'] }));
  const readers = [new Reader(context, '/'), new Reader(context, await pageOf(context, 'Alpha'))];
  for (const reader of readers) assert.match(JSON.stringify((await reader.next()).parts), /Ada[^]*Mole/);
  const { key } = (await serverByName(context.db, 'Alpha'))!;
  await setHidden(context.db, context.clock.now(), key, ['mole']);
  for (const reader of readers) assert.match(JSON.stringify((await reader.next()).parts), /^(?!.*Mole).*Ada/);
});

onEachDatabase('a page is rendered once a second for all its browsers, the same in each process', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(context, configured('Alpha'), presence('Alpha', { players: ['Ada'] }));
  const queries = ['all', 'tuples'].map((name) => t.mock.method(context.db, name as 'all').mock);
  const countQueries = (): number => queries.reduce((sum, mock) => sum + mock.callCount(), 0);
  const readers = Array.from({ length: 20 }, () => new Reader(context, '/'));
  const askAll = async () => {
    const before = countQueries();
    const updates = await Promise.all(readers.map((reader) => reader.ask()));
    return { queries: countQueries() - before, updates: updates.filter((update) => update !== undefined).length };
  };
  // The match of the day and the climbers are found once a minute.
  await page(context, '/');
  const before = countQueries();
  await new Reader(context, '/').ask();
  const once = countQueries() - before;
  assert.ok(once > 0);
  assert.deepEqual(await askAll(), { queries: 0, updates: 20 }, 'from memory');
  await sendEvents(context, presence('Alpha', { players: ['Ada', 'Eve'] }, { time: after(60_000) }));
  context.clock.advance(999);
  assert.deepEqual(await askAll(), { queries: 0, updates: 0 }, 'within the second');
  context.clock.advance(1);
  assert.deepEqual(await askAll(), { queries: once, updates: 20 }, 'rendered once for all that ask at a time');
  context.clock.advance(1_000);
  assert.deepEqual(await askAll(), { queries: once, updates: 0 }, 'nothing has changed');

  const other = createSite(context, async () => apiDocument(context.config));
  const etag = (await get(context, '/live/')).headers.get('etag')!;
  assert.equal((await other.request(`${SITE}/live/`, { headers: { 'if-none-match': etag } })).status, 304);
});

onSqlite(
  'the parts are public: they are the same for a person who is signed in, and compressed once',
  async (t, url) => {
    const context = await testContext(t, url);
    await sendEvents(context, configured('Alpha'), presence('Alpha', { players: ['Ada'] }));
    const cookie = await siteSession(context, { name: 'Mara', role: 'operator', linked: true });
    const own = await get(context, '/live/', { headers: { cookie } });
    const visitor = await get(context, '/live/', { headers: { 'accept-encoding': 'gzip, br' } });
    const text = await own.text();
    assert.doesNotMatch(text, /Mara|form_token|operator/);
    assert.equal(visitor.headers.get('content-encoding'), 'gzip');
    assert.equal(gunzipSync(await visitor.arrayBuffer()).toString(), text);
    const [style] = /\/assets\/[^"]+\.css/.exec(await page(context, '/'))!;
    for (const path of ['/live/', style]) {
      const refusing = await get(context, path, { headers: { 'accept-encoding': 'gzip;q=0, br;q=0' } });
      assert.equal(refusing.headers.get('content-encoding'), null, path);
    }
    for (const { headers } of [own, visitor])
      assert.deepEqual(
        ['cache-control', 'content-type', 'content-language', 'set-cookie'].map((name) => headers.get(name)),
        ['public, max-age=0, must-revalidate', 'application/json; charset=utf-8', 'en', null],
      );
    const pages = [await page(context, '/', { headers: { cookie } }), await page(context, '/')];
    const versions = pages.map((html) => /data-version="([^"]+)"/.exec(html)?.[1]);
    assert.deepEqual(
      versions,
      Array.from(pages, () => (JSON.parse(text) as Update).version),
    );
  },
);

onSqlite('only some pages follow', async (t, url) => {
  const context = await testContext(t, url);
  const [id] = (await sendEvents(context, configured('Alpha'), match())).slice(1) as [string];
  const status = async (path: string, init?: RequestInit) => (await get(context, path, init)).status;
  for (const path of [
    '/live',
    '/live/matches',
    '/live/matches/nothing',
    '/live/maps/1',
    '/live//',
    '/live/servers/%00',
  ])
    assert.equal(await status(path), 404, path);
  assert.equal(await status(`/live/matches/${id}?players=0`), 400);
  assert.equal(await status(`/live/matches/${id}?players=2`), 200);
  assert.equal(await status('/live/', { method: 'POST' }), 405);
  assert.equal(await status('/live/', { method: 'HEAD' }), 200);
});

onSqlite('a network that asks too much takes live pages from no other; 304 from memory is free', async (t, url) => {
  const context = await testContext(t, url, { TRUSTED_PROXIES: '127.0.0.1', SITE_LIMIT: '1' });
  const { SITE: origin } = await testServices(context, ['SITE']);
  await sendEvents(context, configured('Alpha'), configured('Beta'));
  const servers = [await pageOf(context, 'Alpha'), await pageOf(context, 'Beta')];
  const [id] = (await sendEvents(context, match())) as [string];
  const askAs = (address: string, path: string, etag = '') =>
    ask(origin!, `/live${path}`, { headers: { 'x-forwarded-for': address, 'if-none-match': etag } });
  const { headers } = await askAs('192.0.2.1', '/');
  for (let count = 0; count < LIMITS.livePage.max.network + 10; count++)
    assert.equal((await askAs('192.0.2.1', '/', headers.etag)).status, 304);

  const flood = Promise.all(
    Array.from({ length: LIMITS.livePage.max.network + 10 }, (_, index) =>
      askAs('192.0.2.1', `/matches/${id}?players=${index + 1}`),
    ),
  );
  for (const path of ['/', ...servers, `/matches/${id}`])
    assert.equal((await askAs('198.51.100.1', path)).status, 200, path);
  const statuses = Map.groupBy(await flood, ({ status }) => status);
  assert.deepEqual([statuses.get(200)?.length, statuses.get(429)?.length], [LIMITS.livePage.max.network - 1, 11]);
  assert.equal(statuses.get(429)![0]!.headers['retry-after'], '60');
  for (const path of ['/', ...servers, `/matches/${id}`])
    assert.equal((await askAs('198.51.100.2', path)).status, 200, path);
  context.clock.advance(60_000);
  assert.equal((await askAs('192.0.2.1', '/')).status, 200);
});

test('a /48 may ask eight times as much as one address', async () => {
  const limits = new SiteLimits({ config: { ...readConfig({}), SITE_LIMIT: 0 }, clock: new TestClock(), db: {} as Db });
  const max = LIMITS.livePage.max.network;
  let allowed = 0;
  for (let subnet = 0; subnet < 20; subnet++)
    for (let count = 0; count < max; count++)
      if ((await limits.secondsToWaitForLive(`2001:db8:0:${(subnet << 8).toString(16)}::1`)) === undefined) allowed++;
  assert.equal(allowed, 8 * max);
  assert.equal(await limits.secondsToWaitForLive('2001:db8:1::1'), undefined);
});
