import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { sql } from '#db/sql.ts';
import { runJobsOnce } from '#server/jobs.ts';
import { endApplications } from '#store/accounts/account-sessions.ts';
import { setLimit } from '#store/applications/applications.ts';
import { type TestApi, testApi } from '#test/support/api.ts';
import { ask, type Reply, type Wish } from '#test/support/request.ts';
import { account, application, serviceToken, userToken } from '#test/support/builders.ts';
import { type Dialect, onEachDatabase, testContext, testServices } from '#test/support/context.ts';

const HOUR_MS = 3_600_000;
const PATH = '/v1/servers/online';

interface State {
  status: number;
  limit: number;
  remaining: number;
  reset: number;
}

function stateOf({ status, headers }: Reply): State {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    Number(headers[`x-ratelimit-${name}`]),
  ) as [number, number, number];
  return { status, limit, remaining, reset };
}

const stateAfter = async (origin: string, wish: Wish = {}, path = PATH): Promise<State> =>
  stateOf(await ask(origin, path, wish));

function onEachCounter(name: string, work: (t: TestContext, url: string, counters: string) => Promise<void>): void {
  for (const counters of ['memory', 'database'])
    onEachDatabase(`${name}, counted in ${counters}`, async (t, url, _dialect: Dialect) => work(t, url, counters));
}

/** With the default limits: 900, 900 and 600. */
const withDefaultLimits = (t: TestContext, url: string, counters: string, more = {}): Promise<TestApi> =>
  testApi(t, url, { COUNTERS: counters, USER_LIMIT: '', APP_LIMIT: '', ADDRESS_LIMIT: '', ...more });

onEachCounter('of 250 concurrent requests exactly 225 are served', async (t, url, counters) => {
  const { get } = await withDefaultLimits(t, url, counters, { APP_LIMIT: '225' });
  const replies = await Promise.all(Array.from({ length: 250 }, () => get(PATH)));
  const served = replies.filter(({ status }) => status === 200);
  const refused = replies.filter(({ status }) => status === 429);
  assert.equal(served.length, 225);
  assert.equal(refused.length, 25);
  const remaining = served.map((reply) => stateOf(reply).remaining).sort((a, b) => b - a);
  assert.deepEqual(
    remaining,
    Array.from({ length: 225 }, (_, place) => 224 - place),
  );
  for (const reply of refused) {
    assert.equal(reply.text, '{"error":"rate_limit","error_description":"Rate limit exceeded"}');
    assert.equal(reply.headers['retry-after'], '3600');
    assert.equal(stateOf(reply).remaining, 0);
  }
});

onEachCounter('a window lasts exactly one hour from the first request', async (t, url, counters) => {
  const { context, get } = await withDefaultLimits(t, url, counters, { APP_LIMIT: '2' });
  const begins = context.clock.now();
  const state = async (): Promise<State> => stateOf(await get(PATH));
  const reset = (begins + HOUR_MS) / 1000;
  assert.deepEqual(await state(), { status: 200, limit: 2, remaining: 1, reset });
  context.clock.advance(HOUR_MS - 1000);
  assert.deepEqual(await state(), { status: 200, limit: 2, remaining: 0, reset });
  context.clock.advance(999);
  const refused = await get(PATH);
  assert.deepEqual(stateOf(refused), { status: 429, limit: 2, remaining: 0, reset });
  assert.equal(refused.headers['retry-after'], '1');
  context.clock.advance(1);
  assert.deepEqual(await state(), { status: 200, limit: 2, remaining: 1, reset: reset + 3600 });
});

onEachCounter('each kind of caller has its own limit and subject', async (t, url, counters) => {
  const { context, origin, app, token } = await withDefaultLimits(t, url, counters);
  const other = await application(context);
  const otherToken = await serviceToken(context, other.client_id);
  const [ada, bob] = [await account(context, 'Ada'), await account(context, 'Bob')];

  await t.test('an application: 900, over all its tokens', async () => {
    assert.deepEqual(
      [(await stateAfter(origin, { token })).limit, (await stateAfter(origin, { token })).remaining],
      [900, 898],
    );
    assert.equal((await stateAfter(origin, { token: await serviceToken(context, app.client_id) })).remaining, 897);
    assert.equal((await stateAfter(origin, { token: otherToken })).remaining, 899);
  });

  await t.test('a user: 900, over all applications', async () => {
    const here = await userToken(context, app.client_id, ada.id);
    const there = await userToken(context, other.client_id, ada.id);
    assert.deepEqual(
      [(await stateAfter(origin, { token: here })).limit, (await stateAfter(origin, { token: here })).remaining],
      [900, 898],
    );
    assert.equal((await stateAfter(origin, { token: there })).remaining, 897);
    assert.equal((await stateAfter(origin, { token: await userToken(context, app.client_id, bob.id) })).remaining, 899);
  });

  await t.test('a Client ID: 600 per client address, over all applications', async () => {
    assert.deepEqual(
      [
        await stateAfter(origin, { clientId: app.client_id }),
        await stateAfter(origin, { clientId: other.client_id }),
      ].map(({ limit, remaining }) => [limit, remaining]),
      [
        [600, 599],
        [600, 598],
      ],
    );
  });

  await t.test('a raised limit: the application itself, and each of its users separately', async () => {
    const raised = await application(context, { limit: 5000 });
    const users = await Promise.all([ada, bob].map(({ id }) => userToken(context, raised.client_id, id)));
    const usually = (await stateAfter(origin, { token: await userToken(context, app.client_id, ada.id) })).remaining;
    for (const user of [await serviceToken(context, raised.client_id), ...users]) {
      const { limit, remaining } = await stateAfter(origin, { token: user });
      assert.deepEqual([limit, remaining], [5000, 4999]);
    }
    assert.equal(
      (await stateAfter(origin, { token: await userToken(context, app.client_id, ada.id) })).remaining,
      usually - 1,
    );
    assert.equal(
      (await stateAfter(origin, { clientId: raised.client_id })).limit,
      600,
      'a Client ID counts against the address',
    );
    await setLimit(context.db, raised.client_id, null);
    assert.equal(
      (await stateAfter(origin, { token: users[0]! })).limit,
      900,
      'after a reset the default limit applies',
    );
  });
});

onEachCounter('every authenticated request counts, whatever its status', async (t, url, counters) => {
  const { origin, get, token } = await withDefaultLimits(t, url, counters);
  let left = 900;
  const etag = String((await get(PATH)).headers.etag);
  left--;
  const requests: [string, Wish, number][] = [
    [PATH, { headers: { 'if-none-match': etag } }, 304],
    ['/v1/nothing', {}, 404],
    ['/v1/matches/x', {}, 404],
    ['/v1/matches?limit=0', {}, 400],
    [PATH, { method: 'POST' }, 405],
    ['/v1/players/me', {}, 403],
    [PATH, { method: 'HEAD' }, 200],
  ];
  for (const [path, wish, status] of requests) {
    const state = await stateAfter(origin, { token, ...wish }, path);
    assert.deepEqual([state.status, state.limit, state.remaining], [status, 900, --left], path);
  }
  for (const path of ['/v1/openapi.json', PATH]) {
    const method = path === PATH ? 'OPTIONS' : 'GET';
    const state = await stateAfter(origin, { method, token }, path);
    assert.deepEqual([state.limit, state.remaining], [600, 600], 'an uncounted request shows the limit of the address');
  }
  assert.equal((await stateAfter(origin, { token })).remaining, --left);
});

onEachCounter('failed credentials count against a separate limit', async (t, url, counters) => {
  const { context, origin, app, token } = await withDefaultLimits(t, url, counters, { ADDRESS_LIMIT: '3' });
  const other = await application(context);
  const failures: Wish[] = [{}, { token: 'nonsense' }, { clientId: 'nobody' }];
  for (const [place, wish] of failures.entries()) {
    const { status, limit, remaining } = await stateAfter(origin, wish);
    assert.deepEqual([status, limit, remaining], [401, 3, 2 - place]);
  }
  for (const wish of [...failures, { token, clientId: other.client_id }]) {
    const { status, remaining } = await stateAfter(origin, wish);
    assert.deepEqual([status, remaining], [429, 0]);
  }
  assert.equal((await stateAfter(origin, { token })).status, 200, 'a valid token is still accepted');
  const { status, remaining } = await stateAfter(origin, { clientId: app.client_id });
  assert.deepEqual([status, remaining], [200, 2], 'and so is a valid Client ID, which counts separately');
});

onEachCounter(
  'a former token gets its challenge for a day, whatever else failed from the address',
  async (t, url, counters) => {
    const { context, origin, app } = await withDefaultLimits(t, url, counters, { ADDRESS_LIMIT: '2' });
    const { id } = await account(context, 'Ada');
    const own = await serviceToken(context, app.client_id, 60_000);
    const revoked = await userToken(context, app.client_id, id, { lifetimeMs: 1_000_000 });
    assert.equal((await stateAfter(origin, { token: revoked })).status, 200);
    await endApplications(context.db, id);
    context.clock.advance(60_000);
    for (let failed = 0; failed < 3; failed++) await stateAfter(origin, { token: 'nonsense' });
    assert.equal((await stateAfter(origin, { token: 'nonsense' })).status, 429);
    const assertChallenge = async (): Promise<void> => {
      for (const token of [own, revoked]) {
        const { status, headers } = await ask(origin, PATH, { token });
        assert.equal(status, 401);
        assert.match(String(headers['www-authenticate']), /error="invalid_token"/);
      }
    };
    await assertChallenge();
    await runJobsOnce(context);
    context.clock.advance(24 * HOUR_MS - 1);
    await runJobsOnce(context);
    for (let failed = 0; failed < 3; failed++) await stateAfter(origin, { token: 'nonsense' });
    await assertChallenge();
    context.clock.advance(1);
    await runJobsOnce(context);
    for (const token of [own, revoked])
      assert.equal((await stateAfter(origin, { token })).status, 429, 'unknown by now');
  },
);

onEachCounter('the addresses of one IPv6 /64 count together', async (t, url, counters) => {
  const settings = { TRUSTED_PROXIES: '127.0.0.1', ADDRESS_LIMIT: '2' };
  const { origin, app } = await withDefaultLimits(t, url, counters, settings);
  const from = (forwarded: string, wish: Wish): Promise<State> =>
    stateAfter(origin, { ...wish, headers: { 'x-forwarded-for': forwarded } });
  for (const [wish, good, over] of [
    [{ clientId: app.client_id }, 200, 429],
    [{ token: 'nonsense' }, 401, 429],
  ] as const) {
    assert.equal((await from('2001:db8:0:7::1', wish)).status, good);
    assert.equal((await from('2001:db8::7:ffff:0:0:1', wish)).status, good);
    assert.equal((await from('2001:DB8:0:7:a:b:c:d', wish)).status, over);
    assert.deepEqual((await from('2001:db8:0:8::1', wish)).remaining, 1, 'the next /64 has its own');
  }
});

const four = (subnet: number): string[] => [0, 0x20, 0x40, 0x60].map((at) => `${(subnet + at).toString(16)}::1`);

onEachCounter('a /56 has twice the limit of a /64, a /48 eight times as much', async (t, url, counters) => {
  const settings = { TRUSTED_PROXIES: '127.0.0.1', ADDRESS_LIMIT: '2' };
  const { origin, app } = await withDefaultLimits(t, url, counters, settings);
  for (const wish of [{ clientId: app.client_id }, { token: 'nonsense' }]) {
    const isRefused = async (address: string): Promise<boolean> =>
      (await stateAfter(origin, { ...wish, headers: { 'x-forwarded-for': address } })).status === 429;
    const served: string[] = [];
    for (let subnet = 0; subnet < 0x600; subnet += 0x20) {
      const address = `2001:db8:7:${subnet.toString(16)}::1`;
      if (!(await isRefused(address))) served.push(address.slice(11));
    }
    assert.deepEqual(served, [0, 0x100, 0x200, 0x300].flatMap(four), 'four of each /56, sixteen of the /48');
    assert.equal(await isRefused('2001:db8:8::1'), false, 'another /48');
    assert.equal(await isRefused('192.0.2.1'), false);
  }
  const { remaining, limit } = await stateAfter(origin, { headers: { 'x-forwarded-for': '2001:db8:7:ffff::1' } });
  assert.deepEqual([limit, remaining], [16, 0], 'the headers show the limit that is nearest');
});

onEachCounter('X-Forwarded-For determines the address behind a trusted proxy only', async (t, url, counters) => {
  const trusting = await withDefaultLimits(t, url, counters, { TRUSTED_PROXIES: '127.0.0.1', ADDRESS_LIMIT: '2' });
  const from = (origin: string, forwarded: string): Promise<State> =>
    stateAfter(origin, { clientId: trusting.app.client_id, headers: { 'x-forwarded-for': forwarded } });
  const remaining = async (origin: string, forwarded: string): Promise<number> =>
    (await from(origin, forwarded)).remaining;
  assert.equal(await remaining(trusting.origin, '203.0.113.1'), 1);
  assert.equal(await remaining(trusting.origin, '203.0.113.2'), 1);
  assert.equal(await remaining(trusting.origin, '9.9.9.9, 203.0.113.1'), 0);
  assert.equal((await from(trusting.origin, '203.0.113.1')).status, 429);
  assert.equal((await from(trusting.origin, '203.0.113.2')).status, 200);
  const doubting = await testApi(t, url, { COUNTERS: 'memory', ADDRESS_LIMIT: '600' });
  assert.equal(await remaining(doubting.origin, '203.0.113.3'), 599);
  assert.equal(await remaining(doubting.origin, '203.0.113.4'), 598);
});

onEachCounter('counters survive a restart', async (t, url, counters) => {
  const settings = { COUNTERS: counters, APP_LIMIT: '10' };
  const first = await testContext(t, url, settings);
  const token = await serviceToken(first);
  const { API } = await testServices(first, ['API']);
  for (let asked = 0; asked < 4; asked++) await stateAfter(API!, { token });
  const { reset } = await stateAfter(API!, { token });
  await first[Symbol.asyncDispose]();
  first[Symbol.asyncDispose] = async () => undefined;

  const second = await testContext(t, url, settings);
  second.clock.advance(60_000);
  const again = (await testServices(second, ['API'])).API!;
  assert.deepEqual(await stateAfter(again, { token }), { status: 200, limit: 10, remaining: 4, reset });
});

onEachDatabase('two processes with counters in the database share a limit', async (t, url) => {
  const settings = { COUNTERS: 'database', APP_LIMIT: '150' };
  const contexts = [await testContext(t, url, settings), await testContext(t, url, settings)];
  const origins = await Promise.all(contexts.map(async (context) => (await testServices(context, ['API'])).API!));
  const token = await serviceToken(contexts[0]!);
  const states = await Promise.all(
    Array.from({ length: 200 }, (_, place) => stateAfter(origins[place % 2]!, { token })),
  );
  const served = states.filter(({ status }) => status === 200);
  assert.equal(served.length, 150);
  assert.deepEqual(
    served.map(({ remaining }) => remaining).sort((a, b) => a - b),
    Array.from({ length: 150 }, (_, place) => place),
  );
});

onEachDatabase(
  'without the counter table every response has limit headers, and uncounted requests succeed',
  async (t, url) => {
    const { context, origin, token } = await testApi(t, url, { COUNTERS: 'database', ADDRESS_LIMIT: '600' });
    await context.db.run(sql`drop table rate_limits`);
    for (const [path, method, status] of [
      [PATH, 'GET', 500],
      ['/v1/openapi.json', 'GET', 200],
      [PATH, 'OPTIONS', 204],
    ] as const) {
      const state = await stateAfter(origin, { token, method }, path);
      assert.equal(state.status, status);
      assert.deepEqual([state.limit, state.remaining], [600, 600]);
      assert.equal(state.reset, (context.clock.now() + HOUR_MS) / 1000);
    }
  },
);
