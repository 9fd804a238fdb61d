import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { test } from 'node:test';
import { type ClientOptions, type Params, Scorehall, ScorehallError } from '#client/index.ts';
import { sql } from '#db/sql.ts';
import { projectMatches } from '#store/game/leaderboards/leaderboard-projection.ts';
import { shareSigningKey } from '#test/auth/signing-key.ts';
import { testApi } from '#test/support/api.ts';
import {
  application,
  configured,
  match,
  person,
  punishment,
  sendEvents,
  serviceToken,
  team,
} from '#test/support/builders.ts';
import { createTestDatabase, onSqlite, type TestClock, testContext, testServices } from '#test/support/context.ts';
import { listen } from './listen.ts';

const ADA = person(1, 'Ada');

const isError = (facts: Partial<ScorehallError>) => (error: unknown) => {
  assert.ok(error instanceof ScorehallError, String(error));
  for (const [name, value] of Object.entries(facts)) assert.equal(error[name as keyof ScorehallError], value);
  return true;
};

/** `fetch` that reports each response. */
function watched(seen: (url: string, response: Response) => Response | void): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    return seen(input as string, response) ?? response;
  };
}

onSqlite('the client reads paths and lists, and knows their types', async (t, url) => {
  const { context, origin, token } = await testApi(t, url);
  await sendEvents(
    context,
    configured('Alpha'),
    ...Array.from({ length: 205 }, () => match({ teams: [team('Red', ADA)] })),
  );
  await sendEvents(context, punishment('p1', ADA));
  let requests = 0;
  const client = new Scorehall({ baseUrl: origin, token, fetch: watched(() => void requests++) });

  const [server] = await client.get('/v1/servers');
  assert.equal(server?.name, 'Alpha');
  const matches = await client.get('/v1/matches', { limit: 2, fields: ['teams', 'winners'] });
  assert.deepEqual([matches.length, matches[0]?.teams?.[0]?.players[0]?.name, matches[0]?.winners], [2, 'Ada', []]);
  const player = await client.find('/v1/players/{id}', { id: 'ada', fields: ['total'] });
  assert.equal(player?.total?.play_count, 205);
  assert.equal(await client.find('/v1/players/{id}', { id: 'no such/player?' }), undefined);

  requests = 0;
  const ids: string[] = [];
  for await (const { id } of client.list('/v1/players/{id}/matches', { id: ADA.uuid })) ids.push(id);
  assert.deepEqual([new Set(ids).size, requests], [205, 4]);
  requests = 0;
  for await (const { id } of client.list('/v1/matches')) if (id === ids[1]) break;
  assert.equal(requests, 1, 'a page is requested when it is needed');

  for (const id of ['', '.', '..']) await assert.rejects(client.get('/v1/players/{id}', { id }), TypeError);
  await assert.rejects(client.get('/v1/players/{id}', { id: '..' }), /a player of this name is "name:\.\."$/);
  // @ts-expect-error -- there is no such path
  await assert.rejects(client.get('/v1/nothing'), isError({ status: 404, code: 'not_found' }));
  // @ts-expect-error -- a required parameter is missing
  await assert.rejects(client.get('/v1/matches/{id}'), TypeError);
  const unknown = client.get('/v1/matches', {
    // @ts-expect-error -- there is no such field
    fields: ['nothing'],
  });
  await assert.rejects(unknown, isError({ status: 400, code: 'invalid_request' }));
  // @ts-expect-error -- the list has no pages
  const unpaged = client.list('/v1/servers');
  await assert.rejects(async () => {
    for await (const _ of unpaged);
  }, TypeError);

  const [listed] = await client.get('/v1/punishments', {}, { signal: AbortSignal.timeout(30_000) });
  assert.equal(listed?.punished.name, 'Ada');
  await assert.rejects(client.get('/v1/matches', {}, { signal: AbortSignal.abort() }), { name: 'AbortError' });
});

onSqlite('the client reads whole leaderboards, from an entry on, and around a player', async (t, url) => {
  const { context, origin, token } = await testApi(t, url);
  const people = Array.from({ length: 25 }, (_, index) => person(index + 1));
  // Of five players each has as many kills, and the first of all the victory.
  const teams = people.map((player, index) =>
    team(player.name, { ...player, kill_count: 1 + Math.floor(index / 5), death_count: 0 }),
  );
  await sendEvents(context, configured('Alpha'), match({ win: people[0]!.name, teams }));
  while (await projectMatches(context.db, 'UTC', context.clock.now()));
  let requests = 0;
  const client = new Scorehall({ baseUrl: origin, token, fetch: watched(() => void requests++) });
  const board = { mode: 'total', period: 'all' } as const;
  const path = '/v1/leaderboards/{mode}/{period}';
  const read = async (params: Omit<Params<typeof path>, 'mode' | 'period'>): Promise<string[]> => {
    const entries = await Array.fromAsync(client.list(path, { ...board, ...params }));
    return entries.map(({ rank, name }) => `${rank} ${name}`);
  };
  const all = (await client.get(path, { ...board, by: 'kill_count', limit: 100 })).map(
    ({ rank, name }) => `${rank} ${name}`,
  );
  assert.equal(new Set(all).size, people.length);
  requests = 0;
  assert.deepEqual(await read({ by: 'kill_count', limit: 3 }), all);
  assert.equal(requests, 10);
  const [, , third] = await client.get(path, { ...board, by: 'kill_count' });
  const after = `${third!.kill_count}.${third!.id}`;
  assert.deepEqual(await read({ by: 'kill_count', limit: 4, after }), all.slice(3));
  assert.deepEqual(await read({ limit: 1 }), [`1 ${people[0]!.name}`], 'by victories');

  const around = await client.find(path, { ...board, by: 'kill_count', around: people[12]!.uuid });
  assert.deepEqual([around?.length, around?.[5]?.name], [11, people[12]!.name]);
  assert.equal(await client.find(path, { ...board, around: people[12]!.name }), undefined, 'without a victory');

  const opponents = { id: people[0]!.uuid, by: 'opponents', limit: 10 } as const;
  const met = await Array.fromAsync(client.list('/v1/players/{id}/rivals', opponents));
  assert.equal(new Set(met.map(({ name }) => name)).size, people.length - 1);
});

onSqlite('a response that has not changed is not sent again', async (t, url) => {
  const { context, origin, token } = await testApi(t, url);
  await sendEvents(context, configured('Alpha'));
  const statuses: number[] = [];
  const client = new Scorehall({
    baseUrl: origin,
    token,
    fetch: watched((_, { status }) => void statuses.push(status)),
  });
  const [first] = await client.get('/v1/servers');
  first!.name = 'changed by the caller';
  assert.equal((await client.get('/v1/servers'))[0]?.name, 'Alpha');
  await sendEvents(context, configured('Beta'));
  assert.equal((await client.get('/v1/servers')).length, 2);
  assert.deepEqual(statuses, [200, 304, 200]);

  const small = new Scorehall({
    baseUrl: origin,
    token,
    cached: 1,
    fetch: watched((_, { status }) => void statuses.push(status)),
  });
  for (const limit of [1, 2, 1]) await small.get('/v1/matches', { limit });
  assert.deepEqual(statuses.slice(3), [200, 200, 200], 'the cache has a bound');
});

/** Makes the clock of a service follow the real time, which is another one, and gives its `Date`. */
function running(clock: TestClock, seen: (status: number) => void): typeof fetch {
  let last = performance.now();
  return async (input, init) => {
    const now = performance.now();
    clock.advance(now - last);
    last = now;
    const response = await fetch(input, init);
    seen(response.status);
    const headers = { ...Object.fromEntries(response.headers), date: new Date(clock.now()).toUTCString() };
    return new Response(response.body, { status: response.status, headers });
  };
}

onSqlite('the client waits for the next window before the limit is used up', async (t, url) => {
  const { context, origin } = await testApi(t, url);
  const { client_id } = await application(context, { limit: 5 });
  const token = await serviceToken(context, client_id);
  const statuses: number[] = [];
  const options: ClientOptions = {
    baseUrl: origin,
    token,
    fetch: running(context.clock, (status) => statuses.push(status)),
  };
  const client = new Scorehall(options);
  const reads = (count: number, reader = client): Promise<unknown> =>
    Promise.all(Array.from({ length: count }, () => reader.get('/v1/servers/online')));
  await reads(1);
  context.clock.advance(3_599_000);
  await reads(8);
  assert.equal(statuses.filter((status) => status === 429).length, 0, 'of 9 requests, 5 a window');
  assert.equal(statuses.length, 9);

  await reads(1);
  await assert.rejects(
    client.get('/v1/servers', {}, { maxWaitMs: 0 }),
    isError({ code: 'rate_limit', status: undefined }),
  );
  const stop = new AbortController();
  const waiting = client.get('/v1/servers', {}, { signal: stop.signal });
  stop.abort();
  await assert.rejects(waiting, { name: 'AbortError' });
  assert.equal(statuses.length, 10, 'neither was sent');

  // Another program of the application has used up the limit.
  const other = new Scorehall(options);
  await assert.rejects(other.get('/v1/servers', {}, { maxWaitMs: 0 }), isError({ code: 'rate_limit', status: 429 }));
  const burst = new Scorehall(options);
  context.clock.advance(3_599_000);
  await reads(5, burst);
  assert.deepEqual(
    statuses.slice(10).filter((status) => status === 429),
    [429, 429],
    'the first one tells the limit',
  );
});

/** One of them has a comma. */
const names = (count: number): string[] => Array.from({ length: count }, (_, number) => `name${number || ',0'}`);

onSqlite('the client admits a look-up by what it counts as', async (t, url) => {
  const { context, origin } = await testApi(t, url);
  const { client_id } = await application(context, { limit: 12 });
  const token = await serviceToken(context, client_id);
  let statuses: number[] = [];
  const newClient = () =>
    new Scorehall({
      ...{ baseUrl: origin, token, maxWaitMs: 0 },
      fetch: running(context.clock, (status) => statuses.push(status)),
    });
  const client = newClient();
  const lookUp = (count: number) => client.get('/v1/players', { names: names(count - 1), uuids: [ADA.uuid] });
  const isWaiting = isError({ code: 'rate_limit', status: undefined });
  await client.get('/v1/servers');
  assert.equal((await lookUp(51)).length, 51);
  await assert.rejects(lookUp(51), isWaiting);
  await lookUp(50);
  await assert.rejects(lookUp(1), isWaiting);
  assert.deepEqual(statuses, [200, 200, 200], '1, 6 and 5 of 12 requests');

  context.clock.advance(3_600_000);
  statuses = [];
  const burst = newClient();
  await burst.get('/v1/servers');
  const results = await Promise.allSettled([60, 60].map((count) => burst.get('/v1/players', { names: names(count) })));
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  );
  assert.deepEqual(statuses, [200, 200], 'one look-up of 6 is possible after the first request');
});

test("the application's token is kept, and renewed once for all requests", async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const context = await testContext(t, database.url);
  await shareSigningKey(context);
  const { API, AUTH } = await testServices(context, ['API', 'AUTH']);
  const { client_id: clientId, secret: clientSecret } = await application(context, { name: 'ä & ö' });
  const statuses: string[] = [];
  const rewritten: { expires_in?: number } = {};
  const options: ClientOptions = {
    ...{ baseUrl: API!, authUrl: AUTH!, clientId, clientSecret: clientSecret! },
    fetch: watched((url, response) => {
      statuses.push(`${new URL(url).pathname} ${response.status}`);
      if (!url.endsWith('/token')) return undefined;
      const json = async (): Promise<object> => ({ ...JSON.parse(await response.text()), ...rewritten });
      return Object.assign(response, { json });
    }),
  };
  const client = new Scorehall(options);
  const reads = (): Promise<unknown> => Promise.all([1, 2, 3].map(() => client.get('/v1/servers')));
  await reads();
  await reads();
  assert.deepEqual(statuses.splice(0), [
    '/oauth/token 200',
    ...[200, 200, 200, 304, 304, 304].map((status) => `/v1/servers ${status}`),
  ]);
  await context.db.run(sql`delete from tokens`);
  await reads();
  const renewed = statuses.splice(0);
  assert.equal(renewed.filter((line) => line === '/oauth/token 200').length, 1);
  assert.equal(renewed.filter((line) => line === '/v1/servers 304').length, 3);

  rewritten.expires_in = 60;
  await context.db.run(sql`delete from tokens`);
  await client.get('/v1/counters');
  await client.get('/v1/counters');
  assert.equal(statuses.filter((line) => line === '/oauth/token 200').length, 2, 'a token of a last minute is renewed');

  const wrong = new Scorehall({ ...options, clientSecret: 'wrong' });
  await assert.rejects(wrong.get('/v1/servers'), isError({ status: 401, code: 'invalid_client' }));
  const fixed = new Scorehall({ baseUrl: API!, token: 'unknown' });
  await assert.rejects(fixed.get('/v1/servers'), isError({ status: 401, code: 'invalid_token' }));
  const asked: (string | undefined)[] = [];
  const getToken = async (refused?: string): Promise<string> => {
    asked.push(refused);
    return refused === undefined ? 'unknown' : await serviceToken(context, clientId);
  };
  await new Scorehall({ baseUrl: API!, getToken }).get('/v1/servers');
  assert.deepEqual(asked, [undefined, 'unknown']);
  const open = new Scorehall({ baseUrl: API!, clientId });
  assert.deepEqual(await open.get('/v1/servers'), [], 'with the Client ID alone');
  assert.throws(() => new Scorehall({ baseUrl: API! }), TypeError);
  assert.throws(() => new Scorehall({ baseUrl: API!, clientId, clientSecret: 'x' }), /authUrl/);
});

test('faults that pass are tried again, others are told', async (t) => {
  const answers: RequestListener[] = [
    (request) => request.socket.destroy(),
    (_, response) => void response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>'),
    (request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('[');
      setImmediate(() => request.socket.destroy());
    },
    (_, response) => void response.end('[]'),
  ];
  let requests = 0;
  const baseUrl = await listen(t, (request, response) =>
    answers[Math.min(requests++, answers.length - 1)]!(request, response),
  );
  const client = new Scorehall({ baseUrl, token: 'x' });
  assert.deepEqual(await client.get('/v1/servers'), []);
  assert.equal(requests, 4);

  const once = new Scorehall({ baseUrl, token: 'x', retries: 0, timeoutMs: 100 });
  requests = 0;
  await assert.rejects(once.get('/v1/servers'), isError({ code: 'network', status: undefined, isTransient: true }));
  await assert.rejects(
    once.get('/v1/servers'),
    isError({ code: 'unexpected_response', status: 502, isTransient: true }),
  );
  answers.push(
    (_, response) => void response.writeHead(200).write('['),
    (_, response) => void response.end('<html>'),
  );
  requests = 4;
  await assert.rejects(once.get('/v1/servers'), isError({ code: 'timeout' }));
  await assert.rejects(once.get('/v1/servers'), isError({ code: 'unexpected_response', status: undefined }));

  const refusing = await listen(t, (_, response) => {
    response.writeHead(403, { 'x-request-id': 'abc', 'content-type': 'application/json' });
    response.end('{"error":"access_not_approved","error_description":"Not yet."}');
    requests++;
  });
  requests = 0;
  const facts = { status: 403, code: 'access_not_approved', message: 'Not yet.', requestId: 'abc', isTransient: false };
  await assert.rejects(new Scorehall({ baseUrl: refusing, token: 'x' }).get('/v1/servers'), isError(facts));
  assert.equal(requests, 1);
});
