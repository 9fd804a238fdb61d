import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { sql } from '#db/sql.ts';
import { isExcluded } from '#store/game/excluded-matches.ts';
import { listEventWarnings } from '#store/game/event-warnings.ts';
import type { WireEvent } from '#events/schema/index.ts';
import { deleteAccount } from '#store/accounts/account-deletions.ts';
import { keyOf as keyOfId } from '#platform/ids.ts';
import { findServerKey, listServerKeys, revokeServerKeys, rotateServerKey } from '#store/game/server-keys.ts';
import { listServers, serverByName } from '#store/game/servers.ts';
import { ask } from '#test/support/request.ts';
import {
  account,
  after,
  BEGINNING,
  configured,
  event,
  login,
  map,
  match,
  person,
  statistics,
  presence,
  sendEvents,
  team,
} from '#test/support/builders.ts';
import { createTestDatabase, onEachDatabase } from '#test/support/context.ts';
import { keyOf, openIngestService } from './service.ts';
import { finishJobs, retractEvents } from '#test/support/jobs.ts';

const NDJSON = { 'content-type': 'application/x-ndjson' };
const lines = (...events: unknown[]): string => events.map((one) => `${JSON.stringify(one)}\n`).join('');

onEachDatabase('one event, an array and a stream get their receipts in the same form and order', async (t, url) => {
  const { post, context } = await openIngestService(t, url);
  const [first, second, third] = [match(), login('Alpha', person(1)), match()];
  const one = await post(first);
  assert.equal(one.status, 200);
  assert.equal(one.json.status, 'accepted');
  assert.equal(one.json.id, first.id);
  const array = await post([first, { ...second, version: 0 }, second]);
  assert.deepEqual(
    array.json.map(({ id, status }: { id: string; status: string }) => [id, status]),
    [
      [first.id, 'duplicate'],
      [second.id, 'rejected'],
      [second.id, 'accepted'],
    ],
  );
  assert.equal(array.json[0].receipt, one.json.receipt);
  assert.equal(array.json[1].place, 'version');
  const stream = await post(`${lines(third)}\r\n\nnonsense\n${lines(second).trimEnd()}`, { headers: NDJSON });
  assert.match(stream.headers['content-type']!, /^application\/x-ndjson/);
  const received = stream.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>);
  assert.deepEqual(
    received.map(({ status }) => status),
    ['accepted', 'rejected', 'duplicate'],
  );
  assert.match(received[1]!['reason']!, /not JSON/);
  assert.equal((await context.db.all(sql`select key from matches`)).length, 2);
});

onEachDatabase('an accepted event is stored with its key, and sending it again changes nothing', async (t, url) => {
  const { post, context } = await openIngestService(t, url);
  const played = match({ teams: [team('Red', 1, 2), team('Blue', 3)], win: 'Red' });
  await post(played);
  const before = await context.db.all(sql`select * from player_stats order by player_key`);
  assert.equal((await post(played)).json.status, 'duplicate');
  assert.deepEqual(await context.db.all(sql`select * from player_stats order by player_key`), before);
  const [row] = await context.db.all(sql`select credential from ledger where event_id = ${played.id}`);
  const [key] = await context.db.all(sql`select key from server_keys order by key limit 1`);
  assert.equal(row!['credential'], key!['key']);
});

onEachDatabase('the same id with other content is rejected, with the receipt of the first', async (t, url) => {
  const { post, context } = await openIngestService(t, url);
  const played = match({ teams: [team('Red', 1, 2), team('Blue', 3)], win: 'Red' });
  const picture = { content_type: 'image/png' as const, data: 'iVBORw0KGgoAAAAA' };
  const published = map('Isle', { image: picture }, { server: 'Alpha' });
  for (const [first, other] of [
    [played, { ...played, data: { ...played.data, win: '' } }],
    [played, { ...login('Alpha', person(1)), id: played.id }],
    [published, { ...published, data: { ...published.data, image: { ...picture, data: 'iVBORw0KGgoAAAAB' } } }],
  ] as WireEvent[][]) {
    const { receipt } = (await post(first)).json;
    const reordered = {
      ...(Object.fromEntries(Object.entries(first!).reverse()) as object),
      data: Object.fromEntries(Object.entries(first!.data).reverse()),
      time: after(-5000),
    };
    for (const again of [first, reordered]) {
      const { json } = await post(again);
      assert.deepEqual([json.status, json.receipt], ['duplicate', receipt]);
    }
    const { json } = await post(other);
    assert.deepEqual([json.status, json.place, json.receipt, json.retry], ['rejected', 'id', receipt, undefined]);
    assert.match(json.reason, /^`id` is the id of another event/);
  }
  const one = login('Alpha', person(5));
  const { json } = await post([one, { ...one, data: { player: person(6) } }, one]);
  assert.deepEqual(
    (json as { status: string; receipt: string }[]).map(({ status, receipt }) => [status, receipt === json[0].receipt]),
    [
      ['accepted', true],
      ['rejected', true],
      ['duplicate', true],
    ],
    'also within one transaction',
  );
  const [stored] = await context.db.all(sql`select content_hash from ledger where event_id = ${one.id}`);
  assert.match(stored!['content_hash'] as string, /^[\w-]{22}$/);
  await context.db.run(sql`update ledger set content_hash = null`);
  assert.equal((await post({ ...one, data: { player: person(6) } })).json.status, 'duplicate', 'stored before');
});

onEachDatabase('the content of an anonymised event is not compared', async (t, url) => {
  const { post, context } = await openIngestService(t, url);
  const [gone, stays] = [login('Alpha', person(1)), login('Alpha', person(2))];
  await post([gone, stays]);
  const { id } = await account(context, 'Owner', person(1).uuid);
  await deleteAccount(context.db, context.clock.now(), id);
  await finishJobs(context.db);
  const late = login('Alpha', person(1));
  await post(late);
  for (const one of [gone, late])
    assert.equal((await post({ ...one, data: { player: person(3) } })).json.status, 'duplicate');
  assert.equal((await post({ ...stays, data: { player: person(3) } })).json.status, 'rejected');
});

onEachDatabase('all problems of an event are in its receipt, in sentences without internal types', async (t, url) => {
  const { post, origin, alpha } = await openIngestService(t, url);
  const player = { uuid: 'x', name: '', nmae: 'x' };
  const { json } = await post({
    version: '1',
    id: 'wrong',
    type: 'player.login',
    server: 'Beta',
    time: 'now',
    data: { player },
  });
  assert.deepEqual(json, {
    id: 'wrong',
    status: 'rejected',
    reason: '`version` must be 1.',
    place: 'version',
    problems: [
      { reason: '`version` must be 1.', place: 'version' },
      { reason: '`time` must be an RFC 3339 time like 2026-01-31T12:34:56.789+09:00.', place: 'time' },
      {
        reason:
          '`data.player.uuid` must be a UUID such as 7f0c6a4e-52b1-4c2f-9b7d-1f2f8a6f9a10, with or without dashes.',
        place: 'data.player.uuid',
      },
      { reason: '`data.player.name` must not be empty.', place: 'data.player.name' },
      { reason: '`data.player.nmae` is not a member of this object; check the spelling.', place: 'data.player.nmae' },
      {
        reason: '`server` must be Alpha or left out: a key may only report events of its own server.',
        place: 'server',
      },
    ],
  });
  const logged = (await ask(origin, '/receipts', { token: alpha })).json.receipts.at(-1);
  assert.deepEqual(logged.problems, json.problems);
  const several = await post(login('Beta', person(1), { time: after(600_000) }));
  assert.deepEqual(
    several.json.problems.map(({ place }: { place: string }) => place),
    ['time', 'server'],
  );
  assert.equal(several.json.retry, undefined, 'sending it again does not help against the second');
  assert.equal((await post(login('Alpha', person(1), { time: after(600_000) }))).json.retry, true);
  const unplayable = match({ map: '', win: 'Nobody', started: after(1), finished: after(0) });
  assert.deepEqual(
    (await post(unplayable)).json.problems.map(({ place }: { place: string }) => place),
    ['data.map', 'data.finished', 'data.win'],
    'members are compared though another one is wrong',
  );
  const members = Object.fromEntries(Array.from({ length: 50 }, (_, number) => [`x${number}`, 1]));
  assert.equal((await post({ ...login('Alpha', person(1)), ...members })).json.problems.length, 20);
  for (const [wrong, reason] of [
    [{ ...match(), type: 'match.begun' }, /^`type` must be one of server\.presence, match\.finished/],
    [{ ...match(), type: undefined }, /^`type` is missing: it must be one of/],
    [match({ map: undefined as unknown as string }), /^`data\.map` is missing: it must be a text\.$/],
    [1, /^The event must be an object with the members version, id, type, time and data\.$/],
    [login('Alpha', { name: 'Ann' } as never), /^`data\.player\.uuid` is missing: it must be a UUID such as 7f0c6a4e-/],
    [
      { ...match(), time: 1_790_000_000 },
      /^`time` must be an RFC 3339 time: the text "2026-09-21T14:13:20\.000Z" instead of 1790000000\.$/,
    ],
    [
      { ...match(), time: 1_790_000_000_123.4 },
      /: the text "2026-09-21T14:13:20\.123Z" instead of 1790000000123\.4\.$/,
    ],
    [{ ...match(), time: '1790000000000' }, /: the text "2026-09-21T14:13:20\.000Z" instead of 1790000000000\.$/],
    [{ ...match(), time: -1 }, /^`time` must be an RFC 3339 time like 2026-01-31T12:34:56\.789\+09:00\.$/],
    [{ ...match(), time: 1e300 }, /^`time` must be an RFC 3339 time like/],
    [{ ...match(), time: undefined }, /^`time` is missing: it must be an RFC 3339 time like/],
    [
      { ...login('Alpha', person(1)), data: { player: 'Ada' } },
      /^`data\.player` must be an object such as \{"uuid":"[-0-9a-f]{36}","name":"Saltmarten"\}\.$/,
    ],
    [
      { ...statistics(person(1)), data: { ...statistics(person(1)).data, player: 'Ada' } },
      /^`data\.player` must be an object such as \{"uuid":/,
    ],
  ] as const) {
    const { json } = await post([wrong]);
    assert.match(json[0].reason, reason);
    assert.doesNotMatch(json[0].reason, /server\.configured|player\.known|Invalid input|expected/);
  }
});

onEachDatabase(
  'in an array an element that is no object, or not even JSON, gets a receipt of its own',
  async (t, url) => {
    const { post } = await openIngestService(t, url);
    for (const wrong of ['1', 'null', '"x"', 'nonsense', '{"id":"a" "b":1}', '{"id":"twice","id":"twice"}']) {
      const [one, two] = [match(), login('Alpha', person(1))].map((event) => JSON.stringify(event));
      const { status, json } = await post(`[${one},${wrong}, ${two}]`);
      assert.equal(status, 200, wrong);
      assert.deepEqual(
        json.map((receipt: { status: string }) => receipt.status),
        ['accepted', 'rejected', 'accepted'],
        wrong,
      );
      assert.equal(json[1].id, wrong.includes('twice') ? 'twice' : '');
    }
  },
);

const played = (counts: object) => match({ teams: [{ name: 'Red', players: [{ ...person(1), ...counts }] }] });

onEachDatabase('values that are not plausible are accepted with warnings, which the operator sees', async (t, url) => {
  const { post, context } = await openIngestService(t, url);
  await sendEvents(context, configured('Alpha', { max: 2 }));
  // A match of ten minutes.
  for (const [counts, member] of [
    [{ time_played: 1200 }, undefined],
    [{ time_played: 1201 }, 'time_played'],
    [{ kill_count: 1300, death_count: 1300, shot_count: 25_000 }, undefined],
    [{ kill_count: 1301 }, 'kill_count'],
    [{ death_count: 600_000 }, 'death_count'],
    [{ shot_count: 25_001 }, 'shot_count'],
    [{ score: -10_000_001 }, 'score'],
  ] as const) {
    const { json } = await post(played(counts));
    assert.equal(json.status, 'accepted');
    assert.equal(json.warnings?.[0].place, member && `data.teams.0.players.0.${member}`, JSON.stringify(counts));
  }
  const dying = (deaths: number, time: number) =>
    post(
      match({
        teams: [{ name: 'Red', players: [{ ...person(1), death_count: deaths }] }, team('Blue', 2)],
        kills: [
          { killer: null, victim: person(1).uuid, time: after(-time) },
          { victim: person(1).uuid, time: after(-time) },
          { killer: person(2).uuid, victim: person(1).uuid, time: after(-time) },
        ],
      }),
    );
  assert.equal((await dying(2, 1)).json.warnings, undefined);
  const more = (await dying(1, 2)).json;
  assert.deepEqual(more.warnings, [
    {
      place: 'data.teams.0.players.0.death_count',
      reason:
        '`data.teams[0].players[0].death_count` is 1, but 2 deaths of the player without a killer are in `data.kills`.',
    },
  ]);
  assert.equal(await isExcluded(context.db, keyOfId(more.receipt)!), false, 'either may be wrong: the match counts');
  await retractEvents(context.db, context.clock, [keyOfId(more.receipt)!]);
  const { json } = await post(played({ time_played: 600_000 }));
  assert.equal(
    json.warnings[0].reason,
    '`data.teams[0].players[0].time_played` is 600000 s, but the match lasted 600 s; it must be in seconds.',
  );
  const full = (players: number, time: string) =>
    post(presence('Alpha', { players: Array.from({ length: players }, (_, n) => `P${n}`) }, { time }));
  assert.equal((await full(2, after(1))).json.warnings, undefined);
  for (const [index, players] of [3, 4, 5].entries())
    assert.equal((await full(players, after(index + 2))).json.warnings[0].place, 'data.players');
  const vanilla = event('player.statistics', { player: person(1), gamemode: 'factions', time_played: 86_400_000 });
  assert.equal((await post(vanilla)).json.warnings[0].place, 'data.time_played');
  const listed = await listEventWarnings(context.db, { before: Number.MAX_SAFE_INTEGER, limit: 20 });
  assert.deepEqual(
    listed.map(({ server, type }) => [server, type]),
    [
      ['Alpha', 'player.statistics'],
      ['Alpha', 'server.presence'],
      ...Array.from({ length: 7 }, () => ['Alpha', 'match.finished']),
    ],
    'one heartbeat only',
  );
  assert.match(listed[1]!.warnings[0]!.reason, /has 5 names, but the server has 2 places/);
  await retractEvents(context.db, context.clock, [keyOfId(json.receipt)!]);
  const { key } = (await serverByName(context.db, 'Alpha'))!;
  const again = await listEventWarnings(context.db, { before: Number.MAX_SAFE_INTEGER, limit: 3, serverKey: key });
  assert.deepEqual(
    again.map(({ withdrawn }) => withdrawn),
    [false, false, true],
  );
});

onEachDatabase(
  'a key only reports events of its own server, and the same id of two servers is two events',
  async (t, url) => {
    const { post, context, beta } = await openIngestService(t, url);
    const own = match();
    const { server: _, ...nameless } = own;
    assert.equal((await post(own)).json.status, 'accepted');
    const stranger = await post(own, { token: beta });
    assert.deepEqual(stranger.json, {
      id: own.id,
      status: 'rejected',
      place: 'server',
      reason: '`server` must be Beta or left out: a key may only report events of its own server.',
    });
    assert.equal((await post({ ...nameless, server: 'bETA' }, { token: beta })).json.status, 'accepted');
    assert.equal((await context.db.all(sql`select key from matches`)).length, 2);
    for (const type of ['server.configured', 'server.removed', 'player.merged'] as const) {
      const data = {
        'server.configured': { region: 'x' },
        'server.removed': {},
        'player.merged': { from: person(1).uuid, into: person(2).uuid },
      }[type];
      const refused = await post({ version: 1, id: type, type, time: BEGINNING, data });
      assert.equal(refused.json.reason, `\`type\` is ${type}, which only operators may send.`);
    }
    const resumed = await post({ ...nameless, id: 'r', receipt: '00000000000' });
    assert.equal(resumed.json.place, 'receipt');
  },
);

test('a request without a valid key is refused with 401', async (t) => {
  const database = await createTestDatabase('sqlite');
  const { post, origin, context, alpha } = await openIngestService(t, database.url);
  t.after(() => database.drop());
  for (const token of ['shk_wrong', 'x', 'shs_x', `${alpha}x`]) {
    const reply = await post(match(), { token });
    const expected = token.startsWith('shk_') ? /^The key is unknown, expired or revoked/ : /begins with shk_/;
    assert.match(reply.json.error_description, expected);
    assert.equal(reply.status, 401);
    assert.equal(reply.json.error, 'invalid_token');
    assert.match(reply.headers['www-authenticate']!, /error="invalid_token"/);
  }
  for (const [authorization, sentence] of [
    [`Token ${alpha}`, /has the scheme Token\. .*Authorization: Bearer KEY/],
    ['Basic dXNlcjpwYXNz', /has the scheme Basic\./],
    [alpha, /has no scheme\./],
    ['Bearer ', /has nothing after Bearer\./],
  ] as const) {
    const reply = await ask(origin, '/events', { method: 'POST', body: '{}', headers: { authorization } });
    assert.equal(reply.status, 401);
    assert.match(reply.json.error_description, sentence);
  }
  const none = await ask(origin, '/events', { method: 'POST', body: '{}' });
  assert.equal(none.status, 401);
  assert.doesNotMatch(none.headers['www-authenticate']!, /error=/);
  assert.equal((await context.db.all(sql`select key from ledger where type = 'match.finished'`)).length, 0);
});

test('requests for the data API are told its address', async (t) => {
  const database = await createTestDatabase('sqlite');
  const { origin, context } = await openIngestService(t, database.url);
  t.after(() => database.drop());
  for (const path of ['/v1/matches?limit=1', '/v1', '/v1/players/Steve', '/v1/events']) {
    const { status, json } = await ask(origin, path, { token: 'an access token' });
    const name = path.split('?')[0]!;
    assert.equal(status, 404);
    assert.equal(
      json.error_description,
      `Game servers send events here; the data API is at ${context.config.API_URL}${name}.`,
    );
  }
  for (const path of ['/v1x', '/v2/matches']) assert.equal((await ask(origin, path)).status, 401, path);
});

test('the OpenAPI document needs no key and describes the events that servers may send', async (t) => {
  const database = await createTestDatabase('sqlite');
  const { origin } = await openIngestService(t, database.url);
  t.after(() => database.drop());
  const { status, json, headers } = await ask(origin, '/openapi.json');
  assert.equal(status, 200);
  assert.equal(headers['access-control-allow-origin'], '*');
  assert.equal(headers['cache-control'], 'public, max-age=300');
  const { Event, ...schemas } = json.components.schemas;
  const kinds = Event.oneOf.map(({ $ref }: { $ref: string }) => schemas[$ref.split('/').at(-1)!].title);
  assert.deepEqual(Object.keys(Event.discriminator.mapping), kinds);
  assert.ok(kinds.includes('match.finished') && !kinds.includes('server.configured'));
  const named = JSON.stringify(json).match(/"#\/components\/schemas\/(\w+)"/g)!;
  for (const name of named) assert.ok(json.components.schemas[/(\w+)"$/.exec(name)![1]!], name);
  const uuid = new RegExp(schemas.PlayerLogin.properties.data.properties.player.properties.uuid.pattern as string);
  const dashed = '7f0c6a4e-52b1-4c2f-9b7d-1f2f8a6f9a10';
  const plain = dashed.replaceAll('-', '').toUpperCase();
  const written = [dashed, plain, 'Steve', '', plain.slice(1), `${plain}0`, dashed.slice(0, 32), ` ${dashed}`];
  assert.deepEqual(
    written.filter((text) => uuid.test(text)),
    [dashed, plain],
  );
});

test('wrong paths, methods and parameters are refused with 404, 405 and 400', async (t) => {
  const database = await createTestDatabase('sqlite');
  const { origin, alpha, post } = await openIngestService(t, database.url);
  t.after(() => database.drop());
  const get = (path: string, method = 'GET') => ask(origin, path, { method, token: alpha });
  assert.equal((await get('/v1/servers')).status, 404);
  const wrong = await get('/events');
  assert.equal(wrong.status, 405);
  assert.equal(wrong.headers.allow, 'POST');
  assert.equal((await get('/receipts', 'DELETE')).status, 405);
  for (const path of ['/receipts?after=%00', '/receipts?limit=0', '/receipts?limit=x']) {
    assert.equal((await get(path)).status, 400, path);
  }
  assert.equal((await post(match(), { path: '/events?dry_run=maybe' })).status, 400);
  assert.equal((await get('/receipts/?')).status, 200);
});

test('a body must match its content type and encoding, and its size is limited after decompression', async (t) => {
  const database = await createTestDatabase('sqlite');
  const { post } = await openIngestService(t, database.url);
  t.after(() => database.drop());
  const text = JSON.stringify(match());
  for (const [coding, pack] of [
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['zstd', zstdCompressSync],
  ] as const) {
    const reply = await post(pack(Buffer.from(text)), { headers: { 'content-encoding': coding } });
    assert.match(reply.json.status, /accepted|duplicate/, coding);
  }
  assert.equal((await post(text, { headers: { 'content-encoding': 'br' } })).status, 415);
  assert.equal((await post(text, { headers: { 'content-encoding': 'gzip' } })).status, 400);
  assert.equal((await post(gzipSync(text).subarray(0, 40), { headers: { 'content-encoding': 'gzip' } })).status, 400);
  for (const type of ['text/plain', 'application/json; charset=latin1', 'application/x-www-form-urlencoded', '']) {
    assert.equal((await post(text, { headers: { 'content-type': type } })).status, 415, type);
  }
  assert.equal((await post(text, { headers: { 'content-type': 'application/json; charset=UTF-8' } })).status, 200);
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '));
  assert.ok(bomb.length < 100_000);
  const exploded = await post(bomb, { headers: { 'content-encoding': 'gzip' } });
  assert.equal(exploded.status, 413);
  assert.match(exploded.json.error_description, /4 MiB/);
  assert.equal((await post(' '.repeat(5 * 1024 * 1024))).status, 413);
  assert.equal((await post(Array.from({ length: 1_001 }, () => 1))).status, 413);
  assert.equal((await post('')).status, 400);
  assert.equal((await post('', { headers: NDJSON })).status, 400);
  assert.equal((await post('[]')).text, '[]');
  assert.equal((await post(text)).status, 200, 'the service still works');
});

test('JSON must be UTF-8 without repeated members, and deep nesting is harmless', async (t) => {
  const database = await createTestDatabase('sqlite');
  const { post } = await openIngestService(t, database.url);
  t.after(() => database.drop());
  const text = JSON.stringify(match());
  const twice = await post(text.replace('"type"', '"id":"other","type"'));
  assert.equal(twice.status, 400);
  assert.match(twice.json.error_description, /same member twice/);
  assert.equal((await post(text.replace('"map"', '"map":"x", "map"'))).status, 400);
  assert.equal((await post(Buffer.from([0x7b, 0xff, 0x7d]))).status, 400);
  assert.equal((await post(`\ufeff${text}`)).status, 200);
  assert.equal(
    (await post(` ${text.replaceAll(',', ' ,\n').replace('match.finished', 'match.finishe\\u0064')} `)).json.status,
    'duplicate',
  );
  const deep = await post('['.repeat(200_000) + ']'.repeat(200_000));
  assert.equal(deep.json[0].status, 'rejected');
  const nested = await post(text.replace('"teams":[]', `"teams":${'['.repeat(100_000)}${']'.repeat(100_000)}`));
  assert.equal(nested.json.status, 'rejected');
  assert.equal((await post('{"__proto__":{"version":1}}')).json.status, 'rejected');
  assert.equal((await post('{"constructor":1,"version":1}')).json.status, 'rejected');
});

test('of many concurrent bodies, small, large and invalid, each gets its own response', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const { post, context } = await openIngestService(t, database.url);
  const received = Array.from({ length: 60 }, (_, number) => login('Alpha', person(number)));
  const forms: ((json: string) => string)[] = [
    (json) => json,
    (json) => json.slice(1),
    (json) => json.padEnd(32_768),
    (json) => json.padEnd(32_769),
    (json) => json.replace('"version":1', '"version":0'),
  ];
  const replies = await Promise.all(
    received.map((one, number) => post(forms[number % forms.length]!(JSON.stringify(one)))),
  );
  const answers = ['accepted', 'invalid_request', 'accepted', 'accepted', 'rejected'];
  replies.forEach(({ status, json }, number) => {
    const answer = answers[number % answers.length]!;
    assert.equal(status, answer === 'invalid_request' ? 400 : 200);
    if (status === 200) assert.deepEqual([json.id, json.status], [received[number]!.id, answer]);
  });
  assert.equal((await context.db.all(sql`select 1 from player_sessions`)).length, 36);
});

test('in a stream an invalid line, however long, affects no other, and too many lines end it with an error', async (t) => {
  const database = await createTestDatabase('sqlite');
  const { post } = await openIngestService(t, database.url);
  t.after(() => database.drop());
  const long = `{"id":"${'x'.repeat(1024 * 1024)}"}\n`;
  const exact = `{"id":"${'x'.repeat(1024 * 1024 - 9)}"}\n`;
  const reply = await post(lines(match()) + long + exact + lines(match()), { headers: NDJSON });
  const received = reply.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>);
  assert.deepEqual(
    received.map(({ status }) => status),
    ['accepted', 'rejected', 'rejected', 'accepted'],
  );
  assert.match(received[1]!['reason']!, /longer than 1048576/);
  assert.doesNotMatch(received[2]!['reason']!, /longer/);
  const many = await post('1\n'.repeat(30_000), { headers: NDJSON });
  const answers = many.text.trimEnd().split('\n');
  assert.equal(many.status, 200);
  assert.match(answers.at(-1)!, /"error":"invalid_request".*20000/);
  assert.ok(answers.length <= 20_001 && answers.length > 1);
});

onEachDatabase('with a dry run or a test key events are checked but not stored', async (t, url) => {
  const { post, context } = await openIngestService(t, url);
  const received = [match(), match({ win: 'Nobody' }), match()];
  const key = await keyOf(context, 'Alpha', true);
  for (const wish of [{ path: '/events?dry_run=1' }, { token: key }]) {
    const { json } = await post(received, wish);
    assert.deepEqual(
      json.map(({ status }: { status: string }) => status),
      ['accepted', 'rejected', 'accepted'],
    );
    const streamed = await post(lines(...received), { ...wish, headers: NDJSON });
    assert.equal(streamed.text.match(/accepted/g)!.length, 2);
    const [single, tests] = [await post(received[0], wish), streamed.text.match(/"test":true\}\n/g)?.length];
    assert.deepEqual(
      [...json, single.json].map(({ test }: { test?: true }) => test),
      Array(4).fill(true),
    );
    assert.equal(tests, 3);
  }
  const typo = await post(received[0], { path: '/events?dryrun=1' });
  assert.equal(typo.status, 400, 'a parameter with a typing error stores nothing');
  assert.match(typo.json.error_description, /^There is no parameter dryrun; with dry_run=1 /);
  for (const table of ['matches', 'refusals']) {
    assert.equal((await context.db.all({ strings: [`select key from ${table}`], values: [] })).length, 0);
  }
  assert.equal((await post(received[0])).json.status, 'accepted');
});

onEachDatabase('a server lists its accepted, rejected and withdrawn events', async (t, url) => {
  const { post, context, origin, alpha, beta } = await openIngestService(t, url);
  const [one, two] = [match(), match()];
  const { json: accepted } = await post([one, match({ win: 'x' }), two]);
  await post('nonsense\n', { headers: NDJSON });
  const { json } = await ask(origin, '/receipts', { token: alpha });
  assert.deepEqual(
    json.receipts.map(({ id, status, type, place }: Record<string, string>) => [id, status, type, place]),
    [
      [json.receipts[0].id, 'accepted', 'server.configured', undefined],
      [one.id, 'accepted', 'match.finished', undefined],
      [accepted[1].id, 'rejected', 'match.finished', 'data.win'],
      [two.id, 'accepted', 'match.finished', undefined],
      ['', 'rejected', undefined, ''],
    ],
    'events of the operator about the server are listed too',
  );
  assert.equal(json.next, null);
  assert.equal(json.receipts[0].received, BEGINNING);
  const page = await ask(origin, '/receipts?limit=1', { token: alpha });
  assert.equal(page.json.next, json.receipts[0].receipt);
  const rest = await ask(origin, `/receipts?after=${page.json.next}`, { token: alpha });
  assert.deepEqual(rest.json.receipts, json.receipts.slice(1));
  assert.equal((await ask(origin, '/receipts', { token: beta })).json.receipts.length, 1);
  await retractEvents(context.db, context.clock, [keyOfId(accepted[0].receipt)!]);
  const gone = await ask(origin, '/receipts', { token: alpha });
  assert.equal(gone.json.receipts[1].status, 'withdrawn');
  const again = await post(one);
  assert.deepEqual(again.json, {
    id: one.id,
    status: 'rejected',
    place: 'id',
    reason: '`id` is the id of an event that the operator has withdrawn; an event that is different needs a new id.',
  });
});

onEachDatabase('an event that is too early is rejected with retry, and the reason names the clock', async (t, url) => {
  const { post } = await openIngestService(t, url);
  const early = event('match.finished', { ...match().data, finished: after(301_000) } as never, {
    time: after(301_000),
  });
  const refused = (await post(early)).json;
  assert.equal(refused.retry, true);
  assert.match(refused.reason, /future/);
  assert.equal(
    (await post({ ...early, time: after(300_000), data: { ...early.data, finished: after(300_000) } })).json.status,
    'accepted',
  );
  const change = event('punishment.changed', { punishment: 'p', reason: 'x' });
  assert.equal((await post(change)).json.retry, true);
  assert.equal((await post(event('map.rated', { map: 'None', player: person(1), rate: 3 }))).json.retry, true);
  assert.equal(
    (await post(event('punishment.issued', { punishment: 'p', punished: person(1), type: 'ban' }))).json.status,
    'accepted',
  );
  assert.equal((await post(change)).json.status, 'accepted');
});

const sendPresence = (players: string[], ms: number) =>
  presence('Alpha', { current: 1, players, current_map: 'Isle' }, { time: after(ms) });

onEachDatabase('a heartbeat is visible at once, the newest one counts, and an old one is rejected', async (t, url) => {
  const { post, context } = await openIngestService(t, url);
  const shown = async () => (await listServers(context.db, 0)).find(({ name }) => name === 'Alpha')!;
  const first = sendPresence(['Ann', 'Bob'], 0);
  assert.equal((await post(first)).json.status, 'accepted');
  assert.deepEqual((await shown()).players, ['Ann', 'Bob']);
  assert.equal((await post(first)).json.status, 'duplicate');
  assert.equal((await post(sendPresence([], 1000))).json.place, 'data.current');
  assert.equal(
    (await post(sendPresence(['Ann'], -1000))).json.note,
    'nothing changed: a newer heartbeat is already stored',
  );
  const old = (await post(sendPresence(['Ann'], -300_001))).json;
  assert.equal(old.place, 'time');
  await post(sendPresence(['Eve'], 1000));
  assert.deepEqual((await shown()).players, ['Eve']);
});

onEachDatabase('a rotated key expires after the overlap, a revoked key at once', async (t, url) => {
  const { post, context, alpha } = await openIngestService(t, url);
  const { key } = (await serverByName(context.db, 'Alpha'))!;
  const opens = async (secret: string) => (await findServerKey(context.db, secret, context.clock.now())) !== undefined;
  const fresh = await rotateServerKey(context.db, context.clock.now(), key, 60_000);
  for (const token of [alpha, fresh]) assert.equal((await post(match(), { token })).status, 200);
  context.clock.advance(59_999);
  assert.deepEqual([await opens(alpha), await opens(fresh)], [true, true]);
  context.clock.advance(1);
  assert.deepEqual([await opens(alpha), await opens(fresh)], [false, true]);
  const [, , ours] = await listServerKeys(context.db, key);
  assert.equal(ours, undefined);
  assert.equal(await revokeServerKeys(context.db, context.clock.now(), key), 1);
  assert.equal(await opens(fresh), false);
  assert.equal((await post(match(), { token: `${fresh}x` })).status, 401);
});

test('a chunked body without Content-Length is read as one, up to the same limit', async (t) => {
  const database = await createTestDatabase('sqlite');
  const { post, origin, alpha, context } = await openIngestService(t, database.url);
  t.after(() => database.drop());
  const inPieces = async (pieces: string[]): Promise<number> => {
    const headers = { authorization: `Bearer ${alpha}`, 'content-type': 'application/json' };
    const { promise, resolve } = Promise.withResolvers<number>();
    const sent = request(`${origin}/events`, { method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    // The service may close the connection of a request that it refuses before the whole body has arrived.
    sent.on('error', () => undefined);
    for (const piece of pieces) sent.write(piece);
    sent.end();
    return await promise;
  };
  const text = JSON.stringify([login('Alpha', person(1, 'Zoë')), login('Alpha', person(2))]);
  assert.equal(await inPieces(text.split('')), 200);
  assert.equal((await context.db.all(sql`select login from player_sessions`)).length, 2);
  const megabyte = ' '.repeat(1024 * 1024);
  assert.equal(await inPieces([...Array.from({ length: 3 }, () => megabyte), text]), 200);
  assert.equal(await inPieces([...Array.from({ length: 4 }, () => megabyte), text]), 413);
  assert.equal((await post(text)).status, 200, 'the service still works');
});
