import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { sql } from '#db/sql.ts';
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

const look = async (origin: string, wish: Wish = {}, path = PATH): Promise<State> =>
  stateOf(await ask(origin, path, wish));

function onEachCounter(name: string, work: (t: TestContext, url: string, counters: string) => Promise<void>): void {
  for (const counters of ['memory', 'database'])
    onEachDatabase(`${name}, counted in ${counters}`, async (t, url, _dialect: Dialect) => work(t, url, counters));
}

/** As operators run it: 900, 900 and 600. */
const usual = (t: TestContext, url: string, counters: string, more = {}): Promise<TestApi> =>
  testApi(t, url, { COUNTERS: counters, USER_LIMIT: '', APP_LIMIT: '', ADDRESS_LIMIT: '', ...more });

onEachCounter('of 1,000 requests at once exactly 900 are served', async (t, url, counters) => {
  const { get } = await usual(t, url, counters);
  const replies = await Promise.all(Array.from({ length: 1000 }, () => get(PATH)));
  const served = replies.filter(({ status }) => status === 200);
  const refused = replies.filter(({ status }) => status === 429);
  assert.equal(served.length, 900);
  assert.equal(refused.length, 100);
  const remaining = served.map((reply) => stateOf(reply).remaining).sort((a, b) => b - a);
  assert.deepEqual(
    remaining,
    Array.from({ length: 900 }, (_, place) => 899 - place),
  );
  for (const reply of refused) {
    assert.equal(reply.text, '{"error":"rate_limit","error_description":"Rate limit exceeded"}');
    assert.equal(reply.headers['retry-after'], '3600');
    assert.equal(stateOf(reply).remaining, 0);
  }
});

onEachCounter('a window lasts exactly one hour from the first request', async (t, url, counters) => {
  const { context, get } = await usual(t, url, counters, { APP_LIMIT: '2' });
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

onEachCounter('each kind of caller has a limit and a subject of its own', async (t, url, counters) => {
  const { context, origin, app, token } = await usual(t, url, counters);
  const other = await application(context);
  const otherToken = await serviceToken(context, other.client_id);
  const [ada, bob] = [await account(context, 'Ada'), await account(context, 'Bob')];

  await t.test('an application: 900, whatever token it holds', async () => {
    assert.deepEqual([(await look(origin, { token })).limit, (await look(origin, { token })).remaining], [900, 898]);
    assert.equal((await look(origin, { token: await serviceToken(context, app.client_id) })).remaining, 897);
    assert.equal((await look(origin, { token: otherToken })).remaining, 899);
  });

  await t.test('a user: 900, all applications together', async () => {
    const here = await userToken(context, app.client_id, ada.id);
    const there = await userToken(context, other.client_id, ada.id);
    assert.deepEqual(
      [(await look(origin, { token: here })).limit, (await look(origin, { token: here })).remaining],
      [900, 898],
    );
    assert.equal((await look(origin, { token: there })).remaining, 897);
    assert.equal((await look(origin, { token: await userToken(context, app.client_id, bob.id) })).remaining, 899);
  });

  await t.test('a Client ID: 600 of an address, whatever the application', async () => {
    assert.deepEqual(
      [await look(origin, { clientId: app.client_id }), await look(origin, { clientId: other.client_id })].map(
        ({ limit, remaining }) => [limit, remaining],
      ),
      [
        [600, 599],
        [600, 598],
      ],
    );
  });

  await t.test('a raised limit: the application itself, and each of its users apart', async () => {
    const raised = await application(context, { limit: 5000 });
    const users = await Promise.all([ada, bob].map(({ id }) => userToken(context, raised.client_id, id)));
    const usually = (await look(origin, { token: await userToken(context, app.client_id, ada.id) })).remaining;
    for (const user of [await serviceToken(context, raised.client_id), ...users]) {
      const { limit, remaining } = await look(origin, { token: user });
      assert.deepEqual([limit, remaining], [5000, 4999]);
    }
    assert.equal(
      (await look(origin, { token: await userToken(context, app.client_id, ada.id) })).remaining,
      usually - 1,
    );
    assert.equal((await look(origin, { clientId: raised.client_id })).limit, 600, 'an address stays an address');
    await setLimit(context.db, raised.client_id, null);
    assert.equal((await look(origin, { token: users[0]! })).limit, 900, 'and lowered again it is the usual one');
  });
});

onEachCounter('everything that is let in counts, whatever the answer', async (t, url, counters) => {
  const { origin, get, token } = await usual(t, url, counters);
  let left = 900;
  const etag = String((await get(PATH)).headers.etag);
  left--;
  const wishes: [string, Wish, number][] = [
    [PATH, { headers: { 'if-none-match': etag } }, 304],
    ['/v1/nothing', {}, 404],
    ['/v1/matches/x', {}, 404],
    ['/v1/matches?limit=0', {}, 400],
    [PATH, { method: 'POST' }, 405],
    ['/v1/players/me', {}, 403],
    [PATH, { method: 'HEAD' }, 200],
  ];
  for (const [path, wish, status] of wishes) {
    const state = await look(origin, { token, ...wish }, path);
    assert.deepEqual([state.status, state.limit, state.remaining], [status, 900, --left], path);
  }
  for (const path of ['/v1/openapi.json', PATH]) {
    const method = path === PATH ? 'OPTIONS' : 'GET';
    const state = await look(origin, { method, token }, path);
    assert.deepEqual([state.limit, state.remaining], [600, 600], 'what counts nothing shows the state of the address');
  }
  assert.equal((await look(origin, { token })).remaining, --left);
});

onEachCounter('failed credentials have a bucket of their own', async (t, url, counters) => {
  const { origin, app, token } = await usual(t, url, counters, { ADDRESS_LIMIT: '3' });
  const failures: Wish[] = [{}, { token: 'nonsense' }, { clientId: 'nobody' }];
  for (const [place, wish] of failures.entries()) {
    const { status, limit, remaining } = await look(origin, wish);
    assert.deepEqual([status, limit, remaining], [401, 3, 2 - place]);
  }
  for (const wish of [...failures, { token, clientId: 'another' }]) {
    const { status, remaining } = await look(origin, wish);
    assert.deepEqual([status, remaining], [429, 0]);
  }
  assert.equal((await look(origin, { token })).status, 200, 'a valid token is let in all the same');
  const { status, remaining } = await look(origin, { clientId: app.client_id });
  assert.deepEqual([status, remaining], [200, 2], 'and so is a valid Client ID, whose address has its own count');
});

onEachCounter('addresses are told apart behind a trusted proxy, and only there', async (t, url, counters) => {
  const trusting = await usual(t, url, counters, { TRUSTED_PROXIES: '127.0.0.1', ADDRESS_LIMIT: '2' });
  const from = (origin: string, forwarded: string): Promise<State> =>
    look(origin, { clientId: trusting.app.client_id, headers: { 'x-forwarded-for': forwarded } });
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

onEachCounter('counts survive a restart', async (t, url, counters) => {
  const settings = { COUNTERS: counters, APP_LIMIT: '10' };
  const first = await testContext(t, url, settings);
  const token = await serviceToken(first);
  const { API } = await testServices(first, ['API']);
  for (let asked = 0; asked < 4; asked++) await look(API!, { token });
  const { reset } = await look(API!, { token });
  await first[Symbol.asyncDispose]();
  first[Symbol.asyncDispose] = async () => undefined;

  const second = await testContext(t, url, settings);
  second.clock.advance(60_000);
  const again = (await testServices(second, ['API'])).API!;
  assert.deepEqual(await look(again, { token }), { status: 200, limit: 10, remaining: 4, reset });
});

onEachDatabase('with counters in the database two processes count as one', async (t, url) => {
  const settings = { COUNTERS: 'database', APP_LIMIT: '300' };
  const contexts = [await testContext(t, url, settings), await testContext(t, url, settings)];
  const origins = await Promise.all(contexts.map(async (context) => (await testServices(context, ['API'])).API!));
  const token = await serviceToken(contexts[0]!);
  const states = await Promise.all(Array.from({ length: 400 }, (_, place) => look(origins[place % 2]!, { token })));
  const served = states.filter(({ status }) => status === 200);
  assert.equal(served.length, 300);
  assert.deepEqual(
    served.map(({ remaining }) => remaining).sort((a, b) => a - b),
    Array.from({ length: 300 }, (_, place) => place),
  );
});

onEachDatabase('counters that cannot be reached take neither headers away nor what is not counted', async (t, url) => {
  const { context, origin, token } = await testApi(t, url, { COUNTERS: 'database', ADDRESS_LIMIT: '600' });
  await context.db.run(sql`drop table rate_limits`);
  for (const [path, method, status] of [
    [PATH, 'GET', 500],
    ['/v1/openapi.json', 'GET', 200],
    [PATH, 'OPTIONS', 204],
  ] as const) {
    const state = await look(origin, { token, method }, path);
    assert.equal(state.status, status);
    assert.deepEqual([state.limit, state.remaining], [600, 600]);
    assert.equal(state.reset, (context.clock.now() + HOUR_MS) / 1000);
  }
});
