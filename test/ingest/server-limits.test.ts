import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import fc from 'fast-check';
import {
  MAX_HELD_BYTES,
  MAX_PARSED_REFUSALS,
  MAX_REQUESTS,
  CHUNK_WEIGHT,
  ServerLimits,
  WINDOW_WEIGHT,
} from '#ingest/server-limits.ts';
import { type Item, prepareItem, totalWeight } from '#events/ingest/prepare.ts';
import type { Receipt } from '#events/ledger/receipts.ts';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import {
  event,
  login,
  map,
  match,
  person,
  presence,
  progress,
  punishment,
  rating,
  sendEvents,
  team,
} from '#test/support/builders.ts';
import { createTestDatabase, onEachDatabase, onSqlite, TestClock } from '#test/support/context.ts';
import { openIngestService } from './service.ts';

const NO_LIMIT = { events: 0, weight: 0 };
const LOGIN_WEIGHT = 4;

const logins = (count: number, server: string) =>
  Array.from({ length: count }, (_, number) => login(server, person(number)));

onEachDatabase('a server that sends without end does not delay another one', async (t, url) => {
  const { post, beta } = await openIngestService(t, url);
  const [size, deliveries] = [400, 12];
  let answered = 0;
  const flood = Array.from({ length: deliveries }, async () => {
    const { status, json } = await post(logins(size, 'Alpha'));
    answered++;
    assert.equal(status, 200);
    assert.ok((json as Receipt[]).every((receipt) => receipt.status === 'accepted'));
  });
  await Promise.race(flood);
  const before = answered;
  const { json } = await post(match({}, { server: 'Beta' }), { token: beta });
  assert.equal(json.status, 'accepted');
  const meanwhile = answered - before;
  assert.ok(
    meanwhile <= Math.ceil(WINDOW_WEIGHT / (LOGIN_WEIGHT * size)) + 4,
    `${meanwhile} of ${deliveries} came first`,
  );
  await Promise.all(flood);
});

/**
 * Keeps `count` requests open whose bodies never end. A request that is refused, because one of the test took its place,
 * is sent again.
 * @returns aborts all of them
 */
function keepBusy(t: TestContext, origin: string, token: string, count: number): () => void {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' };
  const open = new Set<ClientRequest>();
  let isOver = false;
  const begin = (): void => {
    const request = httpRequest(`${origin}/events`, { method: 'POST', headers }).on('error', () => undefined);
    request.on('response', () => {
      request.destroy();
      open.delete(request);
      if (!isOver) begin();
    });
    request.write('{"version": 1,');
    open.add(request);
  };
  const leave = (): void => {
    isOver = true;
    for (const request of open) request.destroy();
  };
  for (let started = 0; started < count; started++) begin();
  t.after(leave);
  return leave;
}

onEachDatabase('the open requests of a server are limited, independently of other servers', async (t, url) => {
  const { origin, post, alpha, beta } = await openIngestService(t, url);
  const leave = keepBusy(t, origin, alpha, MAX_REQUESTS);
  let refused = await post(logins(1, 'Alpha'));
  for (let attempts = 0; refused.status === 200 && attempts < 100; attempts++) refused = await post(logins(1, 'Alpha'));
  assert.deepEqual([refused.status, refused.json.error, refused.headers['retry-after']], [429, 'rate_limit', '1']);
  assert.match(refused.json.error_description, /A game server may have 128 open requests at a time/);
  assert.equal((await post(logins(1, 'Beta'), { token: beta })).status, 200);
  leave();
  let again = await post(logins(1, 'Alpha'));
  for (let attempts = 0; again.status === 429 && attempts < 100; attempts++) again = await post(logins(1, 'Alpha'));
  assert.equal(again.status, 200, 'aborted requests do not count');
});

test('a request that is reset while its key is looked up leaves no count behind', async (t) => {
  const database = await createTestDatabase('postgres');
  const { context, origin, post, alpha } = await openIngestService(t, database.url);
  const other = await openDb(database.url);
  t.after(() => database.drop());
  t.after(() => other.close());
  const arrived: IncomingMessage[] = [];
  const { promise: allArrived, resolve } = Promise.withResolvers<void>();
  const onRequest = (message: unknown): void => {
    if (arrived.push((message as { request: IncomingMessage }).request) === MAX_REQUESTS) resolve();
  };
  subscribe('http.server.request.start', onRequest);
  t.after(() => unsubscribe('http.server.request.start', onRequest));
  const head = `POST /events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${alpha}\r\n`;
  await other.migrating(async (tx) => {
    await tx.script('lock table server_keys in access exclusive mode');
    const sockets = Array.from({ length: MAX_REQUESTS }, () => {
      const socket = connect(Number(new URL(origin).port), '127.0.0.1');
      socket.write(`${head}content-type: application/json\r\ncontent-length: 10\r\n\r\n[`);
      return socket;
    });
    await allArrived;
    const closed = arrived.map(({ socket }) => new Promise((resolve) => void socket.once('close', resolve)));
    for (const socket of sockets) socket.resetAndDestroy();
    await Promise.all(closed);
  });
  // The queries queue for a connection in their order, so that those of the requests come before these.
  await Promise.all(Array.from({ length: 16 }, () => context.db.get(sql`select 1`)));
  assert.equal((await post(logins(1, 'Alpha'))).status, 200);
});

onEachDatabase('INGEST_LIMIT limits the events of a server per minute', async (t, url) => {
  const { context, post, beta } = await openIngestService(t, url, { INGEST_LIMIT: '10' });
  assert.equal((await post(logins(8, 'Alpha'))).status, 200);
  const refused = await post(logins(3, 'Alpha'));
  assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '60']);
  assert.equal((await post(logins(2, 'Alpha'))).status, 200);
  assert.equal((await post(logins(10, 'Beta'), { token: beta })).status, 200);
  context.clock.advance(30_000);
  assert.equal((await post(logins(1, 'Alpha'))).headers['retry-after'], '30');
  context.clock.advance(30_000);
  assert.equal((await post(logins(300, 'Alpha'))).status, 200, 'a single request above the limit is accepted');

  context.clock.advance(60_000);
  const lines = logins(300, 'Alpha').map((event) => JSON.stringify(event));
  const stream = await post(lines.join('\n'), { headers: { 'content-type': 'application/x-ndjson' } });
  const received = stream.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>);
  assert.equal(received.filter(({ status }) => status === 'accepted').length, 128);
  assert.equal(received.at(-1)!['error'], 'rate_limit');
});

/** A match whose players are numbers from `first` on. */
const crowd = (size: number, first = 0) =>
  match({ teams: [team('Red', ...Array.from({ length: size }, (_, number) => first + number))] });

onEachDatabase(
  'INGEST_WEIGHT_LIMIT limits the rows of a server per minute, and takes nothing above it',
  async (t, url) => {
    // A match of 100 players weighs 203, and 3 more for each new player.
    const { context, post, beta } = await openIngestService(t, url, { INGEST_WEIGHT_LIMIT: '1000' });
    assert.equal((await post(crowd(100))).json.new_players, 100);
    assert.equal((await post(crowd(100))).json.new_players, undefined);
    const refused = await post([crowd(1), crowd(150)]);
    assert.deepEqual([refused.status, refused.json.error, refused.headers['retry-after']], [429, 'rate_limit', '60']);
    assert.match(refused.json.error_description, /weight 1000 a minute/);
    assert.equal((await context.db.all(sql`select key from matches`)).length, 2, 'nothing of it was taken');
    assert.equal((await post(crowd(1))).status, 200);
    assert.equal((await post({ ...crowd(100, 500), server: 'Beta' }, { token: beta })).json.status, 'accepted');
    context.clock.advance(60_000);
    assert.equal((await post([crowd(400), crowd(400)])).status, 200, 'a single request above the limit is accepted');
    const dry = await post(crowd(1), { path: '/events?dry_run=1' });
    assert.equal(dry.status, 429, 'a dry run counts too');
    await sendEvents(context, crowd(900), crowd(900));
  },
);

/** Members of a player with this number of own counters. */
const withCounters = (number: number, counters: number) => ({
  ...person(number),
  counters: Object.fromEntries(Array.from({ length: counters }, (_, index) => [`counter_${index}`, 1])),
});

const report = (players: number, counters: number) =>
  progress(
    {
      teams: [
        { name: 'Red', players: Array.from({ length: players }, (_, number) => withCounters(number, counters)) },
      ] as never,
    },
    { server: 'Alpha' },
  );

const names = (count: number) => Array.from({ length: count }, (_, number) => `Player_${number}_abcdef`);

const weightOf = (input: unknown): number => {
  const item = prepareItem({ input }, { kind: 'operator' }, new TestClock().now(), (text) => text);
  return totalWeight([item]);
};
const bytesOf = (event: { data: unknown }): number => Math.ceil(JSON.stringify(event.data).length / 256);

test('an event weighs its rows, counters of players that it reports included, or its bytes / 256 if that is more', () => {
  assert.equal(weightOf(report(10, 60)), 4 + 1 + 10 * 61);
  const values = withCounters(1, 60).counters;
  const statistics = event('player.statistics', { player: person(1), gamemode: 'factions', counters: values } as never);
  assert.equal(weightOf({ ...statistics, server: 'Alpha' }), 4 + 61);
  const heartbeat = presence('Alpha', { players: names(1_000) });
  assert.equal(weightOf(heartbeat), bytesOf(heartbeat));
  assert.ok(bytesOf(heartbeat) > 60);
  const picture = map('Twin Peaks', { image: { content_type: 'image/png', data: 'A'.repeat(256_000) } });
  assert.equal(weightOf(picture), bytesOf(picture));
  assert.equal(weightOf(login('Alpha', person(1))), LOGIN_WEIGHT);
});

onEachDatabase('reports and heartbeats of the present use up the weight of a server by their size', async (t, url) => {
  const { post, beta, context } = await openIngestService(t, url, { INGEST_WEIGHT_LIMIT: '300' });
  const statusesOf = async (...events: unknown[]): Promise<number[]> => {
    const found: number[] = [];
    for (const one of events) found.push((await post(one)).status);
    context.clock.advance(60_000);
    return found;
  };
  const heartbeat = (count: number, id: string) =>
    presence('Alpha', { players: names(count) }, { id, time: new Date(context.clock.now()).toISOString() });
  assert.deepEqual(await statusesOf(report(20, 14), report(1, 1)), [200, 429]);
  assert.deepEqual(await statusesOf(heartbeat(5_000, 'a'), heartbeat(1, 'b')), [200, 429]);
  const unknownMember = { ...login('Alpha', person(1)), unknown: 'x'.repeat(100_000) };
  assert.deepEqual(await statusesOf(unknownMember, login('Alpha', person(1))), [200, 429], 'bytes outside of data');
  assert.deepEqual(
    await statusesOf('x'.repeat(100_000), login('Alpha', person(1))),
    [400, 429],
    'a body without events',
  );
  assert.deepEqual(
    await statusesOf(login('Alpha', person(1)), heartbeat(5_000, 'c'), login('Alpha', person(1))),
    [200, 429, 200],
    'what is refused does not count',
  );
  assert.equal((await post({ ...login('Beta', person(1)) }, { token: beta })).status, 200);
});

/** The CPU time of this thread in milliseconds: a busy machine interrupts a turn, and does not make it longer. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

onSqlite('other requests get turns while a large body is parsed and checked', async (t, url) => {
  const { post } = await openIngestService(t, url);
  // Each is checked up to its last player before it is refused, and leaves nothing to write but its rejection.
  const refused = report(1_000, 20);
  const [{ players }] = (refused.data as unknown as { teams: [{ players: { name: string }[] }] }).teams;
  players.at(-1)!.name = '';
  const body = JSON.stringify(Array.from({ length: 9 }, (_, number) => ({ ...refused, id: `report ${number}` })));
  assert.equal((await post(body)).json.length, 9);
  let [longest, last, isOver] = [0, cpuMs(), false];
  const turn = (): void => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  const started = cpuMs();
  turn();
  const { status, json } = await post(body);
  isOver = true;
  const total = cpuMs() - started;
  assert.deepEqual([status, json.length, json[8].status], [200, 9, 'rejected']);
  assert.ok(longest < total / 2, `one turn took ${longest} of ${total} ms`);
});

async function refusalOf(request: ClientRequest): Promise<(string | number | undefined)[]> {
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return [response.statusCode, response.headers['retry-after']];
}

onSqlite('a server above its limit is refused before its body is read or parsed', async (t, url) => {
  const { context, origin, post, alpha, beta } = await openIngestService(t, url, { INGEST_LIMIT: '10' });
  const opened = (type: string): ClientRequest => {
    const headers = { authorization: `Bearer ${alpha}`, 'content-type': type, 'content-length': 1_000 };
    const request = httpRequest(`${origin}/events`, { method: 'POST', headers });
    t.after(() => request.destroy());
    request.write('[ no JSON');
    return request;
  };
  const earlier = opened('application/json');
  await once(earlier, 'socket');
  assert.equal((await post(logins(9, 'Alpha'))).status, 200);
  for (let refusals = 0; refusals < MAX_PARSED_REFUSALS; refusals++)
    assert.equal((await post(logins(2, 'Alpha'))).status, 429);
  context.clock.advance(20_000);
  // None of these bodies ends before its response, and none is JSON.
  for (const type of ['application/json', 'application/x-ndjson'])
    assert.deepEqual(await refusalOf(opened(type)), [429, '40'], `refused too often: ${type}`);
  const unparsed = refusalOf(earlier);
  earlier.end('x'.repeat(991));
  assert.deepEqual(await unparsed, [429, '40'], 'its body arrived meanwhile');
  assert.equal((await post(logins(1, 'Alpha'))).status, 429, 'until the minute ends');
  assert.equal((await post(logins(1, 'Beta'), { token: beta })).status, 200);

  context.clock.advance(40_000);
  assert.equal((await post(logins(10, 'Alpha'))).status, 200);
  assert.deepEqual(await refusalOf(opened('application/json')), [429, '60'], 'the limit is reached');
  assert.match((await post('')).json.error_description, /10 events a minute/);
  context.clock.advance(60_000);
  assert.equal((await post(logins(1, 'Alpha'))).status, 200);
});

onEachDatabase('NEW_PLAYERS_LIMIT limits the players that a server adds per hour', async (t, url) => {
  const { context, post, alpha } = await openIngestService(t, url, { NEW_PLAYERS_LIMIT: '10' });
  await sendEvents(context, crowd(200, 1000));
  assert.equal((await post(crowd(6))).json.status, 'accepted');
  const { json } = await post([crowd(6), crowd(5, 6), login('Alpha', person(6)), crowd(12)]);
  assert.deepEqual(
    (json as Receipt[]).map((receipt) => [receipt.status, 'retry' in receipt, 'new_players' in receipt]),
    [
      ['accepted', false, false],
      ['rejected', true, false],
      ['accepted', false, true],
      ['rejected', true, false],
    ],
  );
  assert.match(json[1].reason, /^`data` adds 5 players, but a game server may add only 10 an hour/);
  assert.equal((await post(crowd(200, 1000))).json.status, 'accepted', 'known players do not count');
  assert.equal((await post(crowd(4, 6))).json.status, 'accepted', 'up to the limit exactly');
  const punished = punishment('one', person(90), {}, { server: 'Alpha' });
  const rated = { ...rating('Nowhere', person(91), 5), server: 'Alpha' };
  for (const one of [login('Alpha', person(90)), punished, rated])
    assert.equal((await post(one)).json.retry, true, one.type);
  context.clock.advance(3_600_000);
  assert.equal(
    (await post(crowd(30, 300), { token: alpha })).json.new_players,
    30,
    'the first event of an hour is accepted',
  );
  assert.equal((await post(login('Alpha', person(90)))).json.retry, true);
  await sendEvents(context, login('Alpha', person(90)));
});

test('each server stays within its window, in order, and every request gets its turn', async () => {
  const weights = fc.array(fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 12_000 })), {
    minLength: 1,
    maxLength: 30,
  });
  const requests = fc.array(fc.tuple(fc.nat(2), weights), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(requests, fc.infiniteStream(fc.nat()), async (deliveries, chance) => {
      const queued = new Map<number, number>();
      const started = new Map<number, number[]>();
      const open: { server: number; weight: number; settle: () => void }[] = [];
      const accept = (items: readonly Item[]): Promise<Receipt[]> => {
        const [server, weight] = [(items[0] as unknown as { server: number }).server, totalWeight(items)];
        queued.set(server, (queued.get(server) ?? 0) + weight);
        started.set(server, [...(started.get(server) ?? []), ...items.map((item) => totalWeight([item]))]);
        assert.ok(queued.get(server)! <= Math.max(WINDOW_WEIGHT, weight));
        assert.ok(weight <= CHUNK_WEIGHT || items.length === 1);
        const { promise, resolve } = Promise.withResolvers<Receipt[]>();
        open.push({
          server,
          weight,
          settle: () => resolve(items.map((_, id) => ({ id: String(id), status: 'duplicate' }))),
        });
        return promise;
      };
      const eventQueue = { accept, isFull: false, busyMs: 0, close: async () => undefined };
      const serverLimits = new ServerLimits({ eventQueue, clock: new TestClock(), perMinute: NO_LIMIT });
      const all = deliveries.map(async ([server, weights]) => {
        using limits = serverLimits.open(server);
        const items = weights.map((weight) => ({ server, checked: { event: {}, weight } }) as unknown as Item);
        assert.equal((await limits.accept(items)).length, weights.length);
      });
      const done = Promise.all(all);
      while (open.length > 0) {
        const index = (chance.next().value as number) % open.length;
        const [{ server, weight, settle }] = open.splice(index, 1) as [(typeof open)[0]];
        queued.set(server, queued.get(server)! - weight);
        settle();
        await new Promise(setImmediate);
      }
      await done;
      for (const [server, order] of started) {
        assert.deepEqual(
          order,
          deliveries.filter(([one]) => one === server).flatMap(([, weights]) => weights),
        );
      }
    }),
    { numRuns: 50 },
  );
});

test('the bytes of a server are limited and count until its requests end', () => {
  const eventQueue = { accept: async () => [], isFull: false, busyMs: 0, close: async () => undefined };
  const serverLimits = new ServerLimits({ eventQueue, clock: new TestClock(), perMinute: NO_LIMIT });
  {
    using one = serverLimits.open(1);
    using two = serverLimits.open(1);
    using other = serverLimits.open(2);
    one.hold(MAX_HELD_BYTES - 1);
    two.hold(1);
    other.hold(MAX_HELD_BYTES);
    assert.throws(() => two.hold(1), { status: 429, message: /may hold 128 MiB together/ });
  }
  using later = serverLimits.open(1);
  later.hold(MAX_HELD_BYTES);
});
