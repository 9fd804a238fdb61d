import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { sql } from '#db/sql.ts';
import { login, match, person, team } from '#test/support/builders.ts';
import { createTestDatabase, onEachDatabase } from '#test/support/context.ts';
import { type HttpService, openIngestService } from './service.ts';

/** Malicious or broken requests of one game server must affect neither other servers nor its own later requests. */

const NDJSON = { 'content-type': 'application/x-ndjson' };
const lines = (...events: unknown[]): string => events.map((one) => `${JSON.stringify(one)}\n`).join('');
const receiptsIn = (text: string): Record<string, string>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>);

/** Members that every JavaScript object inherits. */
const INHERITED = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'];

test('the name of an inherited object member is no valid encoding, content type or path', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const { post } = await openIngestService(t, database.url);
  for (const name of INHERITED) {
    assert.equal((await post('{}', { headers: { 'content-encoding': name } })).status, 415, name);
    assert.equal((await post('{}', { headers: { 'content-type': name } })).status, 415, name);
    assert.equal((await post('{}', { path: `/${name}` })).status, 404, name);
    assert.equal((await post(match())).json.status, 'accepted');
  }
});

onEachDatabase('a gamemode may be named like an inherited object member', async (t, url) => {
  const { post, context } = await openIngestService(t, url);
  const modes = [...INHERITED, 'CONSTRUCTOR'];
  const matches = modes.map((gamemode) => match({ gamemode, teams: [team('Red', 1)], win: 'Red' }));
  const answers = receiptsIn((await post(lines(login('Alpha', person(2)), ...matches), { headers: NDJSON })).text);
  assert.deepEqual(
    answers.map(({ status }) => status),
    ['accepted', ...modes.map(() => 'accepted')],
  );
  const [row] = await context.db.all(sql`select max(teampvp_play) as played from player_stats`);
  assert.equal(row!['played'], modes.length);
});

/** Sends a body in pieces, without saying how long it is, and waits for the whole answer. */
async function stream(
  { origin, alpha }: HttpService,
  pieces: Iterable<string>,
): Promise<{ status: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const { hostname, port } = new URL(origin);
  const headers = { ...NDJSON, authorization: `Bearer ${alpha}` };
  const sent = request({ hostname, port, path: '/events', method: 'POST', headers }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
    response.on('end', () => resolve({ status: response.statusCode!, text: Buffer.concat(chunks).toString() }));
  });
  sent.on('error', reject);
  for (const piece of pieces) sent.write(piece);
  sent.end();
  return await promise;
}

const logins = (count: number): string[] =>
  Array.from({ length: count }, (_, number) => lines(login('Alpha', person(number))));

test('a stream that is too large is refused with 413, and the service continues', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const service = await openIngestService(t, database.url);
  const answer = await stream(
    service,
    Array.from({ length: 66 }, () => '\n'.repeat(1024 * 1024)),
  );
  assert.equal(answer.status, 413);
  assert.match(answer.text, /64 MiB/);
  assert.equal((await service.post(match())).json.status, 'accepted');
});

test('a stream beyond the events of a minute is refused with 429, and the service continues', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const service = await openIngestService(t, database.url, { INGEST_LIMIT: '200' });
  const first = await stream(service, logins(5_000));
  assert.equal(first.status, 200);
  assert.match(first.text.trimEnd().split('\n').at(-1)!, /"rate_limit"/);
  const second = await stream(service, logins(5_000));
  assert.equal(second.status, 429);
  assert.match(second.text, /"rate_limit"/);
  assert.equal((await service.post('')).status, 429);
  assert.equal((await service.post('', { token: service.beta })).status, 400);
});

test('a large body that is refused gets an error response instead of a broken connection', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const { post, origin } = await openIngestService(t, database.url);
  const large = ' '.repeat(24 * 1024 * 1024);
  for (let turn = 0; turn < 3; turn++) {
    assert.equal((await post(large)).status, 413);
    assert.equal((await post(large, { token: 'wrong' })).status, 401);
    const headers = { 'content-type': 'application/json', authorization: 'Bearer wrong' };
    assert.equal((await fetch(`${origin}/events`, { method: 'POST', body: large, headers })).status, 401);
  }
});

onEachDatabase('a rejection is stored whatever the event holds, and does not affect other events', async (t, url) => {
  const { post, origin, alpha } = await openIngestService(t, url);
  const [first, last] = [match(), match()];
  const answer = await post([
    first,
    { ...match(), id: 'a\u0000b\u202e' },
    { ...match(), id: '\ud83d' },
    { ...match(), 'c\u0000d': 1 },
    { ...match(), ['m'.repeat(500_000)]: 1 },
    last,
  ]);
  const receipts = answer.json as { id: string; status: string; reason?: string; place?: string }[];
  assert.deepEqual(
    receipts.map(({ status }) => status),
    ['accepted', ...Array.from({ length: 4 }, () => 'rejected'), 'accepted'],
  );
  for (const { reason = '', place = '' } of receipts) assert.ok(reason.length <= 600 && place.length <= 200);
  assert.equal(receipts[1]!.id, 'a\u0000b\u202e', 'the receipt has the id as sent');
  const torn = receiptsIn((await post(`${lines(login('Alpha', person(1)))}\u0000\u0000\n`, { headers: NDJSON })).text);
  assert.deepEqual(
    torn.map(({ status }) => status),
    ['accepted', 'rejected'],
  );
  const reply = await fetch(`${origin}/receipts?limit=1000`, { headers: { authorization: `Bearer ${alpha}` } });
  const cached = ((await reply.json()) as { receipts: { id: string; status: string }[] }).receipts;
  assert.equal(cached.filter(({ status }) => status === 'rejected').length, 5);
  assert.ok(cached.some(({ id }) => id === 'a\ufffdb\ufffd'));
});

onEachDatabase('the list of receipts has up to 64 shown characters of the type of a rejected event', async (t, url) => {
  const { post, origin, alpha } = await openIngestService(t, url);
  const types: [sent: unknown, listed: string | undefined][] = [
    ['player.login', 'player.login'],
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['a\u0000b\u202e\ud83d', 'a\ufffdb\ufffd\ufffd'],
    ['😀'.repeat(64), '😀'.repeat(64)],
    ['😀'.repeat(65), '😀'.repeat(64)],
    [' '.repeat(64) + 'x'.repeat(300_000), 'x'.repeat(64)],
    ['', undefined],
    [' \n', undefined],
    [undefined, undefined],
    [null, undefined],
    [7, undefined],
    [['player.login'], undefined],
    [{ toString: 'player.login' }, undefined],
  ];
  const listed = async (): Promise<(string | undefined)[]> => {
    const reply = await fetch(`${origin}/receipts`, { headers: { authorization: `Bearer ${alpha}` } });
    const { receipts } = (await reply.json()) as { receipts: { status: string; type?: string }[] };
    return receipts.filter(({ status }) => status === 'rejected').map(({ type }) => type);
  };
  const answer = await post(types.map(([type]) => ({ ...match(), version: 0, type })));
  assert.ok(answer.json.every((receipt: object) => !('type' in receipt)));
  const wanted = types.map(([, type]) => type);
  assert.deepEqual(await listed(), wanted);
  // None of these is an object with one type, or small enough to be checked.
  await post('["player.login", null, 7, [], {"type":"map.rated","type":"map.rated"}, {"type": player.login}]');
  await post({ ...match(), type: 'map.published', data: { image: 'x'.repeat(1_100_000) } });
  await post(`player.login\n${'x'.repeat(1_100_000)}\n`, { headers: NDJSON });
  const unreadable = [undefined, undefined, undefined, undefined, 'map.rated', undefined];
  assert.deepEqual(await listed(), [...wanted, ...unreadable, 'map.published', undefined, undefined]);
});

onEachDatabase('an event that other events contradict is listed with its type', async (t, url) => {
  const { post, origin, alpha } = await openIngestService(t, url);
  const first = login('Alpha', person(1));
  const receipts = await post([first, { ...first, ...match(), id: first.id }]);
  assert.deepEqual(
    receipts.json.map(({ status }: { status: string }) => status),
    ['accepted', 'rejected'],
  );
  const reply = await fetch(`${origin}/receipts`, { headers: { authorization: `Bearer ${alpha}` } });
  const { receipts: all } = (await reply.json()) as { receipts: { type: string }[] };
  assert.equal(all.at(-1)!.type, 'match.finished');
});

test('the receipt of a rejected event has up to 128 characters of its id', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const { post } = await openIngestService(t, database.url);
  for (const id of ['😀'.repeat(100), `${'x'.repeat(127)}😀`, '😀'.repeat(128)]) {
    assert.equal((await post({ ...match(), id })).json.status, 'accepted', id);
    const refused = (await post({ ...match(), id, version: 0 })).json;
    assert.deepEqual([refused.status, refused.id], ['rejected', id]);
  }
  assert.equal((await post({ ...match(), id: '😀'.repeat(129) })).json.id, '😀'.repeat(128));
});

test('the size limit of an event is the same in an array and in a stream', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const { post } = await openIngestService(t, database.url);
  const teams = [team('Red', 1), team('Blue', 2)];
  const kill = { killer: person(1).uuid, victim: person(2).uuid, time: match().time };
  const large = match({ teams, kills: Array.from({ length: 15_000 }, () => kill) });
  const [small, refused] = (await post([match({ teams, kills: [kill] }), large])).json;
  assert.equal(small.status, 'accepted');
  assert.deepEqual([refused.id, refused.status], [large.id, 'rejected']);
  assert.match(refused.reason, /1048576 bytes/);
});

const empty = (count: number): object[] => Array.from({ length: count }, () => ({}));

test('of a large event with very many problems only the first one is found, whatever its version', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const { post } = await openIngestService(t, database.url);
  const many = Array.from({ length: 1_000 }, (_, index) => ({ name: `Team ${index}`, players: empty(40) }));
  const deep = `,"deep":${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const cases: [teams: object[], more?: string][] = [
    [many],
    [many, deep],
    [
      [
        { name: 'Red', players: empty(1_000) },
        { name: 'Blue', players: empty(300_000) },
      ],
    ],
  ];
  for (const version of [1, 2])
    for (const [teams, more = ''] of cases) {
      const event = match();
      const text = JSON.stringify({ ...event, version, data: { ...event.data, teams } });
      assert.ok(text.endsWith('}}'), 'the data are the last member');
      const { status, json } = await post(`${text.slice(0, -2)}${more}}}`);
      assert.deepEqual([status, json.status, json.id, json.problems], [200, 'rejected', event.id, undefined]);
    }
});

test('a large body of too many or too long elements is refused without being parsed', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const { post } = await openIngestService(t, database.url);
  const refused = await post(`[${'x,'.repeat(40_000)}x]`);
  assert.equal(refused.status, 413);
  assert.match(refused.text, /more than 1000 events/);
  const spaces = ' '.repeat(2 * 1024 * 1024);
  assert.equal((await post(`{${spaces}}`)).status, 413);
  const [long, short] = (await post(`[{${spaces}},${JSON.stringify(match())}]`)).json;
  assert.match(long.reason, /longer than 2097152 characters/);
  assert.equal(short.status, 'accepted');
});

test('blank lines are skipped', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const { post } = await openIngestService(t, database.url);
  const answer = await post(`  \n${lines(match())}\t \r\n \r\n${lines(match())}   `, { headers: NDJSON });
  assert.deepEqual(
    receiptsIn(answer.text).map(({ status }) => status),
    ['accepted', 'accepted'],
  );
});
