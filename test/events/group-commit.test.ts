import assert from 'node:assert/strict';
import type { Db } from '#db/db.ts';
import { checkEvent } from '#events/validation.ts';
import { openMetrics } from '#platform/metrics.ts';
import { GroupCommitQueue } from '#events/group-commit.ts';
import type { Item } from '#events/ledger.ts';
import { configured, login, person, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';

const ones = (count: number): number[] => Array.from({ length: count }, () => 1);

onEachDatabase(
  'a short queue is committed half by half, a long one together, always whole requests',
  async (t, url) => {
    const context = await testContext(t, url);
    const { clock, log } = context;
    await sendEvents(context, configured('Alpha'));
    let transactions = 0;
    const db: Pick<Db, 'transaction'> = {
      transaction(work) {
        transactions++;
        return context.db.transaction(work);
      },
    };
    const eventQueue = new GroupCommitQueue({ db: db as Db, clock, log, metrics: openMetrics() });
    let number = 0;
    const itemOf = (): Item => {
      const sender = { kind: 'operator' } as const;
      return { sender, checked: checkEvent(login('Alpha', person(++number)), sender, clock.now()) };
    };
    /** Enqueues requests of the given sizes together and returns the number of transactions. */
    const accepted = async (...sizes: number[]): Promise<number> => {
      const before = transactions;
      const requests = sizes.map((size) => eventQueue.accept(Array.from({ length: size }, itemOf)));
      const receipts = (await Promise.all(requests)).flat();
      assert.ok(receipts.every(({ status }) => status === 'accepted'));
      return transactions - before;
    };
    assert.equal(await accepted(...ones(16)), 1);
    assert.equal(await accepted(...ones(17)), 2);
    assert.equal(await accepted(...ones(32)), 2);
    // 20, 16, 4
    assert.equal(await accepted(...ones(40)), 3);
    assert.equal(await accepted(...ones(64)), 3);
    assert.equal(await accepted(...ones(65)), 1);
    assert.equal(await accepted(60), 1);
    assert.equal(await accepted(1, 60), 1);
    assert.equal(await accepted(200, 200, 1), 2);
  },
);
