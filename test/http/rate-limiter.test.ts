import assert from 'node:assert/strict';
import { MemoryAllowances } from '#http/rate-limiter.ts';
import { sql } from '#db/sql.ts';
import { onEachDatabase, testHall } from '#test/support/context.ts';

const MOST = 3;
const fail = (error: unknown): never => assert.fail(String(error));

onEachDatabase('somebody with endless addresses fills neither the memory nor the next start', async (t, url) => {
  const { db, clock } = await testHall(t, url);
  {
    await using allowances = await MemoryAllowances.open(db, clock, fail, MOST);
    for (const subject of ['a', 'b', 'c', 'a', 'd']) {
      clock.advance(1_000);
      allowances.take(subject, 10);
    }
    const used = ['a', 'b', 'c', 'd'].map((subject) => 10 - allowances.peek(subject, 10).remaining);
    assert.deepEqual(used, [0, 1, 1, 1], 'the one that began the longest ago begins anew');
  }
  const resets = clock.now() + 10_000;
  for (const subject of ['e', 'f'])
    await db.run(sql`insert into rate_limits (subject, used, resets) values (${subject}, 5, ${resets})`);
  await using again = await MemoryAllowances.open(db, clock, fail, MOST);
  const kept = ['b', 'c', 'd', 'e', 'f'].filter((subject) => again.peek(subject, 10).remaining < 10);
  assert.deepEqual(kept, ['b', 'c', 'd'], 'those that end the latest');
});
