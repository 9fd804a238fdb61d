import assert from 'node:assert/strict';
import { RateLimits } from '#http/rate-limits.ts';
import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';

const MAX = 3;
const HOUR_MS = 3_600_000;
const fails = (): Promise<never> => Promise.reject(new Error('away'));
const fail = (error: unknown): never => assert.fail(String(error));

onEachDatabase('any number of addresses takes a bounded amount of memory, also after a restart', async (t, url) => {
  const context = await testContext(t, url, { USER_LIMIT: '10' });
  const { db, clock } = context;
  {
    await using limits = await RateLimits.open(context, ['user'], fail, MAX);
    for (const user of ['a', 'b', 'c', 'a', 'd']) {
      clock.advance(1_000);
      await limits.count('user', { user });
    }
    const states = await Promise.all(['a', 'b', 'c', 'd'].map((user) => limits.peek('user', { user })));
    assert.deepEqual(
      states.map(({ used }) => used),
      [0, 1, 1, 1],
      'the oldest window is dropped',
    );
  }
  const resets = clock.now() + 10_000;
  for (const subject of ['user e', 'user f'])
    await db.run(sql`insert into rate_limits (subject, used, resets) values (${subject}, 5, ${resets})`);
  await using again = await RateLimits.open(context, ['user'], fail, MAX);
  const loaded: string[] = [];
  for (const user of ['b', 'c', 'd', 'e', 'f']) if ((await again.peek('user', { user })).used > 0) loaded.push(user);
  assert.deepEqual(loaded, ['b', 'c', 'd'], 'the windows that end last are loaded');
});

onEachDatabase('guesses at many subjects at once are counted exactly', async (t, url) => {
  const context = await testContext(t, url);
  await using limits = new RateLimits(context);
  const countAll = async (): Promise<string[]> => {
    const counted = Array.from({ length: 120 }, (_, n) =>
      limits.count('wrongPassword', { knownBrowser: `${n % 40}` }, { max: 2 }),
    );
    return (await Promise.all(counted)).map(({ allowed, used }) => `${used} ${allowed}`);
  };
  const expected = ['1 true', '2 true', '3 false'].flatMap((each) => Array<string>(40).fill(each));
  assert.deepEqual(await countAll(), expected);
  assert.deepEqual(await countAll(), Array<string>(120).fill('3 false'), 'refusals are repeated');
  context.clock.advance(HOUR_MS - 1);
  const late = await limits.count('wrongPassword', { knownBrowser: '0' }, { max: 2 });
  assert.equal(late.allowed, false, 'the window has not ended');
  context.clock.advance(1);
  assert.deepEqual(await countAll(), expected, 'the next window begins with one');
});

onEachDatabase('guesses that wait together need one statement for each power of two of subjects', async (t, url) => {
  const context = await testContext(t, url);
  await using limits = new RateLimits(context);
  let statements = 0;
  const seen = new WeakSet<Queryable>();
  const counting = <Q extends Queryable>(db: Q): Q => {
    if (seen.has(db)) return db;
    seen.add(db);
    const all = db.all.bind(db);
    db.all = (query) => {
      statements++;
      return all(query);
    };
    return db;
  };
  const transaction = context.db.transaction.bind(context.db);
  context.db.transaction = (work, options) => transaction((tx) => work(counting(tx)), options);
  counting(context.db);
  for (const [subjects, expected] of [
    [3, 2],
    [17, 2],
    [40, 2],
    [95, 7],
  ] as const) {
    statements = 0;
    const guesses = Array.from({ length: 10 * subjects }, (_, n) =>
      limits.count('wrongPassword', { knownBrowser: `${subjects} ${n % subjects}` }),
    );
    assert.equal((await Promise.all(guesses)).at(-1)!.used, 10);
    assert.equal(statements, expected, `${subjects} subjects`);
  }
});

onEachDatabase('a statement that fails refuses its guesses alone', async (t, url) => {
  const context = await testContext(t, url);
  await using limits = new RateLimits(context);
  const { db } = context;
  const working = { all: db.all.bind(db), transaction: db.transaction.bind(db) };
  Object.assign(db, { all: fails, transaction: fails });
  const failing = ['1', '2'].map((knownBrowser) => limits.count('wrongPassword', { knownBrowser }));
  for (const each of failing) await assert.rejects(each, /away/);
  Object.assign(db, working);
  assert.equal((await limits.count('wrongPassword', { knownBrowser: '1' })).used, 1);
});

for (const COUNTERS of ['memory', 'database'])
  onEachDatabase(`a request that costs more than is left is not counted, in ${COUNTERS}`, async (t, url) => {
    const context = await testContext(t, url, { COUNTERS, USER_LIMIT: '10', ADDRESS_LIMIT: '10' });
    await using limits = new RateLimits(context);
    const costs = async (price: number): Promise<unknown[]> => {
      const { allowed, remaining } = await limits.count('user', { user: 'a' }, { price });
      return [allowed, remaining];
    };
    assert.deepEqual(await costs(6), [true, 4]);
    assert.deepEqual(await costs(5), [false, 4]);
    assert.deepEqual(await costs(4), [true, 0]);
    assert.deepEqual(await costs(2), [false, 0]);
    const dear = await Promise.all([6, 6, 6].map((price) => limits.count('user', { user: 'b' }, { price })));
    assert.deepEqual(
      dear.map(({ allowed, remaining }) => [allowed, remaining]),
      [
        [true, 4],
        [false, 4],
        [false, 4],
      ],
      'of three at the same time, one',
    );
    assert.equal((await limits.count('user', { user: 'b' })).remaining, 3);
    const network = '2001:db8::1';
    await limits.count('clientId', { network }, { price: 7 });
    const { allowed, remaining, limit } = await limits.count('clientId', { network: '2001:db8::2' }, { price: 4 });
    assert.deepEqual([allowed, remaining, limit], [false, 3, 10]);
    const wider = await limits.peek('clientId', { network: '2001:db8:0:1::1' });
    assert.deepEqual([wider.remaining, wider.limit], [10, 10], 'its own /64');
    await limits.count('clientId', { network: '2001:db8:0:1::1' }, { price: 8 });
    const third = await limits.count('clientId', { network: '2001:db8:0:2::1' }, { price: 6 });
    assert.deepEqual([third.allowed, third.limit, third.remaining], [false, 20, 5], 'the /56 has 5 left');
  });
