import assert from 'node:assert/strict';
import { MemoryRateLimiter } from '#http/rate-limiter.ts';
import { sql } from '#db/sql.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';

const MAX = 3;
const fail = (error: unknown): never => assert.fail(String(error));

onEachDatabase('any number of addresses takes a bounded amount of memory, also after a restart', async (t, url) => {
  const { db, clock } = await testContext(t, url);
  {
    await using rateLimiter = await MemoryRateLimiter.open(db, clock, fail, MAX);
    for (const subject of ['a', 'b', 'c', 'a', 'd']) {
      clock.advance(1_000);
      rateLimiter.count(subject, 10);
    }
    const used = ['a', 'b', 'c', 'd'].map((subject) => 10 - rateLimiter.peek(subject, 10).remaining);
    assert.deepEqual(used, [0, 1, 1, 1], 'the oldest window is dropped');
  }
  const resets = clock.now() + 10_000;
  for (const subject of ['e', 'f'])
    await db.run(sql`insert into rate_limits (subject, used, resets) values (${subject}, 5, ${resets})`);
  await using again = await MemoryRateLimiter.open(db, clock, fail, MAX);
  const loaded = ['b', 'c', 'd', 'e', 'f'].filter((subject) => again.peek(subject, 10).remaining < 10);
  assert.deepEqual(loaded, ['b', 'c', 'd'], 'the windows that end last are loaded');
});
