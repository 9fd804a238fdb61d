import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { VersionedCache } from '#api/versioned-cache.ts';
import { keyOf } from '#platform/ids.ts';
import { sql } from '#db/sql.ts';
import { deleteApplication, setAccess, setLimit } from '#store/applications/applications.ts';
import { character } from '#test/support/characters.ts';
import { testApi } from '#test/support/api.ts';
import { application, configured, match, serviceToken, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';

const DEADLINE_MS = 1_000;

/** Repeats a condition until it is true, and fails after one second. */
async function within(condition: () => Promise<boolean>, message: string): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await condition())) {
    assert.ok(performance.now() < deadline, message);
    await pause(10);
  }
}

onEachDatabase('a revocation by another process takes effect within one second', async (t, url) => {
  const { context, get } = await testApi(t, url);
  const other = await testContext(t, url);
  const fresh = async () => {
    const app = await application(context);
    const token = await serviceToken(context, app.client_id);
    const status = async (): Promise<number> => (await get('/v1/servers', { token })).status;
    for (let asked = 0; asked < 3; asked++) assert.equal(await status(), 200);
    return { id: app.client_id, token, status };
  };

  await t.test('access to the data API', async () => {
    const { id, status } = await fresh();
    await setAccess(other.db, id, 'revoked');
    await within(async () => (await status()) === 403, 'revoked');
    await setAccess(other.db, id, 'approved');
    await within(async () => (await status()) === 200, 'approved again');
  });

  await t.test('a token', async () => {
    const { id, status } = await fresh();
    await other.db.run(sql`delete from tokens where client_id = ${id}`);
    await within(async () => (await status()) === 401, 'a deleted token');
  });

  await t.test('an application', async () => {
    const { id, status } = await fresh();
    await deleteApplication(other.db, id);
    await within(async () => (await status()) === 401, 'a deleted application');
  });

  await t.test('a limit', async () => {
    const { id, token } = await fresh();
    await setLimit(other.db, id, 5);
    const limit = async () => (await get('/v1/servers', { token })).headers['x-ratelimit-limit'];
    await within(async () => (await limit()) === '5', 'another limit');
  });

  await t.test('an expired token is refused', async () => {
    const app = await application(context);
    const token = await serviceToken(context, app.client_id, 10_000);
    assert.equal((await get('/v1/servers', { token })).status, 200);
    context.clock.advance(9_999);
    assert.equal((await get('/v1/servers', { token })).status, 200);
    context.clock.advance(1);
    assert.equal((await get('/v1/servers', { token })).status, 401);
  });
});

onEachDatabase('without change notifications a revocation takes effect within a second', async (t, url, dialect) => {
  const { context, get } = await testApi(t, url);
  const other = await testContext(t, url);
  const trigger = dialect === 'postgres' ? 'applications_changed on applications' : 'applications_updated';
  await context.db.migrating((tx) => tx.script(`drop trigger ${trigger}`));
  const app = await application(context);
  const token = await serviceToken(context, app.client_id);
  assert.equal((await get('/v1/servers', { token })).status, 200);
  await setAccess(other.db, app.client_id, 'revoked');
  context.clock.advance(1_000);
  assert.equal((await get('/v1/servers', { token })).status, 403);
});

onEachDatabase('changes of matches by another process are visible immediately', async (t, url) => {
  const { context, get } = await testApi(t, url);
  const other = await testContext(t, url);
  await sendEvents(context, configured('Alpha'));
  const [first, second] = await sendEvents(context, match(), match({ map: 'Other' }));
  const ids = async () => (await get('/v1/matches')).json.map(({ id }: { id: string }) => id);
  const mapOf = async () => (await get(`/v1/matches/${first}`)).json.map;
  for (let asked = 0; asked < 3; asked++) {
    assert.deepEqual(await ids(), [second, first]);
    assert.equal(await mapOf(), 'Twin Peaks');
  }
  const [third] = await sendEvents(other, match());
  assert.deepEqual(await ids(), [third, second, first]);
  const key = keyOf(first!)!;
  await other.db.run(sql`update match_details set head = replace(head, 'Twin', 'Three') where match_key = ${key}`);
  assert.equal(await mapOf(), 'Three Peaks');
  await other.db.run(sql`delete from matches where key = ${key}`);
  assert.equal((await get(`/v1/matches/${first}`)).status, 404);
  assert.deepEqual(await ids(), [third, second]);
});

onEachDatabase('a database without data versions answers 500 and does not end the process', async (t, url) => {
  const { context, get } = await testApi(t, url);
  await context.db.migrating((tx) => tx.script('drop table data_versions; drop table presence'));
  for (let asked = 0; asked < 3; asked++) await get('/v1/matches');
  const { status, json } = await get('/v1/servers');
  assert.deepEqual([status, json.error], [500, 'server_error']);
});

test('the cache returns a value only at the version at which it was read', () => {
  const step = fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    moves: fc.boolean(),
    sets: fc.boolean(),
    late: fc.boolean(),
    unknown: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const cache = new VersionedCache<number>(4);
      let version = 0;
      for (const { name, moves, sets, late, unknown } of steps) {
        const before = version;
        if (moves) version++;
        const current = unknown ? undefined : version;
        const found = cache.get(name, current);
        assert.ok(found === undefined || found === current, `${found} at ${current}`);
        if (sets) cache.set(name, late ? before : version, late ? before : current);
      }
    }),
  );
});

test('beyond its bound the cache evicts the oldest entry', () => {
  const cache = new VersionedCache<number>(10);
  cache.get('', 1);
  const held = (count: number): number[] =>
    Array.from({ length: count }, (_, number) => number).filter((number) => cache.get(String(number), 1) === number);
  for (let number = 0; number < 1_000; number++) cache.set(String(number), number, 1);
  assert.deepEqual(held(1_000), [990, 991, 992, 993, 994, 995, 996, 997, 998, 999]);
  cache.set('990', 990, 1);
  cache.set('0', 0, 1);
  assert.deepEqual(held(1_000), [0, 990, 992, 993, 994, 995, 996, 997, 998, 999]);
});

test('an entry is found under its own key and under no other', () => {
  const name = fc.oneof(fc.string(), fc.string({ unit: character }), fc.constantFrom('1', '01', '__proto__', ''));
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 50 }), fc.array(name), (names, others) => {
      const cache = new VersionedCache<object>(100);
      cache.get('', 1);
      const values = new Map(names.map((one) => [one, { one }]));
      for (const [one, value] of values) cache.set(one, value, 1);
      for (const one of [...names, ...others]) assert.equal(cache.get(one, 1), values.get(one));
    }),
  );
});

test('nothing is cached at an unknown version', () => {
  const cache = new VersionedCache<number>(10);
  cache.get('a', undefined);
  cache.set('a', 1, undefined);
  assert.equal(cache.get('a', undefined), undefined);
});
