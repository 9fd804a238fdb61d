import assert from 'node:assert/strict';
import { testApi } from '#test/support/api.ts';
import { after, configured, match, person, sendEvents, team } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';

const HEAD = ['id', 'map', 'server', 'gamemode', 'ranked', 'win', 'kill_count', 'death_count', 'started', 'finished'];
const PLAIN = [...HEAD, 'permalink_url'];

onEachDatabase('a match has its teams, players and objectives', async (t, url) => {
  const { context, get } = await testApi(t, url, { TIME_ZONE: 'Asia/Kathmandu', SITE_URL: 'https://example.org' });
  await sendEvents(context, configured('Alpha'));
  const objectives = [
    {
      player: person(1, 'Ada'),
      team: 'Red',
      type: 'wool',
      name: 'Blue "Wool"',
      color: 'blue',
      percent: 50,
      time: after(-2),
    },
    { player: null, team: '', type: 'control_point', name: 'Hill', time: after(-1) },
  ] as const;
  const teams = [
    team('Red', { ...person(1, 'Ada'), score: -3, kill_count: 2, death_count: 1, shot_count: 9, hit_count: 4 }),
    { ...team('Blue', person(2, 'Bob'), { ...person(3, 'Cyd'), kill_count: 1, paint_count: 8 }), score: 50 },
    { name: 'Nobody', kill_count: 5, players: [] },
  ];
  const [id] = await sendEvents(
    context,
    match({ gamemode: 'CTW', ranked: true, win: 'Red', teams, objectives: [...objectives] }, { id: 'whole' }),
  );
  const one = (await get(`/v1/matches/${id}`)).json;

  await t.test('a single match always has its teams, and objectives on request', async () => {
    assert.deepEqual(Object.keys(one), [...PLAIN, 'teams']);
    const { teams: _, ...head } = one;
    assert.deepEqual(head, {
      id,
      map: 'Twin Peaks',
      server: 'Alpha',
      gamemode: 'CTW',
      ranked: true,
      win: 'Red',
      kill_count: 2 + 1 + 5,
      death_count: 1,
      started: '2026-03-01T17:35:00.000+05:45',
      finished: '2026-03-01T17:45:00.000+05:45',
      permalink_url: `https://example.org/matches/${id}`,
    });
    for (const fields of ['', 'teams', '%20teams%20,', ',,'])
      assert.deepEqual((await get(`/v1/matches/${id}?fields=${fields}`)).json, one);
    const both = (await get(`/v1/matches/${id}?fields=objectives`)).json;
    assert.deepEqual(Object.keys(both), [...PLAIN, 'teams', 'objectives']);
    assert.deepEqual(both.objectives, [
      {
        ...{
          player: 'Ada',
          player_uuid: person(1).uuid,
          team: 'Red',
          type: 'wool',
          name: 'Blue "Wool"',
          color: 'blue',
        },
        time: '2026-03-01T17:44:59.998+05:45',
      },
      {
        ...{ player: '', player_uuid: '', team: '', type: 'control_point', name: 'Hill', color: '' },
        time: '2026-03-01T17:44:59.999+05:45',
      },
    ]);
  });

  await t.test('the sums of a team are those reported, or else those of its players', () => {
    const zero = { score: 0, kill_count: 0, death_count: 0, shot_count: 0, hit_count: 0, paint_count: 0 };
    assert.deepEqual(one.teams, [
      {
        ...{ name: 'Red', score: -3, kill_count: 2, death_count: 1 },
        players: [
          {
            ...person(1, 'Ada'),
            score: -3,
            kill_count: 2,
            death_count: 1,
            shot_count: 9,
            hit_count: 4,
            paint_count: 0,
          },
        ],
      },
      {
        ...{ name: 'Blue', score: 50, kill_count: 1, death_count: 0 },
        players: [
          { ...person(2, 'Bob'), ...zero },
          { ...person(3, 'Cyd'), ...zero, kill_count: 1, paint_count: 8 },
        ],
      },
      { name: 'Nobody', score: 0, kill_count: 5, death_count: 0, players: [] },
    ]);
  });

  const list = async (query: string) => (await get(`/v1/matches?${query}`)).json[0];

  await t.test('lists have the fields that are requested', async () => {
    const { teams: listed, ...head } = one;
    assert.deepEqual(await list(''), head);
    assert.deepEqual(await list('fields='), head);
    assert.deepEqual(await list('fields=teams'), { ...head, teams: listed });
    assert.deepEqual(Object.keys(await list('fields=objectives')), [...PLAIN, 'objectives']);
    assert.deepEqual(Object.keys(await list('fields=objectives,%20teams,teams')), [...PLAIN, 'teams', 'objectives']);
  });

  await t.test('an unknown field is refused with the list of allowed fields', async () => {
    for (const fields of ['players', 'Teams', 'teams;objectives', 'teams,x', 'teams%00', '%FF', 'teams&fields=x'])
      for (const path of ['/v1/matches', `/v1/matches/${id}`, '/v1/matches/nothing']) {
        const reply = await get(`${path}?fields=${fields}`);
        assert.equal(reply.status, 400, `${path} ${fields}`);
        assert.match(reply.json.error_description, /^fields must /);
        if (/^[\w,]+$/.test(fields)) assert.match(reply.json.error_description, /teams, objectives/);
      }
  });

  await t.test('an id must match exactly', async () => {
    for (const wrong of [id!.toUpperCase(), `${id}0`, '00000000000', 'x', '%00', '%20', "' or 1=1"])
      assert.equal((await get(`/v1/matches/${encodeURI(wrong)}`)).status, 404, wrong);
    for (const broken of ['%', '%E4', '%ED%A0%80']) assert.equal((await get(`/v1/matches/${broken}`)).status, 400);
  });

  await t.test('a draw has no winner, and names may contain any characters', async () => {
    const name = '"}]\\ </script>\u2028🎮';
    const [drawn] = await sendEvents(context, match({ map: name, teams: [team(name, person(4, name))] }));
    const { json } = await get(`/v1/matches/${drawn}`);
    assert.deepEqual([json.win, json.map, json.teams[0].name, json.teams[0].players[0].name], ['', name, name, name]);
  });
});

onEachDatabase('matches are sorted by the time of their ingestion, not by when they were played', async (t, url) => {
  const { context, get } = await testApi(t, url);
  await sendEvents(context, configured('Alpha'));
  const [now] = await sendEvents(context, match());
  const [late] = await sendEvents(context, match({ started: after(-900_000_000), finished: after(-800_000_000) }));
  const ids = (await get('/v1/matches')).json.map((item: { id: string }) => item.id);
  assert.deepEqual(ids, [late, now]);
  context.clock.advance(-60_000);
  const [afterwards] = await sendEvents(context, match({}, { time: after(-60_000) }));
  assert.ok(afterwards! > late!, 'even where the clock steps back');
});

onEachDatabase(
  'concurrent requests for the newest matches each get their limit, with all matches ingested before',
  async (t, url) => {
    const { context, get } = await testApi(t, url);
    await sendEvents(context, configured('Alpha'));
    const ids: string[] = [];
    for (let round = 0; round < 4; round++) {
      ids.unshift(...(await sendEvents(context, match())));
      const limits = [1, 3, 2, 100, 3, 20, 1, 2];
      const answers = await Promise.all(limits.map((limit) => get(`/v1/matches?limit=${limit}&round=${round}`)));
      assert.deepEqual(
        answers.map(({ json }) => json.map(({ id }: { id: string }) => id)),
        limits.map((limit) => ids.slice(0, limit)),
      );
    }
  },
);

onEachDatabase(
  'a long list renders each match like the single match, with ASCII and with other characters',
  async (t, url) => {
    const { context, get } = await testApi(t, url);
    await sendEvents(context, configured('Alpha'));
    for (const map of ['Old Mill', 'Zażółć 橋 🏰']) {
      const events = Array.from({ length: 40 }, (_, number) =>
        match({
          map,
          teams: [team('Red', person(1, 'Ada'), person(2, 'Bob')), team(`${map} ${number}`, person(3, 'Cyd'))],
        }),
      );
      const ids = await sendEvents(context, ...events);
      for (const limit of [1, 40]) {
        const { json, headers } = await get(`/v1/matches?fields=teams&limit=${limit}`);
        const alone = await Promise.all(
          ids
            .toReversed()
            .slice(0, limit)
            .map((id) => get(`/v1/matches/${id}`)),
        );
        assert.deepEqual(
          json,
          alone.map((one) => one.json),
        );
        assert.equal(Number(headers['content-length']), Buffer.byteLength(JSON.stringify(json)));
        assert.ok(limit === 1 || Number(headers['content-length']) > 16_384);
      }
    }
    assert.deepEqual((await get('/v1/matches?fields=teams&max_id=0')).json, []);
    assert.deepEqual((await get('/v1/matches?fields=teams,objectives&max_id=0')).json, []);
  },
);
