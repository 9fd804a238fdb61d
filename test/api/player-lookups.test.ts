import assert from 'node:assert/strict';
import { setHidden } from '#store/game/hidden-players.ts';
import { idOf } from '#platform/ids.ts';
import { findPlayer } from '#store/game/players.ts';
import { type TestApi, testApi } from '#test/support/api.ts';
import { after, configured, event, login, logout, person, punishment, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase, onSqlite } from '#test/support/context.ts';
import type { Reply } from '#test/support/request.ts';

interface LookUp {
  asked: string;
  status: string;
  player: { uuid: string; name: string; banned: boolean; last_login: string } | null;
  former_name: string;
  candidates: { id: string; uuid: string; name: string }[];
}

const named = (number: number, name: string, ms: number) =>
  login('Alpha', { uuid: person(number).uuid, name }, { time: after(ms) });

/** Ada was Otter before, Bob was Otter too; Cat and Dan are both called Twin; Eve is the present Finch, who Bob was. */
async function network(t: Parameters<typeof testApi>[0], url: string, settings = {}): Promise<TestApi> {
  const api = await testApi(t, url, settings);
  await sendEvents(
    api.context,
    configured('Alpha'),
    ...[named(1, 'Otter', -9000), named(1, 'Ada', -8000)],
    ...[named(2, 'otter', -7000), named(2, 'Finch', -6500), named(2, 'Bob', -6000)],
    ...[named(3, 'Twin', -5000), named(4, 'Twin', -4000), named(5, 'Finch', -3000)],
    ...[named(6, 'Grebe', -2000), named(6, 'Heron', -1000), punishment('p1', person(6, 'Heron'))],
  );
  return api;
}

const lookUpsIn = ({ status, json, text }: Reply): LookUp[] => {
  assert.equal(status, 200, text);
  return json as LookUp[];
};
const summary = ({ asked, status, player, former_name, candidates }: LookUp) =>
  [asked, status, player?.name ?? null, former_name, candidates.map(({ name }) => name).join()] as const;

onEachDatabase('each entry of uuids and names is answered by itself', async (t, url) => {
  const { context, get } = await network(t, url);
  await sendEvents(context, event('player.merged', { from: person(7).uuid, into: person(1).uuid }));
  const plain = person(3).uuid.replaceAll('-', '').toUpperCase();
  const uuids = [person(1).uuid, plain, person(7).uuid, person(99).uuid, 'nonsense', person(1).uuid].join();
  const names = 'ADA,Otter,twin,finch,grebe,Nobody,,%20Bob%20';
  const lookUps = lookUpsIn(await get(`/v1/players?uuids=${uuids}&names=${names}`));
  assert.deepEqual(lookUps.map(summary), [
    [person(1).uuid, 'found', 'Ada', '', ''],
    [plain, 'found', 'Twin', '', ''],
    [person(7).uuid, 'found', 'Ada', '', ''],
    [person(99).uuid, 'not_found', null, '', ''],
    ['nonsense', 'invalid', null, '', ''],
    [person(1).uuid, 'found', 'Ada', '', ''],
    ['ADA', 'found', 'Ada', '', ''],
    ['Otter', 'ambiguous', null, '', 'Bob,Ada'],
    ['twin', 'ambiguous', null, '', 'Twin,Twin'],
    ['finch', 'found', 'Finch', '', ''],
    ['grebe', 'found', 'Heron', 'Grebe', ''],
    ['Nobody', 'not_found', null, '', ''],
    ['Bob', 'found', 'Bob', '', ''],
  ]);
  const bob = lookUps[7]!.candidates[0]!;
  assert.deepEqual(bob, { id: idOf((await findPlayer(context.db, 'Bob'))!.key), uuid: person(2).uuid, name: 'Bob' });
  const heron = lookUps[10]!.player!;
  assert.deepEqual(heron, (await get('/v1/players/Heron')).json, 'the same members as the player');
  assert.equal(heron.banned, true);
  assert.equal(lookUps[0]!.player!.banned, false);
  assert.deepEqual(lookUpsIn(await get(`/v1/players?uuids=${person(1).uuid}&uuids=${person(5).uuid}`)).length, 2);

  await sendEvents(context, named(8, 'Doe, J.', -500));
  const brackets = await get('/v1/players?names%5B%5D=doe,%20j.&names[]=&names[7]=Ada&names=Bob,%20eve&names[x]=Ada');
  assert.deepEqual(lookUpsIn(brackets).map(summary), [
    ['doe, j.', 'found', 'Doe, J.', '', ''],
    ['Ada', 'found', 'Ada', '', ''],
    ['Bob', 'found', 'Bob', '', ''],
    ['eve', 'not_found', null, '', ''],
  ]);
  assert.equal(brackets.headers['x-ignored-parameters'], 'names%5Bx%5D');
  assert.equal(brackets.headers['x-ratelimit-cost'], '1');
  const { headers, json } = await get('/v1/players/Ada?fields[]=total&fields[0]=names,%20&limit[]=5');
  assert.deepEqual(Object.keys(json).slice(-2), ['total', 'names'], 'as axios and PHP send lists');
  assert.equal(headers['x-ignored-parameters'], 'limit%5B%5D');
  assert.equal((await get('/v1/players/Ada?fields[]=nothing')).status, 400);
});

onEachDatabase('a search finds players by the beginning of a word of a present or former name', async (t, url) => {
  const { context, get } = await network(t, url);
  const search = async (text: string, more = '') =>
    lookUpsIn(await get(`/v1/players?search=${text}${more}`)).map(summary);
  assert.deepEqual(await search('TW'), [
    ['TW', 'found', 'Twin', '', ''],
    ['TW', 'found', 'Twin', '', ''],
  ]);
  assert.deepEqual(await search('gre'), [['gre', 'found', 'Heron', 'Grebe', '']]);
  assert.deepEqual(await search('o', '&limit=1'), [['o', 'found', 'Ada', 'Otter', '']]);
  assert.deepEqual(await search('rebe'), [], 'only the beginning of a word');
  assert.deepEqual(await search('%25'), []);
  await sendEvents(
    context,
    ...Array.from({ length: 101 }, (_, number) => named(7, `Wren${number}`, -900 + number)),
    ...[named(7, 'Great wren', -500), named(8, 'Wrenna', -400), named(9, 'WRENZ', -300), named(9, 'Last_Wren', -200)],
  );
  assert.deepEqual(
    await search('wren', '&limit=3'),
    [
      ['wren', 'found', 'Great wren', '', ''],
      ['wren', 'found', 'Last_Wren', '', ''],
      ['wren', 'found', 'Wrenna', '', ''],
    ],
    'players are limited, not their names, and the present name counts first',
  );
  await sendEvents(context, logout('Alpha', person(6, 'Heron')));
  await setHidden(context.db, context.clock.now(), 0, ['Heron']);
  const [hidden] = lookUpsIn(await get('/v1/players?search=heron'));
  assert.deepEqual(hidden!.player, (await get('/v1/players/Heron')).json);
  assert.equal(hidden!.player!.last_login, '', 'a hidden player as if it had never logged in');
  assert.deepEqual(await search('gre', '&limit=1'), [['gre', 'found', 'Great wren', '', '']], 'not by a former name');
});

onEachDatabase('candidates are the present holders of a name, the one last seen with it first', async (t, url) => {
  const { context, get } = await network(t, url);
  await sendEvents(context, named(3, 'Twin', -100));
  const [twin] = lookUpsIn(await get('/v1/players?names=twin'));
  assert.deepEqual(
    twin!.candidates.map(({ uuid }) => uuid),
    [person(3).uuid, person(4).uuid],
  );
  await sendEvents(context, named(4, 'Twin', -50), named(3, 'Gemini', -40), named(10, 'Twin', -200));
  const [again] = lookUpsIn(await get('/v1/players?names=twin'));
  assert.deepEqual(
    again!.candidates.map(({ uuid }) => uuid),
    [person(4).uuid, person(10).uuid, person(3).uuid],
  );
});

onSqlite('a look-up without or with too much is refused in a sentence', async (t, url) => {
  const { get } = await network(t, url);
  const refused = async (query: string): Promise<string> => {
    const { status, json, headers } = await get(`/v1/players?${query}`);
    assert.equal(status, 400, query);
    assert.equal(headers['x-ratelimit-cost'], '1', query);
    return String(json.error_description);
  };
  for (const query of ['', 'uuids=&names=', 'names=,%20,', 'search=a&names=b'])
    assert.equal(await refused(query), 'uuids, names or search must be given, and search without the others.', query);
  const many = Array.from({ length: 100 }, (_, number) => `n${number}`).join();
  assert.match(await refused(`names=${many}&uuids=x`), /^uuids and names must have at most 100 entries together\.$/);
  assert.match(await refused('names=a%00'), /^names must not contain control characters\.$/);
  assert.match(await refused('search=a%00'), /^search must not contain control characters\.$/);
  assert.equal(lookUpsIn(await get(`/v1/players?names=${many}`)).length, 100);
});

for (const counters of ['memory', 'database']) {
  onEachDatabase(`ten entries cost one request of the hour, counted in ${counters}`, async (t, url) => {
    const limits = { APP_LIMIT: '40', ADDRESS_LIMIT: '40', TRUSTED_PROXIES: '127.0.0.1' };
    const { get, app } = await network(t, url, { COUNTERS: counters, ...limits });
    const ask = async (count: number, wish = {}): Promise<number[]> => {
      const names = Array.from({ length: count }, (_, number) => `n${number}`).join();
      const { status, headers } = await get(`/v1/players?names=${names}`, wish);
      return [status, ...['cost', 'remaining'].map((name) => Number(headers[`x-ratelimit-${name}`]))];
    };
    assert.deepEqual(await ask(1), [200, 1, 39]);
    assert.deepEqual(await ask(10), [200, 1, 38]);
    assert.deepEqual(await ask(11), [200, 2, 36]);
    assert.deepEqual(await ask(100, { method: 'HEAD' }), [200, 10, 26]);
    assert.deepEqual(await ask(100, { method: 'POST' }), [405, 1, 25], 'nothing is looked up');
    const together = await Promise.all([ask(20), ask(10), ask(20)]);
    assert.deepEqual(
      together.map(([, cost]) => cost),
      [2, 1, 2],
    );
    assert.equal(Math.min(...together.map(([, , remaining]) => remaining!)), 20);
    assert.deepEqual(await ask(100), [200, 10, 10]);
    assert.deepEqual(await ask(11), [200, 2, 8]);
    assert.deepEqual(await ask(100), [429, 10, 8], 'a dearer one is refused and not charged');
    const dear = await Promise.all([ask(50), ask(50)]);
    assert.deepEqual(
      dear.map(([status]) => status).toSorted((a, b) => a! - b!),
      [200, 429],
      'of two, one',
    );
    assert.deepEqual(await ask(21), [200, 3, 0], 'the last ones');
    const other = { token: undefined, clientId: app.client_id };
    const from = async (count: number, network: string) =>
      await ask(count, { ...other, headers: { 'x-forwarded-for': `2001:db8:0:${network}::1` } });
    for (const used of [10, 20, 30, 40]) assert.deepEqual(await from(100, '100'), [200, 10, 40 - used]);
    for (const used of [9, 18, 27, 36]) assert.deepEqual(await from(90, '101'), [200, 9, 40 - used]);
    assert.deepEqual(await from(50, '102'), [429, 5, 4], 'the /56 has four left');
    assert.deepEqual(await from(40, '102'), [200, 4, 0]);
    assert.deepEqual(await from(1, '202'), [200, 1, 39]);
    const { status, text } = await get('/v1/players?names=a');
    assert.deepEqual([status, text], [429, '{"error":"rate_limit","error_description":"Rate limit exceeded"}']);
    assert.equal((await get('/v1/servers')).headers['x-ratelimit-cost'], undefined);
  });
}
