import assert from 'node:assert/strict';
import { testApi } from '#test/support/api.ts';
import { countRanks } from '#store/game/teampvp-ranks.ts';
import { ask } from '#test/support/request.ts';
import { after, configured, map, match, person, statistics, team, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase, testServices } from '#test/support/context.ts';

const [ADA, BOB, CYD] = [person(1, 'Ada'), person(2, 'Bob'), person(3, 'Cyd')];
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

/** The members of a group without its lists and ranks. */
const countersIn = (group: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(group).filter(([name, value]) => !Array.isArray(value) && !/_rank$/.test(name)));

const idsOf = (items: { id: string }[]): string[] => items.map(({ id }) => id);

/** The location of a kill that was reported without one. */
const UNKNOWN_PLACE = { world: null, x: null, y: null, z: null };
/** The location at which Red completed an objective. */
const place = (map: string, id: string | undefined, color: string, ms: number) => ({
  ...{ map, match_id: id, team: 'Red', team_color: color, time: after(ms).replace('Z', '+00:00') },
});

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

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
    statistics(
      ADA,
      { kill_count: 1, power: -1.25, faction: 'Wolves', faction_id: 'f-7', faction_role: 'officer' },
      { time: after(1) },
    ),
    statistics(ADA, { death_count: 1, power: 3, faction: 'Late' }, { time: after(-1) }),
  );
  const { json } = await get(`/v1/players/ada?fields=${GROUPS.join()}`);
  const expected: Record<string, object> = {
    ctw: { ...counters(6, 7, 1, 1, 3, 105), envdeath_count: 0, wool_placed: 3 },
    cp: { ...counters(3, 4, 1, 1, 2, 30), envdeath_count: 0 },
    objective: {
      ...counters(7, 2, 1, 1, 3, 7),
      ...{ envdeath_count: 0, core_leaked: 2, destroyable_destroyed: 2, flag_captured: 2 },
    },
    teampvp: { ...counters(12, 4, 2, 1, 4, 1500), envdeath_count: 0, score: 7, objective_completed: 3, kd_ratio: 3 },
    bowspleef: { win_count: 1, lose_count: 1, play_count: 2, time_played: 15 },
    tntrun: { win_count: 0, lose_count: 0, play_count: 1, time_played: 9 },
    paintball: { ...counters(5, 4, 1, 0, 1, 11), shot_count: 30, hit_count: 12 },
    splatt: { ...counters(6, 0, 0, 1, 1, 12), shot_count: 31, hit_count: 13, paint_count: 77 },
    factions: {
      ...{ kill_count: 11, death_count: 5, time_played: 3 },
      ...{ power: -1, faction: 'Wolves', faction_id: 'f-7', faction_role: 'officer' },
    },
    total: {
      ...{ envdeath_count: 0, shot_count: 61, hit_count: 25 },
      ...counters(
        6 + 3 + 7 + 12 + 5 + 6 + 11,
        7 + 4 + 2 + 4 + 4 + 0 + 5,
        7,
        6,
        17,
        105 + 30 + 7 + 1500 + 15 + 9 + 11 + 12 + 3,
      ),
    },
  };
  for (const [group, counts] of Object.entries(expected))
    await t.test(`${group} counts its matches`, async () => {
      assert.deepEqual(countersIn(json[group]), counts);
      assert.deepEqual((await get(`/v1/players/ada?fields=${group}`)).json[group], json[group]);
    });

  await t.test('a response has only the requested groups', async () => {
    const plain = Object.keys((await get('/v1/players/ada')).json);
    assert.deepEqual(Object.keys((await get('/v1/players/ada?fields=cp,%20total')).json), [...plain, 'cp', 'total']);
    for (const group of GROUPS) assert.ok(!plain.includes(group));
  });

  await t.test('players do not share counters', async () => {
    const { ctw, total } = (await get('/v1/players/bob?fields=ctw,total')).json;
    assert.deepEqual(countersIn(ctw), { ...counters(300, 0, 1, 1, 3, 3000), envdeath_count: 0, wool_placed: 3 });
    assert.deepEqual([total.play_count, total.win_count, total.lose_count], [17, 6, 7]);
  });

  await t.test('a player without matches has zeros', async () => {
    await sendEvents(context, statistics(CYD));
    const cyd = (await get(`/v1/players/cyd?fields=${GROUPS.join()}`)).json;
    for (const [group, counts] of Object.entries(expected)) {
      assert.deepEqual(Object.keys(cyd[group]), Object.keys(json[group]), group);
      assert.deepEqual(Object.keys(countersIn(cyd[group])).sort(), Object.keys(counts).sort(), group);
      for (const value of Object.values(cyd[group]))
        assert.ok(value === 0 || value === '' || isEmptyList(value), group);
    }
    assert.deepEqual([cyd.kills, cyd.deaths, cyd.matches], [[], [], []]);
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

onEachDatabase('matches, kills and deaths are the newest twenty, newest first', async (t, url) => {
  const { context, get } = await testApi(t, url);
  await sendEvents(context, configured('Alpha'));
  const played: string[] = [];
  for (let number = 1; number <= 21; number++) {
    const teams = [team('Red', { ...ADA, score: number, kill_count: 2, death_count: 1 }), team('Blue', BOB)];
    const location = { world: 'arena', x: number, y: 64.5, z: -3.25 };
    const kills = [
      { killer: ADA.uuid, victim: BOB.uuid, time: after(number * 10 + 1) },
      { killer: ADA.uuid, victim: BOB.uuid, location, time: after(number * 10 + 2) },
      { killer: null, victim: ADA.uuid, time: after(number * 10 + 3) },
    ];
    const win = ['Red', 'Blue', ''][number % 3]!;
    const facts = { map: `Map ${number}`, gamemode: 'tdm', win, teams, kills, finished: after(1_000) };
    played.unshift(...(await sendEvents(context, match(facts))));
  }
  const ada = (await get('/v1/players/ada?fields=matches,kills')).json;
  const { matches, kills, deaths } = ada;

  await t.test('21 matches show 20', () => {
    assert.equal(matches.length, 20);
    assert.deepEqual(
      matches.map(({ id }: { id: string }) => id),
      played.slice(0, 20),
    );
    assert.deepEqual(matches[0], {
      ...{ id: played[0], map: 'Map 21', gamemode: 'tdm', result: 'win', score: 21 },
      ...{ kill_count: 2, death_count: 1, envdeath_count: 1 },
      ...{ started: '2026-03-01T11:50:00.000+00:00', finished: '2026-03-01T12:00:01.000+00:00' },
      time: '2026-03-01T12:00:01.000+00:00',
    });
    const results = matches.slice(0, 3).map(({ result }: { result: string }) => result);
    assert.deepEqual(results, ['win', 'draw', 'lose']);
  });

  await t.test('42 kills show 20', () => {
    assert.equal(kills.length, 20);
    assert.deepEqual(kills[0], {
      ...{ killer: 'Ada', killer_uuid: ADA.uuid, victim: 'Bob', victim_uuid: BOB.uuid, match_id: played[0] },
      ...{ map: 'Map 21', location: { world: 'arena', x: 21, y: 64, z: -4 }, time: '2026-03-01T12:00:00.212+00:00' },
    });
    assert.deepEqual(kills[1].location, UNKNOWN_PLACE);
    assert.deepEqual(
      kills.map(({ match_id: id }: { match_id: string }) => id),
      played.slice(0, 10).flatMap((id) => [id, id]),
    );
    const times = kills.map(({ time }: { time: string }) => Date.parse(time)) as number[];
    assert.deepEqual(
      times,
      times.toSorted((a, b) => b - a),
    );
  });

  await t.test('deaths without a killer are deaths of the victim and kills of nobody', async () => {
    assert.equal(deaths.length, 20);
    assert.deepEqual(deaths[0], {
      ...{ killer: '', killer_uuid: '', victim: 'Ada', victim_uuid: ADA.uuid, match_id: played[0] },
      ...{ map: 'Map 21', location: UNKNOWN_PLACE, time: '2026-03-01T12:00:00.213+00:00' },
    });
    const { teampvp, total } = (await get('/v1/players/ada?fields=teampvp,total')).json;
    assert.deepEqual([teampvp.death_count, teampvp.envdeath_count], [21, 21]);
    assert.deepEqual([total.death_count, total.envdeath_count], [21, 21]);
  });

  await t.test('a victim has deaths, but no kills', async () => {
    const bob = (await get('/v1/players/bob?fields=kills')).json;
    assert.deepEqual([bob.kills, bob.deaths], [[], kills]);
  });

  for (const [name, group, count] of [
    ['matches', matches, 21],
    ['kills', kills, 42],
    ['deaths', deaths, 21],
  ] as const) {
    await t.test(`the list of ${name} shows all in pages, each once`, async () => {
      const walked: { id: string }[] = [];
      for (let page = (await get(`/v1/players/ada/${name}?limit=4`)).json; page.length > 0;) {
        walked.push(...page);
        page = (await get(`/v1/players/ada/${name}?limit=4&max_id=${walked.at(-1)!.id}`)).json;
      }
      assert.equal(walked.length, count);
      assert.deepEqual(idsOf(walked), idsOf(walked).toSorted().reverse());
      const items = walked.slice(0, 20).map(({ id, ...rest }) => (name === 'matches' ? { id, ...rest } : rest));
      assert.deepEqual(items, group);
      const whole = (await get(`/v1/players/ada/${name}?limit=100`)).json;
      for (const bound of [
        '0',
        'zzz',
        walked[7]!.id.slice(0, 11),
        `${walked[7]!.id}0`,
        `${played[3]}!`,
        `${played[3]}zzzz`,
        '~',
      ]) {
        const { json } = await get(`/v1/players/ada/${name}?limit=100&max_id=${bound}`);
        assert.deepEqual(
          json,
          whole.filter(({ id }: { id: string }) => id < bound),
          bound,
        );
      }
      assert.equal((await get(`/v1/players/nobody/${name}`)).status, 404);
      assert.equal((await get(`/v1/players/me/${name}`)).status, 403);
    });
  }
});

onEachDatabase(
  'wools, cores and destroyables are listed with their match and the colour of the team',
  async (t, url) => {
    const { context, get } = await testApi(t, url);
    const colours = {
      teams: [
        { name: 'Red', color: 'dark red' },
        { name: 'blue', color: 'aqua' },
      ],
    };
    await sendEvents(context, configured('Alpha'), map('Twin Peaks', colours));
    const by = (player: typeof ADA, type: 'wool' | 'core' | 'destroyable' | 'flag', name: string, ms: number) => ({
      ...{ player, team: player === ADA ? 'Red' : 'Blue', type, name, color: `${name} colour`, time: after(ms) },
    });
    const objectives = [
      by(ADA, 'wool', 'Lime', -9),
      by(BOB, 'core', 'Core', -8),
      by(ADA, 'core', 'Bob’s core', -7),
      { ...by(ADA, 'destroyable', 'Gate', -6), percent: 37.5 },
      by(ADA, 'destroyable', 'Tower', -5),
      by(ADA, 'flag', 'Flag', -4),
    ];
    const teams = [team('Red', ADA), team('Blue', BOB)];
    const [first] = await sendEvents(context, match({ gamemode: 'dtc', teams, objectives }));
    const [second] = await sendEvents(
      context,
      match({ map: 'Unknown', gamemode: 'ctw', teams, objectives: [objectives[0]!] }),
    );
    const { ctw, objective } = (await get('/v1/players/ada?fields=ctw,objective')).json;
    const here = (ms: number) => place('Twin Peaks', first, 'dark red', ms);
    assert.deepEqual(ctw.wool_places, [
      { color: 'Lime colour', ...place('Unknown', second, '', -9) },
      { color: 'Lime colour', ...here(-9) },
    ]);
    assert.deepEqual(objective.core_leaks, [{ name: 'Bob’s core', ...here(-7) }]);
    assert.deepEqual(objective.destroys, [
      { name: 'Tower', ...here(-5), percent: 100 },
      { name: 'Gate', ...here(-6), percent: 37.5 },
    ]);
    assert.deepEqual([ctw.wool_placed, objective.core_leaked, objective.destroyable_destroyed], [1, 1, 2]);
    const bob = (await get('/v1/players/bob?fields=objective')).json.objective;
    assert.equal(bob.core_leaks[0].team_color, 'aqua', 'team names compare in any case');
    for (let more = 0; more < 10; more++) {
      await sendEvents(context, match({ gamemode: 'dtm', teams, objectives: objectives.slice(1, 5) }));
    }
    const { core_leaks, destroys, destroyable_destroyed } = (await get('/v1/players/ada?fields=objective')).json
      .objective;
    assert.deepEqual([core_leaks.length, destroys.length, destroyable_destroyed], [11, 20, 22]);
  },
);

onEachDatabase('ranks compare all players of teampvp, as of the last count', async (t, url) => {
  const { context, token } = await testApi(t, url);
  const dan = person(4, 'Dan');
  await sendEvents(
    context,
    configured('Alpha'),
    match({
      win: 'Red',
      teams: [
        team('Red', { ...ADA, kill_count: 6, death_count: 3, time_played: 10 }),
        team('Blue', { ...BOB, kill_count: 6, time_played: 30 }, { ...CYD, kill_count: 1, death_count: 5 }),
      ],
      objectives: [{ player: CYD, team: 'Blue', type: 'other', name: 'x', time: after(-1) }],
    }),
    match({ gamemode: 'ctw', teams: [team('Red', { ...dan, kill_count: 99 })] }),
  );
  const { API } = await testServices(context, ['API']);
  const ranks = async (name: string): Promise<number[]> => {
    const { teampvp } = (await ask(API!, `/v1/players/${name}?fields=teampvp`, { token })).json;
    return ['kill_count', 'win_count', 'kd_ratio', 'objective_completed', 'time_played'].map(
      (of) => teampvp[`${of}_rank`],
    );
  };
  assert.deepEqual(await ranks('ada'), [1, 1, 1, 1, 1], 'nobody is counted yet');
  while (await countRanks(context.db));
  assert.deepEqual(await ranks('ada'), [1, 1, 2, 2, 2]);
  assert.deepEqual(await ranks('bob'), [1, 2, 1, 2, 1]);
  assert.deepEqual(await ranks('cyd'), [3, 2, 3, 1, 3]);
  assert.deepEqual(await ranks('dan'), [0, 0, 0, 0, 0], 'a player without a match of teampvp has no rank');
});
