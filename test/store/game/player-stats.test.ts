import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Db } from '#db/db.ts';
import { type Sql, sql } from '#db/sql.ts';
import { listTables } from '#db/transfer/schema.ts';
import { BOARD_COUNTERS } from '#store/game/leaderboards/leaderboards.ts';
import { type Added, additions, groupColumns, observations } from '#store/game/player-stats.ts';
import { countersOf, GROUP_NAMES } from '#store/game/statistics-groups.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';

const PLAYERS = [1, 2, 3];

interface Gain {
  player: number;
  seen: number;
  added: Added[];
}

const addedTo = (group: Added['group']): fc.Arbitrary<Added> => {
  const { length } = countersOf(group);
  const sum = fc.oneof(fc.nat(9), fc.constantFrom(2 ** 52, -1));
  return fc.record({ group: fc.constant(group), sums: fc.array(sum, { minLength: length, maxLength: length }) });
};

/** The additions to one player's counters, at most one for each group. */
const gain: fc.Arbitrary<Gain> = fc.record({
  player: fc.constantFrom(...PLAYERS),
  seen: fc.nat(99),
  added: fc.shuffledSubarray(GROUP_NAMES, { minLength: 1 }).chain((groups) => fc.tuple(...groups.map(addedTo))),
});

const additionsOf = ({ player, seen, added }: Gain): Sql[] =>
  added.flatMap(({ group, sums }) => additions(group, [[...sums, seen, player]]));

/** The expected rows of all players. The sums are text, because they may exceed 2^53. */
function expected(gains: readonly Gain[]): unknown[][] {
  return PLAYERS.map((key) => {
    const own = gains.filter(({ player }) => player === key);
    const { seen } = own.at(-1) ?? { seen: 0 };
    const added = own.flatMap((gain) => gain.added);
    const sums = GROUP_NAMES.flatMap((group) =>
      countersOf(group).map((_, place) =>
        added.reduce((sum, addition) => sum + BigInt(addition.group === group ? addition.sums[place]! : 0), 0n),
      ),
    );
    return [seen, ...sums.map(String)];
  });
}

async function addPlayers(db: Db): Promise<void> {
  await db.runAll(
    PLAYERS.map(
      (key) => sql`
        insert into players (key, uuid, name, name_key, name_since, last_login_server)
        values (${key}, ${`u${key}`}, 'x', 'x', 0, '')`,
    ),
  );
}

async function counted(db: Db, statements: Sql[]): Promise<unknown> {
  await db.run(sql`delete from player_stats`);
  await db.runAll(observations(PLAYERS.map((key) => [0, key])));
  await db.runAll(statements);
  // As text, because the sums may exceed 2^53.
  const columns = GROUP_NAMES.flatMap(groupColumns).map((column) => `cast(${column} as text)`);
  const strings = [`select name_seen, ${columns.join(', ')} from player_stats order by player_key`];
  return await db.tuples({ strings, values: [] });
}

onEachDatabase('the columns of counters are those of the groups and of the leaderboards', async (t, url) => {
  const { db } = await testContext(t, url);
  const tables = await listTables(db);
  const columns = (name: string): string[] =>
    tables.find((table) => table.name === name)!.columns.map((column) => column.name);
  const expected: Record<string, string[]> = {
    player_stats: ['player_key', 'name_seen', ...GROUP_NAMES.flatMap(groupColumns)],
    boards: ['bucket', 'mode', 'player_key', ...BOARD_COUNTERS],
  };
  for (const [table, names] of Object.entries(expected)) {
    const found = columns(table);
    const difference = {
      withoutMigration: names.filter((name) => !found.includes(name)),
      inNoGroup: found.filter((name) => !names.includes(name)),
    };
    assert.deepEqual(difference, { withoutMigration: [], inNoGroup: [] }, table);
  }
});

onEachDatabase('counters are the exact sums of their additions, even beyond 2^53', async (t, url) => {
  const { db } = await testContext(t, url);
  await addPlayers(db);
  await fc.assert(
    fc.asyncProperty(fc.array(gain, { maxLength: 5 }), async (gains) => {
      assert.deepEqual(await counted(db, gains.flatMap(additionsOf)), expected(gains));
    }),
    { numRuns: 50 },
  );
});

onEachDatabase('rows of several players of one group are added in few statements', async (t, url) => {
  const { db } = await testContext(t, url);
  await addPlayers(db);
  const rows = PLAYERS.map((key) => [key, 2, 1, 60, 5, key]);
  const statements = additions('tntrun', rows);
  assert.equal(statements.length, 2);
  await db.runAll([...statements, ...additions('tntrun', rows.slice(1))]);
  assert.deepEqual(
    await db.tuples(sql`select player_key, tntrun_win, tntrun_time, name_seen from player_stats order by player_key`),
    [
      [1, 1, 60, 5],
      [2, 4, 120, 5],
      [3, 6, 120, 5],
    ],
  );
});
