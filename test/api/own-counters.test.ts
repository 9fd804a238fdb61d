import assert from 'node:assert/strict';
import { type TestApi, testApi } from '#test/support/api.ts';
import { configured, event, match, person, sendEvents, team } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';

const [ADA, BOB] = [person(1, 'Ada'), person(2, 'Bob')];

const counter = (key: string, data: object = {}) =>
  event('counter.declared', { key, label: { en: key.toUpperCase() }, ...data } as never);

/** A ctw match that Ada finished in Red, after she had begun it in Blue. */
const changedSides = () =>
  match({
    gamemode: 'ctw',
    win: 'Red',
    teams: [
      {
        ...team('Red', { ...ADA, kill_count: 5, time_played: 60, counters: { wools: 2, streak: 4, rogue: 1 } }),
        color: '#FF0000',
      },
      team(
        'Blue',
        { ...BOB, kill_count: 1 },
        { ...ADA, kill_count: 2, primary: false, counters: { wools: 1, flags: 3 } },
      ),
    ],
  });

async function network(...[t, url]: Parameters<typeof testApi>): Promise<TestApi> {
  const api = await testApi(t, url);
  await sendEvents(
    api.context,
    configured('Alpha'),
    counter('wools', { modes: ['ctw'], label: { en: 'Wools', ja: '羊毛' }, order: 2 }),
    counter('streak', { aggregate: 'max', order: 1 }),
    counter('flags', { modes: ['objective'], order: 3 }),
  );
  return api;
}

onEachDatabase('the counters of a network, of a match and of a player, where fields asks for them', async (t, url) => {
  const { context, get } = await network(t, url);
  const [id] = await sendEvents(context, changedSides());
  const { json: declared } = await get('/v1/counters');
  assert.deepEqual(
    declared.map(({ key }: { key: string }) => key),
    ['streak', 'wools', 'flags'],
  );
  assert.deepEqual(declared[1], { key: 'wools', label: { en: 'Wools', ja: '羊毛' }, aggregate: 'sum', modes: ['ctw'] });
  assert.deepEqual(declared[0].label, { en: 'STREAK', ja: 'STREAK' });
  const shown = [
    { ...ADA, team: 'Red', counters: { wools: 2, streak: 4 } },
    { ...ADA, team: 'Blue', counters: { wools: 1 } },
  ];
  assert.deepEqual((await get(`/v1/matches/${id}?fields=counters`)).json.counters, shown);
  assert.deepEqual((await get('/v1/matches?fields=counters')).json[0].counters, shown);
  const { counters } = (await get('/v1/players/Ada?fields=counters')).json;
  assert.deepEqual(counters, { total: { streak: 4, wools: 2, flags: 0 }, ctw: { streak: 4, wools: 2 } });
  assert.deepEqual((await get('/v1/players/Bob?fields=counters')).json.counters, {
    total: { streak: 0, wools: 0, flags: 0 },
  });
});

onEachDatabase('without fields the specified shapes stay as they are', async (t, url) => {
  const { context, get } = await network(t, url);
  const [id] = await sendEvents(context, changedSides());
  const { json } = await get(`/v1/matches/${id}`);
  assert.deepEqual(Object.keys(json), [
    ...['id', 'map', 'server', 'gamemode', 'ranked', 'win', 'kill_count', 'death_count'],
    ...['started', 'finished', 'permalink_url', 'teams'],
  ]);
  const members = ['uuid', 'name', 'score', 'kill_count', 'death_count', 'shot_count', 'hit_count', 'paint_count'];
  for (const { players, ...facts } of json.teams) {
    assert.deepEqual(Object.keys(facts), ['name', 'score', 'kill_count', 'death_count']);
    for (const one of players) assert.deepEqual(Object.keys(one), members);
  }
  assert.equal((await get('/v1/players/Ada')).json.counters, undefined);
});

onEachDatabase('the primary team decides result and counters, and both teams show the player', async (t, url) => {
  const { context, get } = await network(t, url);
  const [id] = await sendEvents(context, changedSides());
  const { json } = await get(`/v1/matches/${id}`);
  assert.deepEqual(
    json.teams.map(({ players }: { players: { name: string; kill_count: number }[] }) =>
      players.map(({ name, kill_count }) => [name, kill_count]),
    ),
    [
      [['Ada', 5]],
      [
        ['Bob', 1],
        ['Ada', 2],
      ],
    ],
  );
  assert.equal(json.kill_count, 8);
  const ada = (await get('/v1/players/Ada?fields=ctw,matches')).json;
  assert.deepEqual([ada.ctw.kill_count, ada.ctw.win_count, ada.ctw.lose_count, ada.ctw.play_count], [5, 1, 0, 1]);
  assert.deepEqual(
    ada.matches.map((one: { result: string; kill_count: number }) => [one.result, one.kill_count]),
    [['win', 5]],
  );
});

onEachDatabase('several teams win, and their colours are told', async (t, url) => {
  const { context, get } = await network(t, url);
  const [several, one, none] = await sendEvents(
    context,
    match({
      gamemode: 'ctw',
      winners: ['Blue', 'Red'],
      teams: [team('Red', ADA), team('Blue', BOB), team('Green', 3)],
    }),
    changedSides(),
    match({ gamemode: 'ctw', winners: [], teams: [team('Red', ADA)] }),
  );
  const read = async (id: string | undefined) => (await get(`/v1/matches/${id}?fields=winners,team_colors`)).json;
  const won = await read(several);
  assert.deepEqual([won.win, won.winners, won.team_colors], ['Blue', ['Blue', 'Red'], []]);
  const single = await read(one);
  assert.deepEqual([single.win, single.winners], ['Red', ['Red']]);
  assert.deepEqual(single.team_colors, [{ team: 'Red', color: '#FF0000' }]);
  assert.deepEqual((await read(none)).winners, []);
  const wins = async (name: string) => (await get(`/v1/players/${name}?fields=ctw`)).json.ctw;
  assert.deepEqual([(await wins('Ada')).win_count, (await wins('Ada')).play_count], [2, 3]);
  assert.deepEqual([(await wins('Bob')).win_count, (await wins('Bob')).lose_count], [1, 1]);
  assert.deepEqual([(await wins('Player3')).win_count, (await wins('Player3')).lose_count], [0, 1]);
});

onEachDatabase('a repeated request follows a changed declaration', async (t, url) => {
  const { context, get } = await network(t, url);
  const [id] = await sendEvents(context, changedSides());
  const path = `/v1/matches/${id}?fields=counters`;
  const read = async () => {
    const replies = [await get(path), await get(path), await get(path)];
    for (const reply of replies) assert.deepEqual(reply.json, replies[0]!.json);
    return { etag: String(replies[0]!.headers.etag), counters: replies[0]!.json.counters[0].counters };
  };
  const before = await read();
  await sendEvents(context, counter('rogue'));
  const after = await read();
  assert.deepEqual(after.counters, { ...before.counters, rogue: 1 });
  assert.notEqual(after.etag, before.etag);
  await sendEvents(context, event('counter.removed', { key: 'wools' }));
  assert.deepEqual((await read()).counters, { streak: 4, rogue: 1 });
});
