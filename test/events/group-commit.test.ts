import assert from 'node:assert/strict';
import type { Db } from '#db/db.ts';
import { checkEvent } from '#events/validation.ts';
import { openMetrics } from '#platform/metrics.ts';
import { MAX_GROUP_WEIGHT } from '#events/event-queue.ts';
import { GroupCommitQueue } from '#events/group-commit.ts';
import type { Item } from '#events/event-queue.ts';
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
    const itemOf = (weight?: number): Item => {
      const sender = { kind: 'operator' } as const;
      const checked = checkEvent(login('Alpha', person(++number)), sender, clock.now());
      return { sender, checked: weight === undefined || !('event' in checked) ? checked : { ...checked, weight } };
    };
    /** Enqueues requests together and returns the number of transactions. */
    const stored = async (requested: Item[][]): Promise<number> => {
      const before = transactions;
      const requests = requested.map((items) => eventQueue.accept(items));
      const receipts = (await Promise.all(requests)).flat();
      assert.ok(receipts.every(({ status }) => status === 'accepted'));
      return transactions - before;
    };
    const accepted = (...sizes: number[]): Promise<number> =>
      stored(sizes.map((size) => Array.from({ length: size }, () => itemOf())));
    const acceptedWeights = (...weights: number[]): Promise<number> =>
      stored(weights.map((weight) => [itemOf(weight)]));
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
    assert.equal(await acceptedWeights(MAX_GROUP_WEIGHT / 2, MAX_GROUP_WEIGHT / 2), 1);
    assert.equal(await acceptedWeights(MAX_GROUP_WEIGHT / 2, MAX_GROUP_WEIGHT / 2, 1), 2);
    assert.equal(await acceptedWeights(MAX_GROUP_WEIGHT / 2, MAX_GROUP_WEIGHT / 2 + 1, 1), 2);
    assert.equal(await acceptedWeights(1, 3 * MAX_GROUP_WEIGHT, 1), 3, 'a heavier request is a transaction of its own');
  },
);
