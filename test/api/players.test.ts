import assert from 'node:assert/strict';
import { testApi } from '#test/support/api.ts';
import { after, configured, event, login, logout, match, person, sendEvents, team } from '#test/support/builders.ts';
import { onEachDatabase, testServices } from '#test/support/context.ts';

onEachDatabase('a player is found by UUID, by name ignoring case, and by id', async (t, url) => {
  const { context, get } = await testApi(t, url, { TIME_ZONE: 'America/St_Johns' });
  await sendEvents(
    context,
    configured('Alpha'),
    login('Alpha', { uuid: 'ABCDEF0123456789abcdef0123456789', name: 'Ada_1' }),
  );
  const { json: ada } = await get('/v1/players/Ada_1');

  await t.test('with every field', async () => {
    assert.deepEqual(ada, {
      ...{ id: ada.id, name: 'Ada_1', uuid: 'abcdef01-2345-6789-abcd-ef0123456789' },
      ...{ last_login: '2026-03-01T08:30:00.000-03:30', last_login_server: 'Alpha', last_logout: '', banned: false },
      permalink_url: `${context.config.SITE_URL}/players/abcdef01-2345-6789-abcd-ef0123456789`,
    });
  });

  await t.test('in all notations of the UUID, all cases of the name, and by id', async () => {
    const uuids = [ada.uuid, ada.uuid.toUpperCase(), ada.uuid.replaceAll('-', ''), 'ABCDEF0123456789abcdef0123456789'];
    for (const text of [...uuids, 'ada_1', 'ADA_1', ada.id, '%41da_1'])
      assert.deepEqual((await get(`/v1/players/${text}`)).json, ada, text);
  });

  await t.test('by a name of 32 hexadecimal digits, where no player has that UUID', async () => {
    const [name, taken] = ['F'.repeat(32), ada.uuid.replaceAll('-', '')];
    await sendEvents(context, login('Alpha', person(6, name)), login('Alpha', person(7, taken)));
    for (const text of [name, name.toLowerCase()]) {
      assert.equal((await get(`/v1/players/${text}`)).json.uuid, person(6).uuid);
    }
    assert.equal((await get(`/v1/players/${taken}`)).json.uuid, ada.uuid, 'the UUID wins');
  });

  await t.test('by a name that a path cannot have, or that means something else there', async () => {
    const names = ['.', '..', 'me'];
    await sendEvents(context, ...names.map((name, at) => login('Alpha', person(20 + at, name))));
    for (const [at, name] of names.entries()) {
      const { pathname } = new URL(`/v1/players/name:${name}`, 'http://localhost');
      assert.equal((await get(pathname)).json.uuid, person(20 + at).uuid, name);
    }
    assert.equal((await get('/v1/players/name:nobody')).status, 404);
    assert.equal((await get('/v1/players/name:')).status, 404);
  });

  await t.test('but not by similar texts', async () => {
    const { uuid, id } = ada;
    const wrong = [uuid.slice(1), `{${uuid}}`, `urn:uuid:${uuid}`, uuid.replace('-', ''), `${uuid}0`, id.toUpperCase()];
    for (const text of [
      ...wrong,
      'ada',
      'ada_1 ',
      'ada%',
      'ada__',
      '00000000000',
      person(5).uuid,
      '\0',
      'x'.repeat(300),
    ])
      assert.equal((await get(`/v1/players/${encodeURIComponent(text)}`)).status, 404, text);
  });

  await t.test('the last login and logout are the newest ones, whatever the order of ingestion', async () => {
    const bob = person(2, 'Bob');
    await sendEvents(context, configured('Beta'), logout('Alpha', bob, { time: after(-50) }));
    assert.deepEqual((await get('/v1/players/bob')).json.last_login, '');
    await sendEvents(context, login('Beta', bob, { time: after(-10) }), login('Alpha', bob, { time: after(-100) }));
    await sendEvents(context, logout('Alpha', bob, { time: after(-90) }));
    const { last_login, last_login_server, last_logout } = (await get('/v1/players/bob')).json;
    assert.deepEqual(
      [last_login, last_login_server, last_logout],
      ['2026-03-01T08:29:59.990-03:30', 'Beta', '2026-03-01T08:29:59.950-03:30'],
    );
  });

  await t.test('a player who only took part in a match is found too', async () => {
    await sendEvents(context, match({ teams: [team('Red', person(3, 'Cyd'))] }));
    const { last_login, last_login_server, last_logout } = (await get('/v1/players/cyd')).json;
    assert.deepEqual([last_login, last_login_server, last_logout], ['', '', '']);
  });

  await t.test('an unknown field is refused with the list of all', async () => {
    for (const fields of ['ctf', 'Total', 'total,x', 'kills;matches']) {
      const { status, json } = await get(`/v1/players/ada_1?fields=${fields}`);
      assert.equal(status, 400);
      const all =
        'bowspleef, cp, ctw, factions, kills, matches, objective, paintball, splatt, teampvp, total, tntrun, names, head_url';
      assert.ok(json.error_description.includes(all), json.error_description);
    }
    assert.deepEqual((await get('/v1/players/ada_1?fields=%20,')).json, ada);
  });
});

onEachDatabase('a name leads to its current holder, else to its latest one', async (t, url) => {
  const { context, get } = await testApi(t, url);
  await sendEvents(context, configured('Alpha'));
  const seen = (number: number, name: string, ms: number) =>
    sendEvents(context, login('Alpha', person(number, name), { time: after(ms) }));
  const whoIs = async (name: string): Promise<string | undefined> => (await get(`/v1/players/${name}`)).json.uuid;
  await seen(1, 'Fox', -1000);
  await seen(1, 'Wolf', -900);
  assert.equal(await whoIs('fox'), person(1).uuid, 'an old name');
  await seen(2, 'fox', -800);
  assert.equal(await whoIs('FOX'), person(2).uuid, 'the current holder');
  await seen(2, 'Bear', -700);
  assert.equal(await whoIs('fox'), person(2).uuid, 'the latest of two former holders');
  await seen(3, 'Wolf', -600);
  assert.equal(await whoIs('wolf'), person(3).uuid, 'the one seen last of two apparent holders');
  await seen(1, 'Wolf', -500);
  assert.equal(await whoIs('wolf'), person(1).uuid);
  await seen(3, 'Lynx', -2000);
  assert.equal(
    (await get(`/v1/players/${person(3).uuid}`)).json.name,
    'Wolf',
    'an old event that arrives late changes no name',
  );
  assert.equal(await whoIs('lynx'), person(3).uuid);
  await sendEvents(context, event('player.named', { player: person(4, 'Lynx') }, { time: after(-10) }));
  assert.equal(await whoIs('lynx'), person(4).uuid);
});

onEachDatabase('the name history and the address of the head come with their fields', async (t, url) => {
  const { context, get } = await testApi(t, url, { SITE_URL: 'https://example.org' });
  await sendEvents(context, configured('Alpha'), login('Alpha', person(1, 'Fox'), { time: after(-3_000) }));
  await sendEvents(context, login('Alpha', person(1, 'Fox'), { time: after(-2_000) }));
  await sendEvents(context, login('Alpha', person(1, 'Wolf'), { time: after(-1_000) }));
  const { names, head_url } = (await get('/v1/players/wolf?fields=names,head_url')).json;
  assert.deepEqual(names, [
    {
      name: 'Wolf',
      first_seen: '2026-03-01T11:59:59.000+00:00',
      last_seen: '2026-03-01T11:59:59.000+00:00',
    },
    { name: 'Fox', first_seen: '2026-03-01T11:59:57.000+00:00', last_seen: '2026-03-01T11:59:58.000+00:00' },
  ]);
  assert.equal(head_url, `https://example.org/players/${person(1).uuid}/head`);
  const { SITE } = await testServices(context, ['SITE']);
  const head = await fetch(new URL(new URL(head_url).pathname, SITE));
  assert.deepEqual([head.status, head.headers.get('content-type')], [200, 'image/svg+xml']);
  assert.match(await head.text(), /^<svg [^>]+>(<path fill="#[0-9a-f]{6}" d="[^"]+"\/>){2}<\/svg>$/);
  assert.equal((await fetch(new URL('/players/nobody/head', SITE))).status, 404);
});
