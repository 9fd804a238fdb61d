import assert from 'node:assert/strict';
import fc from 'fast-check';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { PlaceCountChanges, placesOf } from '#store/game/place-counts.ts';
import { onEachDatabase } from '#test/support/context.ts';

const RANKING = { board: 0, mode: 'ctw', counter: 'kill' };
const LEVELS = 9;

/** Small values, those around the bounds of buckets of each level, and any. */
const value = fc.oneof(
  fc.nat(200),
  fc
    .tuple(fc.nat(LEVELS - 1), fc.integer({ min: 1, max: 64 }), fc.integer({ min: -1, max: 1 }))
    .map(([level, times, away]) => Math.min(64 ** level * times + away, Number.MAX_SAFE_INTEGER)),
  fc.maxSafeNat(),
);

onEachDatabase('the place of every value is that of a plain count', async (_, url) => {
  await using db = await openDb(url);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(value, value), { maxLength: 60 }), async (moves) => {
      const changes = new PlaceCountChanges();
      for (const [before, now] of moves) {
        changes.move(RANKING, 0, before);
        changes.move(RANKING, before, now);
      }
      await db.transaction(async (tx) => {
        await tx.run(sql`delete from place_counts`);
        await tx.runAll(changes.statements());
      });
      const values = moves.map(([, now]) => now);
      const of = values.filter((one) => one > 0).length;
      const places = await placesOf(
        db,
        values.map((one) => ({ ...RANKING, value: one })),
      );
      for (const [index, one] of values.entries())
        if (one > 0)
          assert.deepEqual(places[index], { place: 1 + values.filter((other) => other > one).length, of }, `${one}`);
    }),
    { numRuns: 50 },
  );
});
