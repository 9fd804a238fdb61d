import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import type { TestContext } from 'node:test';
import { depsOf } from '#api/deps.ts';
import { FeedGroup } from '#api/streams/feed-group.ts';
import { EventStream } from '#http/event-stream.ts';
import { idOf } from '#platform/ids.ts';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { sql } from '#db/sql.ts';
import { type Cursor, Cursors } from '#store/game/change-cursors.ts';
import { readFeed, RESOURCE_KINDS, type ResourceChange } from '#store/game/changes.ts';
import { LIMITS } from '#http/limits.ts';
import { type TestApi, testApi } from '#test/support/api.ts';
import { countOpenStreams } from '#store/applications/open-streams.ts';
import { NETWORK } from '#store/game/hidden-lists.ts';
import { setHidden } from '#store/game/hidden-players.ts';
import {
  account,
  after,
  application,
  configured,
  presence,
  progress,
  sendEvents,
  serviceToken,
  userToken,
} from '#test/support/builders.ts';
import { record } from '#test/support/changes.ts';
import { onEachDatabase, onSqlite, type TestAppContext, testContext, testServices } from '#test/support/context.ts';
import { StreamClient } from '#test/support/event-stream.ts';
import { keyOf } from '#test/ingest/service.ts';
import { ask, type Wish } from '#test/support/request.ts';

const PATH = '/v1/changes/stream';
const made = (key: number): ResourceChange => ({ kind: 'match', key, type: 'created' });
const cursorsOf = (context: TestAppContext): Cursors => new Cursors(openSecretKey(context.config));

const ofEachKind = (type: 'created' | 'withdrawn', from: number): ResourceChange[] =>
  RESOURCE_KINDS.map((kind, index) => ({ kind, key: index + from, type }));

interface TestStreams extends TestApi {
  open: (query?: string, wish?: Wish) => Promise<StreamClient>;
}

async function testStreams(t: TestContext, url: string, settings = {}): Promise<TestStreams> {
  const api = await testApi(t, url, settings);
  const open = (query = '', wish: Wish = {}) =>
    StreamClient.open(t, api.origin, PATH + query, { token: api.token, ...wish });
  return { ...api, open };
}

/** The ids of the next changes. */
async function ids(stream: StreamClient, count: number): Promise<string[]> {
  return (await stream.take(count)).map(({ data }) => (JSON.parse(data) as { id: string }).id);
}

onEachDatabase(
  'a stream gives the past and then the present without a seam, beside concurrent writers',
  async (t, url) => {
    const { context, get, origin, token, open } = await testStreams(t, url);
    const other = await testContext(t, url);
    const [secondOrigin] = Object.values(await testServices(other, ['API']));
    const [writers, each, size] = [4, 30, 15];
    await record(context, ...Array.from({ length: 450 }, (_, index) => made(index + 1)));
    const streams = [await open('?after=0'), await open('?after=0&types=match,map')];
    streams.push(await StreamClient.open(t, secondOrigin!, `${PATH}?after=0`, { token }));
    const write = async (writer: number): Promise<void> => {
      const from = writer % 2 === 0 ? context : other;
      for (let turn = 0; turn < each; turn++) {
        const first = 1_000 * (writer + 1) + turn * size;
        await record(from, ...Array.from({ length: size }, (_, index) => made(first + index)));
        if (turn === 10) streams.push(await open('?after=0'));
      }
    };
    await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
    const expected: string[] = [];
    for (let after = '0', more = true; more;) {
      const { json } = await get(`/v1/changes?after=${after}&limit=1000`);
      expected.push(...json.changes.map(({ id }: { id: string }) => id));
      [after, more] = [json.cursor, json.more];
    }
    assert.equal(expected.length, 450 + writers * each * size);
    for (const stream of streams) assert.deepEqual(await ids(stream, expected.length), expected);
    assert.equal((await ask(origin, '/v1/servers', { token })).status, 200);
  },
);

onEachDatabase(
  'a stream continues after a cursor or a Last-Event-ID, and else with the next change',
  async (t, url) => {
    const { context, get, open } = await testStreams(t, url);
    await record(context, made(1), made(2), { kind: 'player', key: 3, type: 'erased' });
    const past = await open('?after=0');
    const events = await past.take(3);
    const items = (await get('/v1/changes?after=0')).json.changes;
    assert.deepEqual(
      events.map(({ event, data }) => [event, JSON.parse(data)]),
      items.map((item: object) => ['change', item]),
    );
    const [first, , last] = events.map(({ id }) => id);
    const { cursor } = (await get('/v1/changes?after=now')).json;
    assert.equal(
      (await get(`/v1/changes?after=${last}`)).json.cursor,
      cursor,
      'one cursor reads the feed and the stream',
    );
    const streams = {
      cursor: await open(`?after=${first}`),
      header: await open('?after=0', { headers: { 'last-event-id': first } }),
      present: await open(),
      now: await open('?after=now'),
    };
    assert.deepEqual(await ids(streams.cursor, 2), [idOf(2), idOf(3)]);
    assert.deepEqual(await ids(streams.header, 2), [idOf(2), idOf(3)]);
    assert.match(
      streams.present.text,
      new RegExp(`^retry: \\d{4}\n\nid: ${cursor}\n\n$`),
      'its place, before any change',
    );
    await record(context, made(4), made(1));
    for (const stream of Object.values(streams)) assert.deepEqual(await ids(stream, 2), [idOf(4), idOf(1)]);
    assert.deepEqual(await ids(past, 2), [idOf(4), idOf(1)]);
  },
);

onEachDatabase('`types` filters, and removals of all kinds pass', async (t, url) => {
  const { context, open } = await testStreams(t, url);
  await record(context, ...ofEachKind('created', 1), ...ofEachKind('withdrawn', 11));
  const stream = await open('?after=0&types=map,server');
  await record(context, ...ofEachKind('created', 21), ...ofEachKind('withdrawn', 31));
  const types = (await stream.take(14)).map(({ data }) => (JSON.parse(data) as { type: string }).type);
  const expected = ['map.created', 'server.created', ...RESOURCE_KINDS.map((kind) => `${kind}.withdrawn`)];
  assert.deepEqual(types, [...expected, ...expected]);
});

onEachDatabase('a stream is refused as a page of the feed is', async (t, url) => {
  const { context, origin, get } = await testStreams(t, url);
  await record(context, made(1), made(2));
  const { id: feed, head } = await readFeed(context.db);
  const place = (cursor: Partial<Cursor>) => cursorsOf(context).write({ feed, number: 0, ...cursor });
  await context.db.run(sql`update change_feed set floor = 1`);
  const refusals: [number, string, Wish?][] = [
    [400, '?after=nonsense'],
    [400, '?types=match,mach'],
    [400, '?presence=yes'],
    [400, '', { headers: { 'last-event-id': 'nonsense' } }],
    [410, `?after=${place({ number: head + 1 })}`],
    [410, `?after=${place({ feed: 'abcdef012345', number: head })}`],
    [410, `?after=${place({})}`],
    [410, '?after=now', { headers: { 'last-event-id': place({}) } }],
    [401, '', { token: 'unknown' }],
  ];
  for (const [status, query, wish] of refusals) {
    const [stream, page] = await Promise.all([get(PATH + query, wish), get(`/v1/changes${query}`, wish)]);
    assert.equal(stream.status, status, query);
    if (wish === undefined && status === 410) assert.equal(stream.text, page.text);
    assert.match(String(stream.headers['content-type']), /json/);
  }
  await context.db.run(sql`update change_feed set filling = ''`);
  const filling = await get(PATH);
  assert.deepEqual([filling.status, filling.headers['retry-after']], [503, '60']);
  assert.equal((await ask(origin, PATH, { method: 'POST' })).status, 401);
});

onEachDatabase('a restored database ends the streams with a reset', async (t, url) => {
  const { context, open } = await testStreams(t, url);
  await record(context, made(1));
  const stream = await open('?after=0');
  await stream.next();
  await context.db.run(sql`update change_feed set id = ${'0123456789ab'}`);
  const { reason, reset, error } = await stream.ended('reset');
  assert.deepEqual([error, reason, reset], ['cursor_gone', 'other_feed', true]);
  const again = await open('?after=0');
  assert.deepEqual(await ids(again, 1), [idOf(1)]);
});

onEachDatabase('a stream ends within two seconds after its credentials', async (t, url) => {
  const { context, app, origin, open } = await testStreams(t, url);
  await sendEvents(context, configured('Alpha'));
  const { id } = await account(context, 'Ada');
  const users = await application(context);
  const [revoked, expiring] = [
    await userToken(context, users.client_id, id),
    await serviceToken(context, app.client_id, 60_000),
  ];
  const [valid, ofUser, ofMinute, ofClient] = [
    await open(),
    await open('', { token: revoked }),
    await open('', { token: expiring }),
    await StreamClient.open(t, origin, PATH, { clientId: users.client_id }),
  ];
  const [byQuery] = [await open(`?access_token=${revoked}`, { token: undefined })];
  const ofServer = await open('', { token: await keyOf(context, 'Alpha') });
  await context.db.run(sql`delete from tokens where account_id = ${id}`);
  await context.db.run(sql`delete from server_keys`);
  context.clock.advance(2_000);
  for (const stream of [ofUser, byQuery, ofServer])
    assert.equal((await stream.ended('unauthorized')).error, 'invalid_token');
  context.clock.advance(58_000);
  assert.equal((await ofMinute.ended('unauthorized')).error, 'invalid_token');
  await context.db.run(sql`update applications set access = 'revoked' where client_id = ${users.client_id}`);
  context.clock.advance(2_000);
  assert.equal((await ofClient.ended('unauthorized')).error, 'access_not_approved');
  await record(context, made(1));
  assert.deepEqual(await ids(valid, 1), [idOf(1)]);
  await context.db.run(sql`update applications set suspended = 'disabled' where client_id = ${app.client_id}`);
  context.clock.advance(2_000);
  assert.match((await valid.ended('unauthorized')).error_description, /suspended/);
});

onSqlite('a stream has the headers of /v1, costs one request, and no cache or proxy keeps it', async (t, url) => {
  const { context, get, open } = await testStreams(t, url);
  const before = Number((await get('/v1/servers')).headers['x-ratelimit-remaining']);
  const stream = await open('', { headers: { 'accept-encoding': 'gzip, br, zstd' } });
  const { headers, statusCode } = stream.response;
  assert.equal(statusCode, 200);
  const expected = {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'access-control-allow-origin': '*',
    'x-ratelimit-remaining': String(before - 1),
    'x-stream-limit': '100',
    'x-stream-remaining': '99',
    'content-encoding': undefined,
    etag: undefined,
  };
  for (const [name, value] of Object.entries(expected)) assert.equal(headers[name], value, name);
  assert.match(String(headers['access-control-expose-headers']), /X-Stream-Limit, X-Stream-Remaining/);
  const head = await get(PATH, { method: 'HEAD' });
  assert.deepEqual([head.status, head.text, head.headers['x-stream-remaining']], [200, '', '99']);
  await stream.until(() => stream.text.includes('id: '));
  const length = stream.text.length;
  context.clock.advance(14_999);
  await get('/v1/servers');
  assert.equal(stream.text.length, length);
  context.clock.advance(1);
  await stream.until(() => stream.text.slice(length) === ':\n\n');
});

onSqlite('each caller may have so many streams, of which one at a time reads the past', async (t, url) => {
  const { context, app, origin, get, open } = await testStreams(t, url, { STREAM_LIMIT: '3' });
  const streams = [await open(), await open(), await open()];
  assert.deepEqual(
    streams.map(({ response }) => response.headers['x-stream-remaining']),
    ['2', '1', '0'],
  );
  const refused = await get(PATH);
  assert.deepEqual([refused.status, refused.json.error], [429, 'rate_limit']);
  assert.equal(refused.headers['x-stream-remaining'], '0');
  assert.match(String(refused.headers['retry-after']), /^\d+$/);
  await streams[0]!.close();
  context.clock.advance(5_000);
  const counted = () => countOpenStreams(context.db, context.clock.now(), app.key);
  while ((await counted()) !== 2) await get('/v1/servers');
  for (let status; status !== 200;) {
    const again = await open();
    status = again.response.statusCode;
    if (status !== 200) await again.close();
  }

  const { applicationAccount, network } = LIMITS.openStream.max;
  const { id } = await account(context, 'Ada');
  for (const [max, wish] of [
    [applicationAccount, { token: await userToken(context, app.client_id, id) }],
    [network, { clientId: app.client_id }],
  ] as const) {
    for (let count = max - 1; count >= 0; count--) {
      const { response } = await StreamClient.open(t, origin, PATH, wish);
      assert.deepEqual([response.statusCode, response.headers['x-stream-remaining']], [200, String(count)]);
    }
    assert.equal((await ask(origin, PATH, wish)).status, 429);
  }
});

onEachDatabase(
  'with presence=1 a server has one event of each kind a second, without hidden players',
  async (t, url) => {
    const { context, get, open } = await testStreams(t, url);
    await sendEvents(context, configured('Alpha'), configured('Beta'));
    await setHidden(context.db, context.clock.now(), NETWORK, ['Saltmarten']);
    let reports = 0;
    const time = () => after(++reports);
    const heartbeat = (current: number, ...players: string[]) =>
      sendEvents(context, presence('Alpha', { current, player_count: 9, players }, { time: time() }));
    await heartbeat(2, 'Ada', 'Saltmarten');
    const [stream, plain] = [await open('?presence=1'), await open()];
    const dataOf = async (count: number) =>
      (await stream.take(count)).map(({ event, data }) => [event, JSON.parse(data)] as const);
    const listed = async () => (await get('/v1/servers')).json.map((server: object) => ['presence', server]);
    assert.deepEqual(await dataOf(2), await listed(), 'first the present state');
    const { id } = (await listed())[0][1];

    for (const current of [3, 4, 5]) await heartbeat(current, 'Ada', 'Saltmarten', 'Bo');
    context.clock.advance(999);
    await record(context, made(1));
    assert.deepEqual((await dataOf(1))[0]![0], 'change', 'nothing within a second');
    context.clock.advance(1);
    const [now] = await dataOf(1);
    assert.deepEqual(now, (await listed())[0]);
    assert.deepEqual(now![1].players, ['Ada', 'Bo'], 'the last of them');

    await sendEvents(context, progress({ map: 'Twin' }, { time: time() }));
    context.clock.advance(1_000);
    const [live] = (await get('/v1/live-matches')).json;
    const events = await dataOf(2);
    assert.deepEqual(
      events.find(([event]) => event === 'live'),
      ['live', live],
    );
    context.clock.advance(context.config.PRESENCE_TIMEOUT * 1_000 + 1);
    const ended = (await dataOf(2)).find(([event]) => event === 'live');
    assert.deepEqual(ended, ['live', { server: 'Alpha', server_id: id, phase: 'ended' }]);
    context.clock.advance(1_000);
    await record(context, made(2));
    assert.equal((await dataOf(1))[0]![0], 'change', 'its end is sent once');
    assert.doesNotMatch(stream.text, /Saltmarten/i);
    assert.doesNotMatch(stream.text.replace(/^id: .*\nevent: change$/gm, ''), /^id: (?!.*\n\n)/m);
    assert.deepEqual(await ids(plain, 2), [idOf(1), idOf(2)]);
    assert.doesNotMatch(plain.text, /presence|live/);
  },
);

onSqlite('one stream of a caller at a time reads the past, and one that is not read ends', async (t, url) => {
  const { context, app, origin, get, token, open } = await testStreams(t, url);
  const count = 30_000;
  await record(context, ...Array.from({ length: count }, (_, index) => made(index + 1)));
  const stalled = await StreamClient.open(t, origin, `${PATH}?after=0`, { token }, false);
  const waiting = await open('?after=0');
  const { id } = await account(context, 'Ada');
  const other = await open('?after=0', { token: await userToken(context, app.client_id, id) });
  await other.take(count);
  assert.deepEqual(waiting.waiting, [], 'it waits for the other stream of its application');
  const present = await StreamClient.open(t, origin, PATH, { token }, false);
  const read = await open();
  context.clock.advance(30_000);
  stalled.resume();
  assert.equal((await stalled.ended('too_slow')).error, 'too_slow');
  await waiting.take(count);

  // One that follows the present has a bounded buffer.
  for (let key = count, isOpen = true; isOpen; key += 10_000) {
    await record(context, ...Array.from({ length: 10_000 }, (_, index) => made(key + index + 1)));
    await read.take(10_000);
    isOpen = Number((await get(PATH, { method: 'HEAD' })).headers['x-stream-remaining']) < 98;
    assert.ok(key < 1_000_000);
  }
  assert.equal(present.text, '');
});

onSqlite('a stream that ends while its group advances does not join it', async (t, url) => {
  const context = await testContext(t, url);
  const { id: feed, head } = await readFeed(context.db);
  const place = { feed, number: head };
  let sent = 0;
  const metrics = { sent: (_event: string, count: number) => (sent += count), changed: () => undefined };
  const group = new FeedGroup(depsOf(context), metrics, RESOURCE_KINDS, place);
  const stream = new EventStream(new PassThrough(), context.clock);
  const content = { from: place, head, kinds: RESOURCE_KINDS, presence: false };
  const subscriber = {
    stream,
    order: { ...content, credentials: { token: undefined, clientId: undefined }, subject: '', application: undefined },
  };
  group.members.add(subscriber);
  group.leave(subscriber);
  group.join(subscriber);
  await record(context, made(1));
  await group.advance();
  assert.equal(sent, 0);
});
