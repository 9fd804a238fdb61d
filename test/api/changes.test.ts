import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Queryable } from '#db/db.ts';
import { type Sql, sql } from '#db/sql.ts';
import { idOf, keyOf } from '#platform/ids.ts';
import { openSecretKey, SecretKey } from '#platform/crypto/secret-key.ts';
import { type Cursor, Cursors } from '#store/game/change-cursors.ts';
import { NETWORK } from '#store/game/hidden-lists.ts';
import { setHidden } from '#store/game/hidden-players.ts';
import { serverByName } from '#store/game/servers.ts';
import { createJob } from '#store/jobs.ts';
import { runChunk } from '#events/jobs/runner.ts';
import { erasePlayer } from '#store/accounts/deleted-players.ts';
import { changeOfResource, readFeed, RESOURCE_KINDS, type ResourceChange } from '#store/game/changes.ts';
import { type TestApi, testApi } from '#test/support/api.ts';
import {
  account,
  after,
  application,
  BEGINNING,
  configured,
  event,
  login,
  person,
  presence,
  sendEvents,
  serviceToken,
  userToken,
} from '#test/support/builders.ts';
import { record } from '#test/support/changes.ts';
import { onEachDatabase, onSqlite, type TestAppContext } from '#test/support/context.ts';
import { finishJobs, retractSince } from '#test/support/jobs.ts';
import { ask, type Reply } from '#test/support/request.ts';
import { fill } from './filled-network.ts';

const DAY_MS = 86_400_000;
const PATH = '/v1/changes';

interface Item {
  id: string;
  type: string;
  revision: number;
  time: string;
  url?: string;
  resource?: unknown;
}

/** A game network with every kind of resource, and its data API. */
async function filled(t: TestContext, url: string, settings = {}): Promise<TestApi> {
  const api = await testApi(t, url, settings);
  await fill(api.context);
  return api;
}

const made = (key: number): ResourceChange => ({ kind: 'match', key, type: 'created' });

/** The items from a cursor to the end, and the last cursor. */
async function walk(get: TestApi['get'], query = '', after = '0'): Promise<{ items: Item[]; cursor: string }> {
  const items: Item[] = [];
  for (;;) {
    const { status, json, text } = await get(`${PATH}?after=${after}${query}`);
    assert.equal(status, 200, text);
    items.push(...json.changes);
    after = json.cursor;
    if (!json.more) return { items, cursor: after };
  }
}

const cursorsOf = (context: TestAppContext): Cursors => new Cursors(openSecretKey(context.config));

const left = ({ headers }: Reply): number => Number(headers['x-ratelimit-remaining']);

function assertError(reply: Reply, status: number, code: string): void {
  assert.deepEqual([reply.status, reply.json?.error], [status, code], reply.text);
}

onEachDatabase('a walk gives every resource once, as its own endpoint gives it', async (t, url) => {
  const { context, get } = await filled(t, url);
  const { items, cursor } = await walk(get, '&limit=3&expand=1');
  for (const kind of RESOURCE_KINDS)
    assert.ok(
      items.some(({ type }) => type.startsWith(`${kind}.`)),
      kind,
    );
  for (const { url: link = '', resource, id } of items) {
    const own = await get(link.replace(context.config.API_URL, ''));
    assert.equal(own.status, 200, link);
    assert.deepEqual(resource, own.json);
    assert.equal(own.json.id, id);
  }
  const lists = ['matches', 'maps', 'punishments', 'servers'].map(
    async (list) => (await get(`/v1/${list}?limit=100`)).json as { id: string }[],
  );
  const players = await context.db.tuples(sql`select key from players`);
  const expected = [
    ...(await Promise.all(lists)).flat().map(({ id }) => id),
    ...players.map(([key]) => idOf(key as number)),
  ];
  assert.deepEqual(items.map(({ id }) => id).sort(), expected.sort());
  assert.equal(new Set(items.map(({ id }) => id)).size, items.length);

  await t.test('and then only what has changed', async () => {
    assert.deepEqual((await walk(get, '&expand=1', cursor)).items, []);
    await sendEvents(context, configured('Alpha', { region: 'us' }));
    const { items: changed } = await walk(get, '&expand=1', cursor);
    assert.deepEqual(
      changed.map(({ type, resource }) => [type, (resource as { region: string }).region]),
      [['server.changed', 'us']],
    );
  });
});

/** A copy of the servers that follows the feed, and the heartbeats of one of them. */
function serverCopy({ context, get }: TestApi, names: readonly string[]) {
  const mirror = new Map<string, unknown>();
  let cursor = '0';
  const now = () => ({ time: after(context.clock.now() - Date.parse(BEGINNING)) });
  return {
    now,
    online: (...players: string[]) => sendEvents(context, presence('Alpha', { players }, now())),
    /** The names in the copy. */
    follow: async (): Promise<string[]> => {
      const walked = await walk(get, '&expand=1&types=server', cursor);
      cursor = walked.cursor;
      for (const { id, resource } of walked.items) mirror.set(id, resource);
      return names.filter((name) => JSON.stringify([...mirror.values()]).includes(name));
    },
  };
}

onEachDatabase('a copy of a server loses the names of erased and hidden players', async (t, url) => {
  const api = await testApi(t, url);
  const { context } = api;
  const { db, clock } = context;
  const names = ['Went', 'Gone', 'Left', 'Staff'];
  const { online, follow } = serverCopy(api, names);
  await sendEvents(
    context,
    configured('Alpha'),
    configured('Silent'),
    login('Alpha', person(1, 'Went'), { time: after(-1) }),
    login('Alpha', person(1, 'Gone')),
    login('Alpha', person(2, 'Left')),
  );
  await online(...names);
  assert.deepEqual(await follow(), names);
  clock.advance(1);
  await online('Went', 'Gone', 'Staff');
  assert.deepEqual(await follow(), names, 'presence is no change');
  await erasePlayer(db, clock.now(), person(2).uuid);
  assert.deepEqual(await follow(), ['Went', 'Gone', 'Staff'], 'who has left before');
  await erasePlayer(db, clock.now(), person(1).uuid);
  assert.deepEqual(await follow(), ['Staff'], 'former names, too');
  await setHidden(db, clock.now(), NETWORK, ['Staff']);
  assert.deepEqual(await follow(), []);
  const { head } = await readFeed(db);
  await setHidden(db, clock.now(), NETWORK, ['staff']);
  await setHidden(db, clock.now(), NETWORK, []);
  assert.equal((await readFeed(db)).head, head, 'a list without another entry changes no server');
  const silent = await changeOfResource(db, 'server', (await serverByName(db, 'Silent'))!.key);
  assert.equal(silent?.revision, 1, 'it has named nobody');
});

onEachDatabase('a copy of a server loses the names that a hidden player gets by a later event', async (t, url) => {
  const api = await testApi(t, url);
  const { context } = api;
  const { db, clock } = context;
  const names = ['Renamed', 'Early', 'Second', 'Ada'];
  const { now, online, follow } = serverCopy(api, names);
  const [staff, second] = [person(1, 'Staff'), person(2, 'Second')];
  await sendEvents(context, configured('Alpha'), login('Alpha', staff), login('Alpha', second));
  await setHidden(db, clock.now(), NETWORK, [staff.uuid, 'Helper']);
  clock.advance(1_000);
  await online(...names);
  assert.deepEqual(await follow(), names);
  await sendEvents(context, login('Alpha', person(1, 'Renamed'), now()));
  assert.deepEqual(await follow(), ['Early', 'Second', 'Ada'], 'another name');
  await sendEvents(context, login('Alpha', person(3, 'Early')), login('Alpha', person(3, 'Helper'), now()));
  assert.deepEqual(await follow(), ['Second', 'Ada'], 'a name of the list');
  // The merge waits for another job; until then both players exist.
  await db.transaction((tx) => createJob(tx, clock.now(), { kind: 'withdrawal', label: '', total: 1 }));
  await sendEvents(context, event('player.merged', { from: staff.uuid, into: second.uuid }));
  assert.deepEqual(await follow(), ['Ada'], 'another game account');
  await online(...names);
  const [{ players }] = (await api.get('/v1/servers')).json;
  assert.deepEqual(players, ['Ada'], 'while the merge is not complete');
  const { head } = await readFeed(db);
  await sendEvents(context, login('Alpha', person(4, 'Eve')));
  assert.equal((await readFeed(db)).head, head + 1, 'a player who is not hidden changes no server');
});

onEachDatabase(
  'an erasure takes the names of a player that is still being merged out of heartbeats',
  async (t, url) => {
    const { context, get } = await testApi(t, url);
    const { db, clock } = context;
    const [old, present] = [person(1, 'OldName'), person(2, 'NewName')];
    await sendEvents(context, login('Alpha', old), login('Alpha', present));
    // A merge waits for other jobs.
    await db.transaction((tx) => createJob(tx, clock.now(), { kind: 'withdrawal', label: '', total: 1 }));
    await sendEvents(
      context,
      event('player.merged', { from: old.uuid, into: present.uuid }),
      presence('Alpha', { players: [old.name, present.name, 'Other'] }),
    );
    const online = async () => (await get('/v1/servers')).json.map(({ players }: { players: string[] }) => players);
    assert.deepEqual(await online(), [['OldName', 'NewName', 'Other']]);
    await erasePlayer(db, clock.now(), present.uuid);
    assert.deepEqual(await online(), [['Other']]);
  },
);

onEachDatabase('a copy of a server loses its heartbeat when that is withdrawn', async (t, url) => {
  const api = await testApi(t, url);
  const { context } = api;
  const { db, clock } = context;
  const { online, follow } = serverCopy(api, ['Ann']);
  await sendEvents(context, configured('Alpha'), login('Beta', person(1, 'Ann')));
  await online('Ann');
  assert.deepEqual(await follow(), ['Ann']);
  const { key } = (await serverByName(db, 'Alpha'))!;
  const { head } = await readFeed(db);
  await retractSince(db, clock, key, clock.now() + 1);
  assert.equal((await readFeed(db)).head, head, 'an earlier heartbeat stays');
  await retractSince(db, clock, key, clock.now());
  assert.deepEqual(await follow(), []);
});

onEachDatabase('an erasure takes names that only withdrawn events have out of heartbeats', async (t, url) => {
  const api = await testApi(t, url);
  const { context } = api;
  const { db, clock } = context;
  const names = ['Withdrawn', 'Taken', 'Other'];
  const { online, follow } = serverCopy(api, names);
  await sendEvents(context, configured('Alpha'), login('Alpha', person(1, 'Known')));
  clock.advance(1_000);
  await sendEvents(context, login('Beta', person(1, 'Withdrawn')), login('Beta', person(1, 'Taken')));
  await sendEvents(context, login('Alpha', person(2, 'Taken')));
  await online(...names);
  const { key } = (await serverByName(db, 'Beta'))!;
  await retractSince(db, clock, key, 0);
  assert.deepEqual(await follow(), names);
  await erasePlayer(db, clock.now(), person(1).uuid);
  await finishJobs(db);
  assert.deepEqual(await follow(), ['Taken', 'Other'], 'a name that another player has stays');
});

onEachDatabase('the job of an erasure brings no later heartbeat into copies', async (t, url) => {
  const api = await testApi(t, url);
  const { context } = api;
  const { db, clock } = context;
  const { online, follow } = serverCopy(api, ['Ann', 'Former']);
  await sendEvents(context, configured('Alpha'), login('Beta', person(1, 'Former'), { time: after(-1) }));
  await sendEvents(context, login('Alpha', person(1, 'Ann')));
  await online('Ann', 'Former');
  assert.deepEqual(await follow(), ['Ann', 'Former']);
  await erasePlayer(db, clock.now(), person(1).uuid);
  assert.deepEqual(await follow(), []);
  do {
    clock.advance(1_000);
    await online('Ann', 'Former');
  } while (await runChunk({ db, clock }));
  assert.deepEqual(await follow(), []);
  const rows = await db.tuples(sql`select params, cursor from jobs where kind = 'anonymisation'`);
  assert.doesNotMatch(JSON.stringify(rows), /ann"|former/i, 'the job keeps no name');
});

onEachDatabase('a withdrawal leaves the tombstone of a removed server', async (t, url) => {
  const { context } = await testApi(t, url);
  const { db, clock } = context;
  await sendEvents(context, configured('Alpha'), event('server.removed', {}, { server: 'Alpha' }));
  // The key of a game server is known for a moment after the removal.
  await sendEvents(context, presence('Alpha', { players: ['Ann'] }, { time: after(1_000) }));
  const { key } = (await serverByName(db, 'Alpha'))!;
  await retractSince(db, clock, key, 0);
  assert.equal((await changeOfResource(db, 'server', key))?.type, 'withdrawn');
});

onEachDatabase('a player under a pseudonym stays out of the feed, hidden or merged', async (t, url) => {
  const { context, get } = await testApi(t, url);
  const { db, clock } = context;
  const erased = person(1, 'deleted-0abcde');
  await sendEvents(context, login('Alpha', erased), login('Alpha', person(2)));
  const players = async (): Promise<string[]> =>
    (await walk(get, '&types=player')).items.map(({ type, id }) => `${type} ${id}`);
  const before = await players();
  assert.equal(before.length, 1);
  await setHidden(db, clock.now(), NETWORK, [erased.uuid]);
  assert.deepEqual(await players(), before);
  await setHidden(db, clock.now(), NETWORK, [person(2).uuid]);
  await sendEvents(context, event('player.merged', { from: person(2).uuid, into: erased.uuid }));
  assert.deepEqual(await players(), [before[0]!.replace('created', 'merged')]);
});

onEachDatabase('after=now is the end of the feed, and leaves the walk of the day', async (t, url) => {
  const { context, get } = await testApi(t, url);
  await record(context, made(1), made(2));
  for (const expand of ['', '&expand=1']) {
    const { json } = await get(`${PATH}?after=now${expand}`);
    assert.deepEqual([json.changes, json.more], [[], false]);
    assert.deepEqual((await walk(get, '', json.cursor)).items, []);
  }
  const { json, headers } = await get(`${PATH}?after=now`);
  await record(context, made(3));
  const { items } = await walk(get, '', json.cursor);
  assert.deepEqual(
    items.map(({ id }) => id),
    [idOf(3)],
  );
  const before = Number((await get(`${PATH}?after=now`)).headers['x-ratelimit-remaining']);
  assert.ok(before < Number(headers['x-ratelimit-remaining']), 'it counts as a request');
  assert.equal(left(await get(PATH)), before, 'the walk was not begun');
});

onEachDatabase('a plain item names the resource, a removed one only its id', async (t, url) => {
  const { context, get } = await testApi(t, url);
  await record(context, made(4711), { kind: 'player', key: 4712, type: 'erased' });
  const { json } = await get(PATH);
  const time = '2026-03-01T12:00:00.000+00:00';
  assert.deepEqual(json.changes, [
    {
      id: idOf(4711),
      type: 'match.created',
      revision: 1,
      time,
      url: `${context.config.API_URL}/v1/matches/${idOf(4711)}`,
    },
    { id: idOf(4712), type: 'player.erased', revision: 1, time },
  ]);
  assert.deepEqual(Object.keys(json), ['changes', 'cursor', 'more']);
  assert.equal(json.more, false);
});

onEachDatabase('`types` filters, and removals of all kinds pass', async (t, url) => {
  const { context, get } = await testApi(t, url);
  await record(
    context,
    ...RESOURCE_KINDS.map((kind, index) => ({ kind, key: index + 1, type: 'created' as const })),
    ...RESOURCE_KINDS.map((kind, index) => ({ kind, key: index + 9, type: 'withdrawn' as const })),
  );
  const types = async (query: string): Promise<string[]> => (await walk(get, query)).items.map(({ type }) => type);
  const removed = RESOURCE_KINDS.map((kind) => `${kind}.withdrawn`);
  const created = RESOURCE_KINDS.map((kind) => `${kind}.created`);
  for (const limit of ['', '&limit=1', '&limit=2']) {
    assert.deepEqual(await types(limit), [...created, ...removed]);
    assert.deepEqual(await types(`&types=match${limit}`), ['match.created', ...removed]);
    assert.deepEqual(await types(`&types=server,%20map${limit}`), ['map.created', 'server.created', ...removed]);
  }
  const refused = await get(`${PATH}?types=match,mach`);
  assertError(refused, 400, 'invalid_request');
  assert.equal(
    refused.json.error_description,
    'types must be a comma-separated list of match, map, punishment, player, server.',
  );
});

onEachDatabase('a cursor without a place in the feed is 410, one beside it is not', async (t, url) => {
  const { context, get } = await testApi(t, url);
  await record(context, ...[1, 2, 3, 4].map(made));
  const { id: feed, head } = await readFeed(context.db);
  const cursors = cursorsOf(context);
  const ask = (cursor: Partial<Cursor>) => get(`${PATH}?after=${cursors.write({ feed, number: 0, ...cursor })}`);
  const assertReset = async (cursor: Partial<Cursor>, reason: string): Promise<void> => {
    const reply = await ask(cursor);
    assertError(reply, 410, 'cursor_gone');
    assert.deepEqual([reply.json.reason, reply.json.reset], [reason, true]);
    assert.match(reply.json.error_description, /begin again with after=0\.$/);
  };

  await t.test('beyond the head', async () => {
    assert.equal((await ask({ number: head })).status, 200);
    await assertReset({ number: head + 1 }, 'beyond_head');
  });
  await t.test('removals deleted behind it', async () => {
    await context.db.run(sql`update change_feed set floor = 2`);
    assert.equal((await ask({ number: 2 })).status, 200);
    await assertReset({ number: 1 }, 'expired');
    assert.equal((await ask({ number: 1, walk: { head: 2 } })).status, 200, 'the walk began after that');
    await assertReset({ number: 1, walk: { head: 1 } }, 'expired');
    assert.equal((await get(PATH)).status, 200);
  });
  await t.test('another feed', async () => {
    await assertReset({ feed: 'abcdef012345' }, 'other_feed');
  });
  await t.test('another signature: the secret key was changed, or it is forged', async () => {
    const forged = Buffer.from(`${feed}-3`).toString('base64url') + cursors.write({ feed, number: 1 }).slice(-16);
    const written = new Cursors(new SecretKey('another secret')).write({ feed, number: 1, walk: { head } });
    for (const after of [forged, written]) {
      const reply = await get(`${PATH}?after=${after}`);
      assertError(reply, 410, 'cursor_gone');
      assert.deepEqual([reply.json.reason, reply.json.reset], ['other_feed', true]);
    }
  });
  await t.test('a malformed one is 400', async () => {
    const written = cursors.write({ feed, number: 1 });
    for (const after of [written.slice(16), '1', '-1', '00', 'x'.repeat(5000)])
      assertError(await get(`${PATH}?after=${after}`), 400, 'invalid_request');
    assert.equal((await get(`${PATH}?after=`)).status, 200, 'an empty parameter counts as not given');
  });
});

onEachDatabase('while the feed is filled after an upgrade it is 503', async (t, url) => {
  const { context, get } = await testApi(t, url);
  await record(context, made(1));
  await context.db.run(sql`update change_feed set filling = ''`);
  const reply = await get(PATH);
  assertError(reply, 503, 'temporarily_unavailable');
  assert.equal(reply.headers['retry-after'], '60');
  await context.db.run(sql`update change_feed set filling = null`);
  assert.equal(
    (await get(`${PATH}?limit=1`)).headers['x-ratelimit-remaining'],
    '999999',
    'the first walk is not used up',
  );
});

onSqlite('NDJSON has a change a line, and the cursor in the last one', async (t, url) => {
  const { get } = await filled(t, url);
  const accept = { headers: { accept: 'text/html, Application/X-NDJSON;q=0.9' } };
  for (const query of ['?limit=3', '?limit=3&expand=1', '?types=map&limit=1']) {
    const [lines, whole] = [await get(PATH + query, accept), await get(PATH + query)];
    assert.equal(lines.headers['content-type'], 'application/x-ndjson; charset=utf-8');
    assert.match(lines.headers.vary!, /^Accept,/);
    assert.ok(lines.text.endsWith('}\n'));
    const parsed = lines.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    const { cursor: _, ...end } = parsed.pop() as { cursor: string };
    assert.deepEqual([parsed, end], [whole.json.changes, { more: whole.json.more }]);
  }
  assert.equal(
    (await get(PATH, { headers: { accept: 'application/json' } })).headers['content-type'],
    'application/json; charset=utf-8',
  );
});

onSqlite('a page has 100 changes by default, at most 1,000, and 100 with resources', async (t, url) => {
  const { context, get } = await testApi(t, url);
  await record(context, ...Array.from({ length: 1001 }, (_, index) => made(index + 1)));
  const size = async (query: string): Promise<[number, boolean]> => {
    const { json } = await get(PATH + query);
    return [json.changes.length, json.more];
  };
  assert.deepEqual(await size(''), [100, true]);
  assert.deepEqual(await size('?limit=1000'), [1000, true]);
  assert.deepEqual(await size('?limit=1001'), [1000, true]);
  assert.deepEqual(await size('?limit=1000&expand=1'), [100, true]);
  assert.deepEqual(await size('?limit=99&expand=1'), [99, true]);
  const last = await get(`${PATH}?after=${(await get(`${PATH}?limit=1000`)).json.cursor}&limit=1`);
  assert.deepEqual([last.json.changes.length, last.json.more], [1, false]);
});

onEachDatabase('a page costs one request; pages of a first walk are paced instead', async (t, url) => {
  const { context, origin, app, get } = await filled(t, url, { APP_LIMIT: '500', USER_LIMIT: '500' });
  const other = await serviceToken(context, (await application(context)).client_id);
  const user = await userToken(context, app.client_id, (await account(context, 'Ada')).id);
  const begin = await get(`${PATH}?limit=1`);
  assert.equal(left(begin), 500, 'the first page does not count');
  const path = `${PATH}?limit=1&after=${begin.json.cursor}`;

  await t.test('at most 120 pages a minute', async () => {
    for (let pages = 1; pages < 120; pages++) assert.equal((await get(path)).status, 200);
    const refused = await get(path);
    assertError(refused, 429, 'rate_limit');
    assert.deepEqual([refused.headers['retry-after'], left(refused)], ['60', 500]);
    context.clock.advance(60_000);
    assert.deepEqual([(await get(path)).status, left(await get(path))], [200, 500]);
  });
  await t.test('not for another caller with the same cursor', async () => {
    for (const token of [other, user]) assert.equal(left(await ask(origin, path, { token })), 499);
  });
  await t.test("nor does a user's token begin one", async () => {
    assert.equal(left(await ask(origin, `${PATH}?limit=1`, { token: user })), 498);
  });
  await t.test('also when the hourly limit is used up', async () => {
    for (let requests = 0; requests < 500; requests++) await get('/v1/servers/online');
    assert.equal((await get('/v1/servers/online')).status, 429);
    assert.equal((await get(path)).status, 200);
    context.clock.advance(3_600_000);
  });
  await t.test('a second walk on the same day counts, with resources too', async () => {
    const again = await get(`${PATH}?limit=1`);
    assert.equal(left(again), 499);
    assert.equal(left(await get(`${PATH}?limit=1&after=${again.json.cursor}`)), 498);
    assert.equal(left(await get(`${PATH}?limit=1000&expand=1`)), 497);
  });
  await t.test('a walk that has reached its end counts', async () => {
    const ended = await get(`${PATH}?limit=1000&after=${begin.json.cursor}`);
    assert.deepEqual([ended.json.more, left(ended)], [false, 497]);
    assert.equal(left(await get(`${PATH}?after=${ended.json.cursor}`)), 496);
  });
  await t.test('a refused request counts', async () => {
    assert.equal(left(await get(`${PATH}?after=x`)), 495);
    assert.equal(left(await get(`${PATH}?limit=0`)), 494);
  });
  await t.test('until a day after its beginning', async () => {
    context.clock.advance(DAY_MS - 60_000 - 3_600_000 - 1);
    assert.equal(left(await get(path)), 500);
    context.clock.advance(1);
    assert.equal(left(await get(path)), 499);
    assert.equal(left(await get(`${PATH}?limit=1`)), 499, 'and the next walk is granted');
  });
});

onEachDatabase('a first walk whose response was lost begins again', async (t, url) => {
  const { context, origin } = await filled(t, url, { APP_LIMIT: '500' });
  const page = async (token: string, after = '0', method = 'GET') =>
    await ask(origin, `${PATH}?limit=1&after=${after}`, { token, method });
  const newToken = async () => await serviceToken(context, (await application(context)).client_id);
  const [lost, late, following] = [await newToken(), await newToken(), await newToken()];
  assert.equal(left(await page(lost, '0', 'HEAD')), 499, 'HEAD begins none');
  for (const token of [lost, late, following]) assert.equal(left(await page(token)), token === lost ? 499 : 500);
  context.clock.advance(10 * 60_000 - 1);
  const again = await page(lost);
  assert.equal(left(again), 499, 'granted again');
  assert.equal(left(await page(following, (await page(following)).json.cursor)), 500);
  assert.equal(left(await page(following)), 499, 'not once a second page was read');
  context.clock.advance(1);
  assert.equal(left(await page(late)), 499, 'nor after ten minutes');
  assert.equal(left(await page(lost, again.json.cursor)), 499, 'the walk that began again continues');
});

onEachDatabase('the resources of a page are from one snapshot', async (t, url) => {
  const { context, get } = await filled(t, url);
  const { db } = context;
  const open = db.snapshot.bind(db);
  // Changes every server after the changes of the page are read.
  const interrupted = <Q extends Queryable>(reader: Q): Q => {
    const all = reader.all.bind(reader);
    const interrupting = async <R>(query: Sql): Promise<R[]> => {
      const rows = await all<R>(query);
      if (query.strings.join('').includes('from changes')) await db.run(sql`update servers set region = 'later'`);
      return rows;
    };
    return Object.assign(reader, { all: interrupting });
  };
  interrupted(db.shortReads);
  db.snapshot = async () => interrupted(await open());
  const { json } = await get(`${PATH}?types=server&expand=1`);
  assert.deepEqual(
    json.changes.map(({ resource }: { resource: { region: string } }) => resource.region),
    ['eu', 'eu'],
  );
});

onEachDatabase('a follower loses nothing while eight writers commit', async (t, url) => {
  const { context, get } = await testApi(t, url);
  const [WRITERS, EACH] = [8, 25];
  let writing = WRITERS;
  const write = async (writer: number): Promise<void> => {
    for (let n = 0; n < EACH; n++) await record(context, made(writer * 1000 + n), made(writer * 1000 + 500));
    writing--;
  };
  const writers = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  const copy = new Map<number, number>();
  for (let after = '0', isLast = false; ;) {
    isLast = writing === 0;
    const { json } = await get(`${PATH}?limit=7&after=${after}`);
    for (const { id, revision } of json.changes as Item[]) {
      const key = keyOf(id)!;
      assert.ok((copy.get(key) ?? 0) < revision, 'each is newer than the one before');
      copy.set(key, revision);
    }
    after = json.cursor;
    if (isLast && !json.more) break;
  }
  await writers;
  const rows = await context.db.tuples(sql`select key, revision from changes`);
  assert.equal(rows.length, WRITERS * (EACH + 1));
  assert.deepEqual(copy, new Map(rows as [number, number][]));
});
