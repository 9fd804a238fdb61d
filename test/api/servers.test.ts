import assert from 'node:assert/strict';
import { testApi } from '#test/support/api.ts';
import { after, configured, event, presence, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';

const names = (json: { name: string }[]): string[] => json.map(({ name }) => name);

onEachDatabase('servers have their configuration and their current players', async (t, url) => {
  const { context, get } = await testApi(t, url);
  await sendEvents(context, configured('Alpha', { region: 'eu', order: 3, icon: 'tnt', max: 40 }), configured('Lobby'));
  const playing = { current: 2, players: ['Ada', 'Bob', 'Cyd'], gamemode: 'ctw', current_map: 'Twin', next_map: 'Two' };
  await sendEvents(context, presence('Alpha', playing), presence('Lobby', { players: ['Dee'] }));

  await t.test('connected players and players in the game are counted separately', async () => {
    const [lobby, alpha] = (await get('/v1/servers')).json;
    assert.deepEqual(alpha, {
      id: alpha.id,
      name: 'Alpha',
      region: 'eu',
      current: 2,
      max: 40,
      icon: 'tnt',
      order: 3,
      current_map: 'Twin',
      next_map: 'Two',
      player_count: 3,
      players: ['Ada', 'Bob', 'Cyd'],
    });
    assert.deepEqual([lobby.current, lobby.max, lobby.player_count, lobby.icon], [0, 0, 1, '']);
    assert.deepEqual((await get(`/v1/servers/${alpha.id}`)).json, alpha);
    assert.deepEqual((await get('/v1/servers/online')).json, { count: 4 });
  });

  await t.test('a server is found by its exact id only', async () => {
    const { id } = (await get('/v1/servers')).json[0];
    const wrong = ['Alpha', '00000000000', 'zzzzzzzzzzz', id.toUpperCase(), `${id}0`, id.slice(1), '%00', `%20${id}`];
    for (const other of wrong) assert.equal((await get(`/v1/servers/${other}`)).status, 404, other);
  });

  await t.test('the newest heartbeat counts, whatever the order of ingestion', async () => {
    await sendEvents(context, presence('Alpha', { players: ['Zoe'] }, { time: after(-1) }));
    assert.equal((await get('/v1/servers')).json[1].player_count, 3);
    await sendEvents(context, presence('Alpha', { players: ['Ada'] }, { time: after(1) }));
    assert.deepEqual((await get('/v1/servers')).json[1].players, ['Ada']);
  });

  await t.test('a server without a recent heartbeat is listed without players', async () => {
    await sendEvents(context, presence('Alpha', playing, { time: after(2) }));
    context.clock.advance(120_000);
    assert.deepEqual((await get('/v1/servers/online')).json, { count: 4 }, 'at 120 s a heartbeat still counts');
    context.clock.advance(1);
    const [lobby, alpha] = (await get('/v1/servers')).json;
    const { id, ...rest } = alpha;
    const nobody = { current: 0, player_count: 0, players: [], current_map: '', next_map: '' };
    assert.deepEqual(rest, { name: 'Alpha', region: 'eu', max: 40, icon: 'tnt', order: 3, ...nobody });
    assert.deepEqual((await get(`/v1/servers/${id}`)).json, alpha);
    assert.equal(lobby.player_count, 0);
    assert.deepEqual((await get('/v1/servers/online')).json, { count: 0 });
    await sendEvents(context, presence('Alpha', playing, { time: after(120_001) }));
    assert.deepEqual((await get('/v1/servers/online')).json, { count: 3 });
  });

  await t.test('a removed server is not found', async () => {
    const { id } = (await get('/v1/servers')).json[1];
    await sendEvents(context, event('server.removed', {}, { server: 'Alpha' }));
    assert.deepEqual(names((await get('/v1/servers')).json), ['Lobby']);
    assert.equal((await get(`/v1/servers/${id}`)).status, 404);
    assert.deepEqual((await get('/v1/servers/online')).json, { count: 0 });
  });
});

onEachDatabase('servers are sorted by order, then by name in code point order', async (t, url) => {
  const { context, get } = await testApi(t, url, { PRESENCE_TIMEOUT: '1' });
  assert.deepEqual((await get('/v1/servers')).json, []);
  assert.deepEqual((await get('/v1/servers/online')).json, { count: 0 });
  const rows: [string, number][] = [
    ['b', 0],
    ['B', 0],
    ['a', 0],
    ['C', 0],
    ['é', 0],
    ['-c', 0],
    ['z', -1],
    ['last', 10],
    ['ninth', 9],
  ];
  for (const [name, order] of rows) await sendEvents(context, configured(name === 'B' ? 'B2' : name, { order }));
  const expected = ['z', '-c', 'B2', 'C', 'a', 'b', 'é', 'ninth', 'last'];
  assert.deepEqual(names((await get('/v1/servers')).json), expected);
  await sendEvents(
    context,
    ...expected.toReversed().map((name) => presence(name, { players: ['Ada'], current_map: 'Twin' })),
  );
  await sendEvents(context, event('map.published', { name: 'Twin', version: '1' }));
  await sendEvents(
    context,
    ...expected.toReversed().map((server) => event('rotation.changed', { maps: ['Twin'] }, { server })),
  );
  const [twin] = (await get('/v1/maps?playing=1')).json;
  assert.deepEqual(names(twin.servers), expected);
  assert.deepEqual(twin.rotations, expected);
  context.clock.advance(1001);
  assert.deepEqual((await get('/v1/servers/online')).json, { count: 0 }, 'the timeout is a setting');
});

onEachDatabase('a name that a heartbeat has twice counts once', async (t, url) => {
  const { context, get } = await testApi(t, url);
  await sendEvents(
    context,
    configured('Alpha'),
    presence('Alpha', { current: 4, players: ['Ada', 'Bob', 'ada', 'Bob'] }),
  );
  const [server] = (await get('/v1/servers')).json;
  assert.deepEqual([server.players, server.player_count, server.current], [['ada', 'Bob'], 2, 2]);
  assert.deepEqual((await get('/v1/servers/online')).json, { count: 2 });
  const counted = { current: 3, players: ['Hidden', 'Hidden'], player_count: 3 };
  await sendEvents(context, presence('Alpha', counted, { time: after(1) }));
  assert.deepEqual((await get('/v1/servers/online')).json, { count: 3 }, 'a reported number stays');
});
