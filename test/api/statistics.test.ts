import assert from 'node:assert/strict';
import { testApi } from '#test/support/api.ts';
import { after, configured, match, person, statistics, team, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';

const [ADA, BOB] = [person(1, 'Ada'), person(2, 'Bob')];
const GROUPS = [
  ...['bowspleef', 'cp', 'ctw', 'factions', 'kills', 'matches', 'objective', 'paintball', 'splatt', 'teampvp'],
  ...['total', 'tntrun'],
];

type Counts = Partial<{ score: number; kill_count: number; death_count: number; time_played: number }> & {
  shot_count?: number;
  hit_count?: number;
  paint_count?: number;
};

/** A match of Ada in Red against Bob in Blue. */
function duel(gamemode: string, win: string, counts: Counts, achieved: string[] = []) {
  const objectives = achieved.map((type) => ({
    player: ADA,
    team: 'Red',
    type: type as 'wool',
    name: type,
    time: after(-1),
  }));
  const others = { player: BOB, team: 'Blue', type: 'wool' as const, name: 'theirs', time: after(-1) };
  const nobodys = { player: null, team: 'Blue', type: 'core' as const, name: "nobody's", time: after(-1) };
  const teams = [team('Red', { ...ADA, ...counts }), team('Blue', { ...BOB, kill_count: 100, time_played: 1000 })];
  return match({ gamemode, win, teams, objectives: [...objectives, others, nobodys] });
}

/** The counters that most groups have. */
const counters = (kill: number, death: number, win: number, lose: number, play: number, time: number) => ({
  ...{ kill_count: kill, death_count: death },
  ...{ win_count: win, lose_count: lose, play_count: play, time_played: time },
});

onEachDatabase('the twelve field groups, calculated by hand', async (t, url) => {
  const { context, get } = await testApi(t, url);
  await sendEvents(context, configured('Alpha'));
  await sendEvents(
    context,
    duel('ctw', 'Red', { kill_count: 3, death_count: 2, time_played: 60 }, ['wool', 'wool', 'core']),
    duel('CTW', 'Blue', { kill_count: 1, death_count: 5, time_played: 40 }),
    duel('ctw', '', { kill_count: 2, death_count: 0, time_played: 5 }, ['wool']),
    duel('cp', 'Red', { kill_count: 1, death_count: 1, time_played: 10 }, ['control_point']),
    duel('koth', 'Blue', { kill_count: 2, death_count: 3, time_played: 20 }),
    duel('dtc', 'Red', { kill_count: 1, time_played: 1 }, ['core', 'core', 'destroyable']),
    duel('dtm', 'Blue', { kill_count: 2, death_count: 1, time_played: 2 }, ['destroyable']),
    duel('ctf', '', { kill_count: 4, death_count: 1, time_played: 4 }, ['flag', 'flag', 'wool']),
    duel('tdm', 'Red', { score: 10, kill_count: 9, death_count: 2, time_played: 100 }, ['other']),
    duel('blitz', 'Blue', { score: -4, kill_count: 1, death_count: 1, time_played: 200 }),
    duel('rage', '', { score: 1, kill_count: 2, death_count: 1, time_played: 400 }),
    duel('scorebox', 'Red', { score: 0, kill_count: 0, death_count: 0, time_played: 800 }, ['flag', 'wool']),
    duel('bowspleef', 'Red', { kill_count: 50, death_count: 50, time_played: 7 }),
    duel('bowspleef', 'Blue', { time_played: 8 }),
    duel('tntrun', '', { kill_count: 50, time_played: 9 }),
    duel('paintball', 'Red', { kill_count: 5, death_count: 4, shot_count: 30, hit_count: 12, time_played: 11 }),
    duel('splatt', 'Blue', { kill_count: 6, shot_count: 31, hit_count: 13, paint_count: 77, time_played: 12 }),
  );
  await sendEvents(
    context,
    statistics(ADA, { kill_count: 10, death_count: 4, time_played: 3, power: 9.5, faction: 'Foxes' }),
    statistics(ADA, { kill_count: 1, power: -1.25, faction: 'Wolves' }, { time: after(1) }),
    statistics(ADA, { death_count: 1, power: 3, faction: 'Late' }, { time: after(-1) }),
  );
  const { json } = await get(`/v1/players/ada?fields=${GROUPS.join()}`);
  const expected: Record<string, object> = {
    ctw: { ...counters(6, 7, 1, 1, 3, 105), wool_placed: 3 },
    cp: counters(3, 4, 1, 1, 2, 30),
    objective: { ...counters(7, 2, 1, 1, 3, 7), core_leaked: 2, destroyable_destroyed: 2, flag_captured: 2 },
    teampvp: { ...counters(12, 4, 2, 1, 4, 1500), score: 7, objective_completed: 3, kd_ratio: 3 },
    bowspleef: { win_count: 1, lose_count: 1, play_count: 2, time_played: 15 },
    tntrun: { win_count: 0, lose_count: 0, play_count: 1, time_played: 9 },
    paintball: { ...counters(5, 4, 1, 0, 1, 11), shot_count: 30, hit_count: 12 },
    splatt: { ...counters(6, 0, 0, 1, 1, 12), shot_count: 31, hit_count: 13, paint_count: 77 },
    factions: { kill_count: 11, death_count: 5, time_played: 3, power: -1.25, faction: 'Wolves' },
    total: counters(
      6 + 3 + 7 + 12 + 5 + 6 + 11,
      7 + 4 + 2 + 4 + 4 + 0 + 5,
      7,
      6,
      17,
      105 + 30 + 7 + 1500 + 15 + 9 + 11 + 12 + 3,
    ),
  };
  for (const [group, counts] of Object.entries(expected))
    await t.test(`${group} counts its matches`, async () => {
      assert.deepEqual(json[group], counts);
      assert.deepEqual((await get(`/v1/players/ada?fields=${group}`)).json[group], counts);
    });

  await t.test('a response has only the requested groups', async () => {
    const plain = Object.keys((await get('/v1/players/ada')).json);
    assert.deepEqual(Object.keys((await get('/v1/players/ada?fields=cp,%20total')).json), [...plain, 'cp', 'total']);
    for (const group of GROUPS) assert.ok(!plain.includes(group));
  });

  await t.test('players do not share counters', async () => {
    const { ctw, total } = (await get('/v1/players/bob?fields=ctw,total')).json;
    assert.deepEqual(ctw, { ...counters(300, 0, 1, 1, 3, 3000), wool_placed: 3 });
    assert.deepEqual([total.play_count, total.win_count, total.lose_count], [17, 6, 7]);
  });

  await t.test('a player without matches has zeros', async () => {
    await sendEvents(context, statistics(person(3, 'Cyd')));
    const cyd = (await get(`/v1/players/cyd?fields=${GROUPS.join()}`)).json;
    for (const [group, counts] of Object.entries(expected)) {
      assert.deepEqual(Object.keys(cyd[group]).sort(), Object.keys(counts).sort(), group);
      for (const value of Object.values(cyd[group])) assert.ok(value === 0 || value === '', group);
    }
    assert.deepEqual([cyd.kills, cyd.matches], [[], []]);
  });
});

onEachDatabase('the kill-death ratio of a player without deaths is the kill count', async (t, url) => {
  const { context, get } = await testApi(t, url);
  await sendEvents(context, configured('Alpha'));
  const ratio = async (): Promise<number> => (await get('/v1/players/ada?fields=teampvp')).json.teampvp.kd_ratio;
  await sendEvents(context, duel('tdm', '', { kill_count: 7 }));
  assert.equal(await ratio(), 7);
  await sendEvents(context, duel('tdm', '', { death_count: 1 }));
  assert.equal(await ratio(), 7);
  await sendEvents(context, duel('tdm', '', { death_count: 2 }));
  assert.equal(await ratio(), 7 / 3);
});

onEachDatabase('matches and kills are the newest twenty, newest first', async (t, url) => {
  const { context, get } = await testApi(t, url);
  await sendEvents(context, configured('Alpha'));
  const played: string[] = [];
  for (let number = 1; number <= 21; number++) {
    const teams = [team('Red', { ...ADA, score: number, kill_count: 2, death_count: 1 }), team('Blue', BOB)];
    const kills = [1, 2].map((n) => ({ killer: ADA.uuid, victim: BOB.uuid, time: after(number * 10 + n) }));
    const win = ['Red', 'Blue', ''][number % 3]!;
    const facts = { map: `Map ${number}`, gamemode: 'tdm', win, teams, kills, finished: after(1_000) };
    played.unshift(...(await sendEvents(context, match(facts))));
  }
  const { matches, kills } = (await get('/v1/players/ada?fields=matches,kills')).json;

  await t.test('21 matches show 20', () => {
    assert.equal(matches.length, 20);
    assert.deepEqual(
      matches.map(({ id }: { id: string }) => id),
      played.slice(0, 20),
    );
    assert.deepEqual(matches[0], {
      ...{ id: played[0], map: 'Map 21', gamemode: 'tdm', result: 'win', score: 21, kill_count: 2, death_count: 1 },
      ...{ started: '2026-03-01T11:50:00.000+00:00', finished: '2026-03-01T12:00:01.000+00:00' },
    });
    const results = matches.slice(0, 3).map(({ result }: { result: string }) => result);
    assert.deepEqual(results, ['win', 'draw', 'lose']);
  });

  await t.test('42 kills show 20', () => {
    assert.equal(kills.length, 20);
    assert.deepEqual(kills[0], {
      ...{ killer: ADA, victim: BOB, match: played[0], map: 'Map 21', time: '2026-03-01T12:00:00.212+00:00' },
    });
    assert.deepEqual(
      kills.map(({ match: id }: { match: string }) => id),
      played.slice(0, 10).flatMap((id) => [id, id]),
    );
    const times = kills.map(({ time }: { time: string }) => Date.parse(time)) as number[];
    assert.deepEqual(
      times,
      times.toSorted((a, b) => b - a),
    );
  });

  await t.test('a victim has no kills', async () => {
    assert.deepEqual((await get('/v1/players/bob?fields=kills')).json.kills, []);
  });
});
