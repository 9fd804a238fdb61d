import assert from 'node:assert/strict';
import { sql } from '#db/sql.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { openTestAuth, type TestAuth } from './support.ts';

const ADDRESS = '203.0.113.5';

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
    db.run(sql`update throttles set used = ${used} where subject = ${`wrongPasswordAnywhere ${ADDRESS}`}`);
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
