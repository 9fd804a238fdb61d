import assert from 'node:assert/strict';
import { testApi } from '#test/support/api.ts';
import { after, configured, map, person, presence, rating, rotation, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';

const names = (json: { name: string }[]): string[] => json.map(({ name }) => name);
const path = (name: string): string => `/v1/maps/${encodeURIComponent(name)}`;

onEachDatabase('maps are listed, filtered and shown with the servers that play them', async (t, url) => {
  const { context, get } = await testApi(t, url);
  await sendEvents(context, configured('Alpha'), configured('Beta', { order: 1 }));
  await sendEvents(
    context,
    map('One', { gamemodes: ['ctw'] }),
    map('Two', { gamemodes: ['CTW', 'dtm'] }),
    map('Three'),
  );
  await sendEvents(context, rotation('Alpha', ['Two', 'One', 'two', 'Unknown']), rotation('Beta', ['Two']));
  await sendEvents(context, presence('Beta', { players: ['Ada'], current_map: 'TWO', next_map: 'One' }));
  const list = async (query: string): Promise<string[]> => names((await get(`/v1/maps?${query}`)).json);

  await t.test('the plain list has neither rotations nor rates nor servers', async () => {
    for (const query of ['', 'playing=0'])
      for (const item of (await get(`/v1/maps?${query}`)).json)
        for (const member of ['rotations', 'rates', 'servers']) assert.ok(!(member in item), member);
  });

  await t.test('playing=1 adds rotations, rates and servers, and lists the same maps', async () => {
    const items = (await get('/v1/maps?playing=1')).json;
    assert.deepEqual(names(items), ['Three', 'Two', 'One']);
    const [three, two, one] = items;
    assert.deepEqual([three.servers, three.rotations, three.rates], [[], [], []]);
    assert.deepEqual([one.servers, one.rotations], [[], ['Alpha']]);
    assert.deepEqual(two.rotations, ['Alpha', 'Beta']);
    const { id } = (await get('/v1/servers')).json[1];
    assert.deepEqual(two.servers, [{ id, name: 'Beta', region: 'eu', current_map: 'TWO', next_map: 'One' }]);
    for (const query of ['playing=2', 'playing=true', 'playing=1&playing=1', 'playing=&playing=1'])
      assert.equal((await get(`/v1/maps?${query}`)).status, 400, query);
  });

  await t.test('gamemode filters ignoring case; an unknown one gives an empty list', async () => {
    assert.deepEqual(await list('gamemode=ctw'), ['Two', 'One']);
    assert.deepEqual(await list('gamemode=CtW'), ['Two', 'One']);
    assert.deepEqual(await list('gamemode=dtm&playing=1'), ['Two']);
    assert.deepEqual(await list('gamemode=ctw&limit=1'), ['Two']);
    assert.deepEqual(await list('gamemode=&playing='), await list(''), 'empty parameters count as not given');
    for (const unknown of ['rfw', '%20ctw', 'ctw,dtm', '%F0%9F%8E%AE', "'", '%25'])
      assert.deepEqual(await list(`gamemode=${unknown}`), [], unknown);
    for (const wrong of ['%00', 'a%0A', '%FF', 'x'.repeat(257)])
      assert.equal((await get(`/v1/maps?gamemode=${wrong}`)).status, 400, wrong);
  });

  await t.test('search filters by the beginning of a word of the name, with paging and other filters', async () => {
    assert.deepEqual(await list('search=T'), ['Three', 'Two']);
    assert.deepEqual(await list('search=tW&playing=1&gamemode=dtm&rotation=Alpha'), ['Two']);
    const [{ id }] = (await get('/v1/maps?search=t&limit=1')).json;
    assert.deepEqual(await list(`search=t&max_id=${id}`), ['Two']);
    for (const nothing of ['wo', '%25', 'Three%20', '_hree'])
      assert.deepEqual(await list(`search=${nothing}`), [], nothing);
    await sendEvents(context, map('Old Town'));
    assert.deepEqual(await list('search=TOW'), ['Old Town'], 'any word');
    assert.equal((await get('/v1/maps?search=%00')).status, 400);
  });

  await t.test('fields adds the address of the image and the places in the rotation', async () => {
    const image = { content_type: 'image/png', data: 'iVBORw0KGgoAAAA=' } as const;
    await sendEvents(context, map('One', { version: '2', image }, { time: after(1) }));
    const { json } = await get('/v1/maps?rotation=alpha&fields=rotation_order,image_url');
    const shown = json.map(({ name, rotation_order, image_url }: Record<string, unknown>) => [
      name,
      rotation_order,
      image_url,
    ]);
    assert.deepEqual(shown, [
      ['Two', [1, 3], ''],
      ['One', [2], `${context.config.SITE_URL}/maps/${json.at(1).id}/image`],
    ]);
    const members = Object.keys((await get('/v1/maps?rotation=alpha')).json[0]);
    assert.ok(!members.includes('rotation_order') && !members.includes('image_url'));
    assert.deepEqual((await get('/v1/maps/One?fields=image_url')).json.image_url, shown.at(1)?.[2]);
    assert.deepEqual((await get('/v1/maps?fields=image_url')).json[0].image_url, '');
    for (const query of ['fields=rotation_order', 'rotation=&fields=rotation_order', 'fields=x'])
      assert.match((await get(`/v1/maps?${query}`)).json.error_description, /^fields must /, query);
    assert.equal((await get('/v1/maps/One?fields=rotation_order')).status, 400);
  });

  await t.test('rotation takes the id or name of a server, ignoring case', async () => {
    const { id } = (await get('/v1/servers')).json[0];
    for (const server of [id, id.toUpperCase(), 'Alpha', 'aLPHA'])
      assert.deepEqual(await list(`rotation=${server}`), ['Two', 'One']);
    assert.deepEqual(await list('rotation=Beta'), ['Two']);
    assert.deepEqual(await list('rotation=Alpha&gamemode=dtm'), ['Two']);
    assert.deepEqual(await list('rotation='), await list(''));
    for (const unknown of ['Gamma', '00000000000', 'Alph']) assert.deepEqual(await list(`rotation=${unknown}`), []);
    assert.equal((await get('/v1/maps?rotation=%00')).status, 400);
  });

  await t.test('a single map has its rotations and rates, but no servers', async () => {
    const one = (await get('/v1/maps/One')).json;
    assert.deepEqual(one.rotations, ['Alpha']);
    assert.deepEqual(one.rates, []);
    assert.ok(!('servers' in one));
    assert.equal(one.permalink_url, `${context.config.SITE_URL}/maps/${one.id}`);
    assert.deepEqual((await get(`/v1/maps/${one.id}`)).json, one);
  });

  await t.test('a server without a recent heartbeat plays no map', async () => {
    context.clock.advance(120_001);
    for (const { servers } of (await get('/v1/maps?playing=1')).json) assert.deepEqual(servers, []);
  });
});

onEachDatabase('a map is found by its exact name first, then ignoring case', async (t, url) => {
  const { context, get } = await testApi(t, url);
  const odd = [
    'Twin Peaks',
    'a/b',
    'a+b',
    '50% off?',
    'c#d',
    '&=;',
    '"quoted"',
    "it's",
    'Ärger',
    '東京',
    '🎮',
    '..',
    'a\\b',
  ];
  await sendEvents(context, ...odd.map((name) => map(name)), map('Straße'), map(' edge '), map('Abc'), map('aBC'));
  for (const name of [...odd, 'Straße', ' edge ']) {
    const reply = await get(path(name));
    assert.equal(reply.json.name, name, reply.text);
    assert.equal((await get(path(name.toLowerCase()))).json.name, name);
    assert.equal((await get(`${path(name)}/?x=1`)).json.name, name);
  }
  assert.equal((await get('/v1/maps/TWIN%20PEAKS')).json.name, 'Twin Peaks');
  assert.equal((await get('/v1/maps/A%CC%88rger')).json.name, 'Ärger', 'composed or not');
  assert.equal((await get('/v1/maps/Abc')).json.name, 'Abc');
  assert.equal((await get('/v1/maps/aBC')).json.name, 'aBC');
  assert.equal((await get('/v1/maps/ABC')).json.name, 'aBC', 'the newest of several');
  for (const wrong of ['Twin', 'Twin+Peaks', 'Twin%2520Peaks', '%00', 'a%2Fb%2F', 'x'.repeat(300), '%20'])
    assert.equal((await get(`/v1/maps/${wrong}`)).status, 404, wrong);
  for (const broken of ['%', '%zz', '%E4', '%ED%A0%80'])
    assert.equal((await get(`/v1/maps/${broken}`)).status, 400, broken);
});

onEachDatabase('ratings are listed by version, with average and counts', async (t, url) => {
  const { context, get } = await testApi(t, url);
  await sendEvents(context, map('One', { version: '1.10.0' }));
  await sendEvents(context, ...[5, 4, 4].map((rate, place) => rating('One', person(place), rate)));
  await sendEvents(context, rating('One', person(0), 1, '1.9.0'), rating('One', person(0), 5, '1.2'));
  await sendEvents(context, { ...rating('One', person(0), 3), time: after(1) });
  assert.deepEqual((await get('/v1/maps/one')).json.rates, [
    { version: '1.2', total: 1, rate: 5, rates: { 1: 0, 2: 0, 3: 0, 4: 0, 5: 1 } },
    { version: '1.9.0', total: 1, rate: 1, rates: { 1: 1, 2: 0, 3: 0, 4: 0, 5: 0 } },
    { version: '1.10.0', total: 3, rate: 11 / 3, rates: { 1: 0, 2: 0, 3: 1, 4: 2, 5: 0 } },
  ]);
});
