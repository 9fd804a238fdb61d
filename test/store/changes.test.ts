import assert from 'node:assert/strict';
import { changesWithFeed, ChangeSet, readFeed, recordChanges, type ResourceKind } from '#store/game/changes.ts';
import { Keys } from '#store/sequence.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';

onEachDatabase('a new change moves a resource to the end of the feed', async (t, url) => {
  const { db } = await testContext(t, url);
  const record = async (...changes: Parameters<ChangeSet['add']>[]): Promise<void> => {
    const set = new ChangeSet();
    for (const change of changes) set.add(...change);
    await db.transaction(async (tx) => {
      await Keys.lock(tx);
      await recordChanges(tx, set.take(), 7);
    });
  };
  await record(['match', 1, 'created'], ['match', 1, 'changed'], ['map', 1, 'created'], ['player', 2, 'created']);
  await record(['match', 1, 'changed'], ['map', 1, 'changed'], ['map', 1, 'withdrawn']);
  const after = async (...range: [number, number, ResourceKind[]?]): Promise<object[]> =>
    (await changesWithFeed(db, ...range)).changes.map((change) => ({ ...change }));
  const all = await after(0, 9);
  assert.deepEqual(all, [
    { number: 3, kind: 'player', key: 2, type: 'created', revision: 1, time: 7 },
    { number: 4, kind: 'match', key: 1, type: 'changed', revision: 2, time: 7 },
    { number: 5, kind: 'map', key: 1, type: 'withdrawn', revision: 2, time: 7 },
  ]);
  assert.deepEqual(await after(3, 1), [all[1]]);
  assert.deepEqual(await after(0, 9, ['player']), [all[0], all[2]], 'tombstones always pass');
  assert.deepEqual(await after(0, 9, ['map', 'match']), [all[1], all[2]]);
  const { id, ...feed } = await readFeed(db);
  assert.match(id, /^[0-9a-f]{12}$/);
  assert.deepEqual(feed, { head: 5, floor: 0, isFilled: true });
});
