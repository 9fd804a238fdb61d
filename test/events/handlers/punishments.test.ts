import assert from 'node:assert/strict';
import type { Db, Transaction } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { map, pardon, person, punishment } from '#test/support/builders.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';

/** Counts the calls that wait for the database. */
function counted(db: Db): { db: Pick<Db, 'transaction' | 'keyedHash'>; calls: () => number } {
  let calls = 0;
  const countedTx = (tx: Transaction): Transaction =>
    new Proxy(tx, {
      get(target, name) {
        const member = Reflect.get(target, name, target) as unknown;
        if (typeof member !== 'function' || name === 'keyedHash') return member;
        return (...args: unknown[]) => {
          calls++;
          return (member as (...args: unknown[]) => unknown).apply(target, args);
        };
      },
    });
  const { keyedHash } = db;
  return { db: { keyedHash, transaction: (work) => db.transaction((tx) => work(countedTx(tx))) }, calls: () => calls };
}

onEachDatabase('punishments of one request share their statements and see each other', async (t, url) => {
  const { db, clock } = await testContext(t, url);
  const one = counted(db);
  await ingestEvents(one.db, clock, { kind: 'operator' }, [punishment('first', person(1))]);
  const many = counted(db);
  const events = Array.from({ length: 100 }, (_, number) => punishment(`many ${number}`, person(number)));
  const receipts = await ingestEvents(many.db, clock, { kind: 'operator' }, events);
  assert.ok(receipts.every(({ status }) => status === 'accepted'));
  assert.ok(many.calls() <= one.calls() + 2, `${many.calls()} calls for 100 punishments, ${one.calls()} for one`);

  const mixed = await ingestEvents(db, clock, { kind: 'operator' }, [
    punishment('mixed', person(5)),
    { ...punishment('mixed', person(6)), id: 'another event' },
    { ...punishment('first', person(6)), id: 'of an earlier request' },
    pardon('mixed'),
    map('Harbour'),
    punishment('last', person(200)),
  ]);
  assert.deepEqual(
    mixed.map(({ status }) => status),
    ['accepted', 'rejected', 'rejected', 'accepted', 'accepted', 'accepted'],
  );
  const rows = await db.tuples(sql`
    select u.reference, p.name, u.revoked is null from punishments u join players p on p.key = u.punished_key
    where u.reference in ('mixed', 'last') order by u.key`);
  assert.deepEqual(
    rows.map(([reference, name, inForce]) => [reference, name, Boolean(inForce)]),
    [
      ['mixed', 'Player5', false],
      ['last', 'Player200', true],
    ],
  );
});
