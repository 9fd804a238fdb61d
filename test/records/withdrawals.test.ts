import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { keyOf } from '#base/ids.ts';
import { type Db, openDb } from '#db/db.ts';
import { migrate } from '#db/migrate.ts';
import { followMatches } from '#records/board-follower.ts';
import { withdrawEvents } from '#records/withdrawals.ts';
import { createTestDatabase, DIALECTS } from '../support/hall.ts';
import { type Likeness, likenessOf } from './likeness.ts';
import { season } from './season.ts';
import { clock, tellSeason } from './tell-season.ts';

for (const dialect of DIALECTS) {
  test(`what is withdrawn has never been, whatever else was told (${dialect})`, async (t) => {
    const databases = await Promise.all([createTestDatabase(dialect), createTestDatabase(dialect)]);
    const [one, other] = (await Promise.all(databases.map(({ url }) => openDb(url)))) as [Db, Db];
    t.after(async () => {
      await Promise.all([one.close(), other.close()]);
      await Promise.all(databases.map((database) => database.drop()));
    });
    await Promise.all([migrate(one), migrate(other)]);
    await fc.assert(
      fc.asyncProperty(
        season,
        fc.infiniteStream(fc.boolean()),
        fc.integer({ min: 1, max: 5 }),
        async (events, coins, batches) => {
          const receipts = await tellSeason(one, events, batches);
          const accepted = events.filter((_, place) => receipts[place]!.status === 'accepted');
          const fate = new Map(accepted.map(({ event }) => [event.id, coins.next().value as boolean]));
          const keys = receipts.flatMap((receipt) =>
            receipt.status === 'accepted' && fate.get(receipt.id) ? keyOf(receipt.receipt)! : [],
          );
          if (batches % 2 === 0) await countAll(one);
          await withdrawEvents(one, clock, keys);
          await tellSeason(
            other,
            accepted.filter(({ event }) => !fate.get(event.id)),
          );
          await Promise.all([countAll(one), countAll(other)]);
          same(await likenessOf(one), await likenessOf(other));
        },
      ),
      { numRuns: dialect === 'sqlite' ? 60 : 20 },
    );
  });
}

async function countAll(db: Db): Promise<void> {
  while (await followMatches(db, 'UTC', clock.now()));
}

function same(found: Likeness, wanted: Likeness): void {
  for (const table of Object.keys(wanted)) assert.deepEqual(found[table], wanted[table], table);
}
