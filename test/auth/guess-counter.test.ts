import assert from 'node:assert/strict';
import { GuessCounter } from '#auth/guess-counter.ts';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { onEachDatabase, TestClock } from '#test/support/context.ts';
import { openTestAuth, type TestAuth } from './support.ts';

const ADDRESS = '203.0.113.5';
const MINUTE_MS = 60_000;

/** Sends a wrong password from `ADDRESS`; returns the status. */
async function guess({ auth }: TestAuth, login: string): Promise<number> {
  const headers = { origin: auth, 'x-forwarded-for': ADDRESS };
  const body = new URLSearchParams({ login, password: 'wrong wrong wrong' });
  return (await fetch(`${auth}/sign-in`, { method: 'POST', headers, body })).status;
}

onEachDatabase('two processes check 60 guesses of a network, and repeat refusals without counting', async (t, url) => {
  const settings = { TRUSTED_PROXIES: '127.0.0.1' };
  const services = [await openTestAuth(t, url, settings), await openTestAuth(t, url, settings)];
  const { db } = services[0]!.context;
  const guesses = async (count: number): Promise<number[]> => {
    const sent = Array.from({ length: count }, (_, n) => guess(services[n % 2]!, `Nobody${n}`));
    return (await Promise.all(sent)).toSorted((a, b) => a - b);
  };
  const setUsed = (used: number): Promise<number> =>
    db.run(sql`update throttles set used = ${used} where subject = ${`guess ${ADDRESS}`}`);
  const counts = (): Promise<unknown> => db.tuples(sql`select subject, used from throttles order by subject`);
  assert.deepEqual(await guesses(1), [422]);
  await setUsed(58);
  assert.deepEqual(await guesses(6), [422, 422, 429, 429, 429, 429], 'the 59th and the 60th are checked');
  const before = await counts();
  assert.deepEqual(await guesses(4), [429, 429, 429, 429]);
  assert.deepEqual(await counts(), before, 'further refusals write nothing');
  await setUsed(59);
  for (const { context } of services) context.clock.advance(1_000);
  assert.deepEqual(await guesses(2), [422, 429], 'a second later the count is read again');
});

onEachDatabase('guesses at many subjects at once are counted exactly', async (_t, url) => {
  await using db = await openDb(url);
  const clock = new TestClock();
  const counter = new GuessCounter(db, clock);
  const limit = { max: 2, windowMs: MINUTE_MS };
  const countAll = async (): Promise<string[]> => {
    const counted = Array.from({ length: 120 }, (_, n) => counter.count(`guess ${n % 40}`, limit));
    return (await Promise.all(counted)).map(({ allowed, used }) => `${used} ${allowed}`);
  };
  const expected = ['1 true', '2 true', '3 false'].flatMap((each) => Array<string>(40).fill(each));
  assert.deepEqual(await countAll(), expected);
  assert.deepEqual(await countAll(), Array<string>(120).fill('3 false'), 'refusals are repeated');
  clock.advance(MINUTE_MS - 1);
  assert.equal((await counter.count('guess 0', limit)).allowed, false, 'the window has not ended');
  clock.advance(1);
  assert.deepEqual(await countAll(), expected, 'the next window begins with one');
});

onEachDatabase('guesses that wait together need one statement for each power of two of subjects', async (_t, url) => {
  await using db = await openDb(url);
  const counter = new GuessCounter(db, new TestClock());
  const limit = { max: 1_000, windowMs: MINUTE_MS };
  const all = db.all.bind(db);
  let statements = 0;
  db.all = (query) => {
    statements++;
    return all(query);
  };
  for (const [subjects, expected] of [
    [3, 2],
    [17, 2],
    [40, 2],
    [95, 7],
  ] as const) {
    statements = 0;
    const guesses = Array.from({ length: 10 * subjects }, (_, n) =>
      counter.count(`${subjects} ${n % subjects}`, limit),
    );
    assert.equal((await Promise.all(guesses)).at(-1)!.used, 10);
    assert.equal(statements, expected, `${subjects} subjects`);
  }
});

onEachDatabase('a statement that fails refuses its guesses alone', async (_t, url) => {
  await using db = await openDb(url);
  const counter = new GuessCounter(db, new TestClock());
  const limit = { max: 1, windowMs: MINUTE_MS };
  const all = db.all.bind(db);
  db.all = () => Promise.reject(new Error('away'));
  const failing = [counter.count('guess 1', limit), counter.count('guess 2', limit)];
  for (const each of failing) await assert.rejects(each, /away/);
  db.all = all;
  assert.deepEqual((await counter.count('guess 1', limit)).used, 1);
});
