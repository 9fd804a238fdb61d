import assert from 'node:assert/strict';
import { idOf, keyOf } from '#platform/ids.ts';
import { setCounted } from '#events/handlers/match-counting.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { createWithdrawal } from '#events/jobs/withdrawal.ts';
import { runJob, runJobs } from '#events/jobs/runner.ts';
import { runJobsOnce } from '#server/jobs.ts';
import { isExcluded } from '#store/game/excluded-matches.ts';
import { COUNTERS } from '#store/game/statistics-groups.ts';
import type { DataOf, WireEvent } from '#events/schema/index.ts';
import { page } from '#test/site/request.ts';
import { testApi } from '#test/support/api.ts';
import { after, configured, event, match, person, sendEvents, team } from '#test/support/builders.ts';
import { onEachDatabase, onSqlite, type TestAppContext, testContext } from '#test/support/context.ts';
import { canonicalDumpOf, resetTables } from './canonical-dump.ts';

type Declared = Omit<DataOf<'counter.declared'>, 'key'>;
const declared = (key: string, data: Partial<Declared> = {}): WireEvent =>
  event('counter.declared', { key, label: { en: key, ja: '' }, ...data } as DataOf<'counter.declared'>);

const CHEAT = 1_000_000_000;

/** A match of ten minutes in which player 1 has this many kills. */
const fought = (kills: number, data: object = {}) =>
  match({
    ...{ map: 'Isle', gamemode: 'tdm', win: 'Red', started: after(-600_000), finished: after(0) },
    teams: [team('Red', { ...person(1), kill_count: kills, time_played: 600 }), team('Blue', 2)],
    ...data,
  });

const stateOf = async (context: TestAppContext) => {
  await runJobs(context);
  await runJobsOnce(context);
  return await canonicalDumpOf(context.db);
};

onEachDatabase(
  'a match with values that no game gives is shown, and counts nowhere until an operator says so',
  async (t, url) => {
    const { context, get } = await testApi(t, url);
    const { db, clock } = context;
    await sendEvents(context, configured('Alpha'), fought(5));
    const events = [fought(CHEAT)];
    const [receipt] = await ingestEvents(db, clock, { kind: 'operator' }, events);
    assert.match(JSON.stringify(receipt), /"accepted".*is 1000000000, more than a player can reach in 600 s/);
    const id = (receipt as { receipt: string }).receipt;
    await runJobsOnce(context);
    const player = async () => (await get('/v1/players/Player1?fields=total,teampvp,matches')).json;
    const { total, teampvp, matches } = await player();
    assert.deepEqual([total.kill_count, total.play_count, teampvp.kill_count, teampvp.kill_count_rank], [5, 1, 5, 1]);
    assert.deepEqual([matches.length, matches[0].kill_count], [2, CHEAT], 'his list has the match');
    assert.equal((await get(`/v1/matches/${id}`)).json.kill_count, CHEAT);
    assert.equal((await get('/v1/matches')).json[0].id, id);
    const board = () => page(context, '/leaderboards');
    assert.doesNotMatch(await board(), /1,000,000,0/);
    const mark = /counts in no statistics, leaderboards or ranks/;
    assert.match(await page(context, `/matches/${id}`), mark);
    assert.match(await page(context, `/matches/${id}?lang=ja`), /統計、ランキング、順位には数えません/);
    const excluded = await stateOf(context);

    assert.equal(await setCounted(db, clock, keyOf(id)!, true), undefined);
    assert.equal(await setCounted(db, clock, keyOf(id)!, true), 'unchanged');
    await runJobsOnce(context);
    assert.equal((await player()).total.kill_count, CHEAT + 5);
    assert.match(await board(), /1,000,000,005/);
    assert.doesNotMatch(await page(context, `/matches/${id}`), mark);

    assert.equal(await setCounted(db, clock, keyOf(id)!, false), undefined);
    assert.deepEqual(await stateOf(context), excluded);
    assert.equal(await setCounted(db, clock, 17, false), 'no_match');
  },
);

onEachDatabase(
  'excluding and counting a match leaves all tables as they were, merged players included',
  async (t, url) => {
    const context = await testContext(t, url);
    const { db, clock } = context;
    const merged = event('player.merged', { from: person(3).uuid, into: person(1).uuid });
    const both = [
      team('Red', { ...person(1), kill_count: 2, counters: { wools: 2 } }, { ...person(3), kill_count: 4 }),
      team('Blue', { ...person(2), counters: { wools: 7, streak: 9 } }),
    ];
    await sendEvents(
      context,
      configured('Alpha'),
      declared('wools'),
      declared('streak', { aggregate: 'max' }),
      fought(1),
    );
    const [before] = await sendEvents(context, fought(0, { gamemode: 'ctw', teams: both }));
    await sendEvents(context, merged);
    const [later] = await sendEvents(context, fought(0, { teams: both }));
    const wanted = await stateOf(context);
    for (const id of [before!, later!]) {
      assert.equal(await setCounted(db, clock, keyOf(id)!, false), undefined);
      assert.notDeepEqual((await stateOf(context))['player_counters'], wanted['player_counters']);
      assert.equal(await setCounted(db, clock, keyOf(id)!, true), undefined);
      assert.deepEqual(await stateOf(context), wanted, id);
    }
  },
);

/** The tables of a network after these acts on a match that its two UUIDs of player 1 played. */
async function after3(context: TestAppContext, ...acts: ('exclude' | 'merge' | 'count' | 'withdraw')[]) {
  const { db, clock } = context;
  const both = [team('Red', { ...person(1), kill_count: 2 }, { ...person(3), kill_count: 4 })];
  await sendEvents(context, configured('Alpha'), fought(1));
  const [id] = (await sendEvents(context, { ...fought(0, { teams: both }), id: 'the match' })) as [string];
  const ACTS = {
    exclude: async () => assert.equal(await setCounted(db, clock, keyOf(id)!, false), undefined),
    count: async () => assert.equal(await setCounted(db, clock, keyOf(id)!, true), undefined),
    merge: async () =>
      void (await sendEvents(context, {
        ...event('player.merged', { from: person(3).uuid, into: person(1).uuid }),
        id: 'the merge',
      })),
    withdraw: async () => void (await runJob(context, await createWithdrawal(db, clock, { keys: [keyOf(id)!] }))),
  };
  for (const act of acts) {
    await ACTS[act]();
    await runJobs(context);
  }
  return withoutNames(await stateOf(context));
}

/** Without the ids of events, which differ from run to run. */
const withoutNames = ({ ledger: _, ...dump }: Awaited<ReturnType<typeof canonicalDumpOf>>) =>
  JSON.stringify(dump).replaceAll(/event-\d+/g, '#');

onEachDatabase('a merge and a withdrawal of an excluded match subtract nothing', async (t, url) => {
  const run = async (...acts: Parameters<typeof after3>[1][]) => {
    const context = await testContext(t, url);
    await resetTables(context.db);
    return await after3(context, ...acts);
  };
  assert.deepEqual(await run('exclude', 'merge', 'count'), await run('merge'));
  assert.deepEqual(await run('merge', 'exclude', 'count'), await run('merge'));
  assert.deepEqual(await run('exclude', 'withdraw'), await run('withdraw'));
  assert.deepEqual(await run('exclude', 'merge', 'withdraw'), await run('merge', 'withdraw'));
});

onSqlite('the bounds of each counter, and of objectives', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  await sendEvents(context, configured('Alpha'), declared('wools', { most: 20 }));
  const objective = { player: person(1), team: 'Red', type: 'flag', name: 'Blue flag', time: after(-1) } as const;
  const bounds: [string, (value: number) => object, number][] = [
    ...(['kill', 'death', 'shot', 'hit', 'paint', 'time', 'score'] as const).map((counter): (typeof bounds)[number] => {
      const { wire, most } = COUNTERS[counter];
      const teams = (value: number) => ({ teams: [team('Red', { ...person(1), [wire]: value })] });
      return [wire, teams, most.base + most.perSecond * 600];
    }),
    ['objectives', (value) => ({ objectives: Array.from({ length: value }, () => objective) }), 700],
    ['wools', (value) => ({ teams: [team('Red', { ...person(1), counters: { wools: value } })] }), 20],
  ];
  for (const [name, data, most] of bounds) {
    for (const value of [most, most + 1]) {
      const [receipt] = (await ingestEvents(db, clock, { kind: 'operator' }, [fought(0, data(value))])) as any[];
      assert.equal(receipt.status, 'accepted', JSON.stringify(receipt));
      const isPlausible = value === most;
      assert.deepEqual(
        [await isExcluded(db, keyOf(receipt.receipt)!), receipt.warnings === undefined],
        [!isPlausible, isPlausible],
        `${name} ${value}`,
      );
    }
  }
  const day = fought(0, { started: after(-86_400_001), finished: after(0) });
  const [long] = (await sendEvents(context, day)) as [string];
  assert.ok(await isExcluded(db, keyOf(long)!), idOf(0));
});
