import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { additions, type Group, GROUP_NAMES, GROUPS, sightings } from '#records/player-stats.ts';
import { onEachDatabase, testHall } from '../support/hall.ts';

const PLAYERS = [1, 2, 3];

/** Sums of some players of one group, each player once at most. */
const added = fc.constantFrom(...GROUP_NAMES).chain((group) =>
  fc.record({
    group: fc.constant(group),
    rows: fc.uniqueArray(
      fc.tuple(
        fc.array(fc.oneof(fc.nat(9), fc.constantFrom(2 ** 52, -1)), {
          minLength: GROUPS[group].length,
          maxLength: GROUPS[group].length,
        }),
        fc.nat(99),
        fc.option(fc.nat(99)),
        fc.constantFrom(...PLAYERS),
      ),
      { selector: ([, , , key]) => key, maxLength: 3 },
    ),
  }),
);

async function counted(db: Db, all: { group: Group; rows: (number | null)[][] }[], apart: boolean): Promise<unknown> {
  await db.run(sql`delete from player_stats`);
  await db.runAll(sightings(PLAYERS.map((key) => [0, null, key])));
  for (const { group, rows } of all) await db.runAll(additions(group, rows, apart));
  // As text: what is counted may be more than a number holds.
  const columns = GROUP_NAMES.flatMap((group) => GROUPS[group].map((one) => `cast(${group}_${one} as text)`));
  const strings = [`select name_seen, last_match, ${columns.join(', ')} from player_stats order by player_key`];
  return await db.tuples({ strings, values: [] });
}

onEachDatabase('counters come to the same whether rows are written together or apart', async (t, url) => {
  const { db } = await testHall(t, url);
  await db.runAll(
    PLAYERS.map(
      (key) => sql`
        insert into players (key, uuid, name, name_key, name_since, last_login_server)
        values (${key}, ${`u${key}`}, 'x', 'x', 0, '')`,
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(added, { maxLength: 5 }), async (all) => {
      const plain = all.map(({ group, rows }) => ({
        group,
        rows: rows.map(([sums, seen, last, key]) => [...sums, seen, last, key]),
      }));
      assert.deepEqual(await counted(db, plain, true), await counted(db, plain, false));
    }),
    { numRuns: 50 },
  );
});
