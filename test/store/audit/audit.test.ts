import assert from 'node:assert/strict';
import { listAudit, recordAudit } from '#store/audit/audit.ts';
import { onSqlite, testContext } from '#test/support/context.ts';

const ACTOR = { via: 'command', account_id: null, name: 'root', address: 'host' } as const;

onSqlite('entries of one millisecond are listed in their order, however many there are', async (t, url) => {
  const { db, clock } = await testContext(t, url);
  const count = 3_000;
  await db.transaction(async (tx) => {
    for (let number = 0; number < count; number++)
      await recordAudit(tx, clock.now(), ACTOR, { action: 'test.act', detail: { number } });
  });
  const entries = await listAudit(db, { action: 'test' }, count);
  assert.deepEqual(
    entries.map(({ detail }) => detail['number']),
    Array.from({ length: count }, (_, index) => count - 1 - index),
  );
});
