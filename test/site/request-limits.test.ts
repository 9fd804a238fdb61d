import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Db } from '#db/db.ts';
import { readConfig } from '#platform/config/config.ts';
import { SiteLimits } from '#site/request-limits.ts';
import { openServicesInThreads } from '#server/workers.ts';
import { createTestDatabase, onEachDatabase, TestClock, testContext } from '#test/support/context.ts';
import { get } from './request.ts';

onEachDatabase('an address that opens too many pages gets 429 until its minute is over', async (t, url) => {
  const context = await testContext(t, url, { SITE_LIMIT: '3' });
  const statuses = async (count: number, path: string): Promise<number[]> => {
    const found: number[] = [];
    for (let index = 0; index < count; index++) found.push((await get(context, path)).status);
    return found;
  };
  assert.deepEqual(await statuses(4, '/privacy'), [200, 200, 200, 429]);
  context.clock.advance(30_000);
  const refused = await get(context, '/privacy');
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '30']);
  const body = await refused.text();
  assert.match(body, /<h1>Too many requests<\/h1>[\s\S]*Try again in 30 seconds/);
  assert.doesNotMatch(body, /<header|<form/, 'a refusal is cheaper than a page');
  const japanese = await get(context, '/privacy', { headers: { 'accept-language': 'ja' } });
  assert.deepEqual(
    ['content-language', 'cache-control'].map((name) => japanese.headers.get(name)),
    ['ja', 'no-store'],
  );
  assert.equal((await get(context, '/robots.txt')).status, 200);
  context.clock.advance(30_000);
  assert.deepEqual(await statuses(1, '/privacy'), [200]);
});

const siteLimits = (pages: number): SiteLimits =>
  new SiteLimits({ config: { ...readConfig({}), SITE_LIMIT: pages }, clock: new TestClock(), db: {} as Db });

test('addresses count apart, an IPv6 address by its /64; pictures count a tenth; 0 is no limit', async () => {
  const limits = siteLimits(1);
  assert.equal(await limits.secondsToWait('192.0.2.1', '/'), undefined);
  assert.equal(await limits.secondsToWait('192.0.2.1', '/'), 60);
  assert.equal(await limits.secondsToWait('192.0.2.2', '/'), undefined);
  assert.equal(await limits.secondsToWait('2001:db8::1', '/'), undefined);
  assert.equal(await limits.secondsToWait('2001:db8::2', '/'), 60);
  assert.equal(await limits.secondsToWait('2001:db8:0:1::1', '/'), undefined);
  assert.equal(await limits.secondsToWait('2001:db8:0:2::1', '/'), 60, 'a /56 has twice the limit of a /64');
  for (let subnet = 0x100; subnet < 0x700; subnet += 0x100)
    assert.equal(await limits.secondsToWait(`2001:db8:0:${subnet.toString(16)}::1`, '/'), undefined);
  assert.equal(await limits.secondsToWait('2001:db8:0:800::1', '/'), 60, 'a /48 eight times');
  assert.equal(await limits.secondsToWait('2001:db8:1::1', '/'), undefined);
  const pictures = await Promise.all(
    Array.from({ length: 11 }, () => limits.secondsToWait('192.0.2.3', '/maps/38ft1k2k44p/image')),
  );
  assert.deepEqual(pictures, [...Array.from({ length: 10 }, () => undefined), 60]);
  assert.equal(await limits.secondsToWait('192.0.2.2', '/assets/site.css'), undefined);
  const unlimited = siteLimits(0);
  for (let index = 0; index < 1_000; index++) assert.equal(await unlimited.secondsToWait('192.0.2.1', '/'), undefined);
});

test('at most 200 requests are in progress; the next one gets 503', async () => {
  const limits = siteLimits(0);
  const { promise, resolve } = Promise.withResolvers<void>();
  const running = Array.from({ length: 200 }, () => limits.run('', '/robots.txt', () => promise));
  await assert.rejects(
    limits.run('', '/robots.txt', async () => undefined),
    { status: 503 },
  );
  resolve();
  await Promise.all(running);
  await limits.run('', '/robots.txt', async () => undefined);
});

test('of one address ten pages are in progress; its others wait in order, those of other addresses and pictures do not', async () => {
  const limits = siteLimits(0);
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const run = (address: string, path: string): Promise<void> =>
    limits.run(address, path, async () => {
      started.push(path);
      await new Promise<void>((end) => ends.push(end));
    });
  const pages = Array.from({ length: 12 }, (_, number) => run('2001:db8::1', `/players/${number}`));
  const others = [run('2001:db8:0:1::1', '/maps'), run('2001:db8::2', '/heads/steve')];
  assert.deepEqual(started, [
    ...Array.from({ length: 10 }, (_, number) => `/players/${number}`),
    '/maps',
    '/heads/steve',
  ]);
  ends[3]!();
  await pages[3];
  assert.deepEqual(started.slice(12), ['/players/10']);
  ends[12]!();
  await pages[10];
  assert.deepEqual(started.slice(13), ['/players/11']);
  for (const end of ends) end();
  await Promise.all([...pages, ...others]);
});

test('the site answers in a thread of its own, and a setting that it refuses is reported', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const context = await testContext(t, database.url);
  {
    await using services = await openServicesInThreads(context, ['SITE']);
    assert.match(await (await fetch(services.addresses.SITE!)).text(), /<html lang="en">/);
    assert.equal((await fetch(`${services.addresses.SITE}/console`)).status, 200);
  }
  const wrong = { ...context, config: { ...context.config, PRIVACY: '/nowhere/privacy.txt' } };
  await assert.rejects(openServicesInThreads(wrong, ['SITE']), {
    name: 'UsageError',
    message: /^PRIVACY cannot be read/,
  });
});
