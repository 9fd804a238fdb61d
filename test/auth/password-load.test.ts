import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { test } from 'node:test';
import { sql } from '#db/sql.ts';
import { map, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { LogRecorder } from '#test/support/disconnect.ts';
import { OccupiedThreadPool } from '#test/support/thread-pool.ts';
import { Person } from './person.ts';
import { makeAccount, makeApplication, PASSWORD } from './support.ts';
import { openWorld, openWorldOnSqlite, signIn, type World } from './world.ts';

const WRONG = 'wrong wrong wrong';
const PROXY = { TRUSTED_PROXIES: '127.0.0.1' };
/** The hash that runs, and those that wait. */
const CAPACITY = 101;

interface Guess {
  response: Promise<Response | 'disconnected'>;
  disconnect: () => void;
}

/** Sends a password for an account that does not exist, from a browser that is not known. */
function guess({ services }: World, number: number, address = `203.0.113.${number}`): Guess {
  const connection = new AbortController();
  const response = fetch(`${services.auth}/sign-in`, {
    ...{ method: 'POST', redirect: 'manual', signal: connection.signal },
    headers: { origin: services.auth, 'x-forwarded-for': address },
    body: new URLSearchParams({ login: `Nobody${number}`, password: WRONG }),
  }).catch(() => 'disconnected' as const);
  return { response, disconnect: () => connection.abort() };
}

/** Sends guesses and waits until the service has counted them, which it does before it checks them. */
async function guessAll(world: World, count: number): Promise<Guess[]> {
  const { db } = world.services.context;
  const guesses = Array.from({ length: count }, (_, index) => guess(world, index));
  const counted = sql`select count(*) as count from throttles where subject like 'wrongPassword%'`;
  // One count of each address, and one of each account.
  while ((await db.get<{ count: number }>(counted))!.count < 2 * count) await setImmediate();
  return guesses;
}

function countAnswers(guesses: Guess[]): () => number {
  let answered = 0;
  for (const { response } of guesses) void response.then(() => answered++);
  return () => answered;
}

async function statusOf({ response }: Guess): Promise<number | 'disconnected'> {
  const received = await response;
  return received === 'disconnected' ? received : received.status;
}

onEachDatabase('a known browser and a signed-in person do not wait for guesses', async (t, url) => {
  const world = await openWorld(t, url, PROXY);
  await makeAccount(world.services, 'Robin');
  await makeAccount(world.services, 'Wren');
  const owner = await signIn(world, 'Robin');
  await owner.post('/account/sign-out', {});
  const signedIn = await signIn(world, 'Wren');
  await using pool = await OccupiedThreadPool.open();
  const guesses = await guessAll(world, 12);
  const answered = countAnswers(guesses);
  pool.free();
  await Promise.all([
    signIn(world, 'Robin', PASSWORD, owner),
    signedIn.post('/account/name', { name: 'Jay', current: PASSWORD }),
  ]);
  assert.match(owner.page.url, /\/account$/);
  assert.match(signedIn.page.url, /done=saved/);
  assert.ok(answered() < guesses.length - 2, `${answered()} guesses were answered before`);
  for (const each of guesses) assert.equal(await statusOf(each), 422);
});

test('the data API compresses its responses while guesses wait', async (t) => {
  const world = await openWorldOnSqlite(t, PROXY);
  const { context, api } = world.services;
  await sendEvents(context, ...Array.from({ length: 20 }, (_, number) => map(`Map ${number}`)));
  const { application } = await makeApplication(world.services, 'service', []);
  const headers = { 'x-client-id': application.client_id, 'accept-encoding': 'gzip' };
  await using pool = await OccupiedThreadPool.open();
  const guesses = await guessAll(world, 8);
  const answered = countAnswers(guesses);
  const response = fetch(`${api}/v1/maps`, { headers });
  pool.free();
  assert.equal((await response).headers.get('content-encoding'), 'gzip');
  assert.ok(answered() <= 3, `${answered()} guesses were answered before`);
  for (const each of guesses) assert.equal(await statusOf(each), 422);
});

test('guesses beyond the queue get 503, and disconnected clients leave it', async (t) => {
  const world = await openWorldOnSqlite(t, PROXY);
  await makeAccount(world.services, 'Robin');
  await using pool = await OccupiedThreadPool.open();
  const guesses = await guessAll(world, CAPACITY);
  const refused = (await guess(world, 250).response) as Response;
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '5']);
  assert.match(await refused.text(), /Try again in a moment/);
  const newcomer = new Person(world.services.auth, { 'x-forwarded-for': '203.0.113.251' });
  await newcomer.post('/register', { name: 'Jay', email: 'jay@example.org', password: PASSWORD });
  assert.equal(newcomer.page.status, 503, 'a registration waits in the same queue');
  const { db } = world.services.context;
  assert.equal(await db.get(sql`select subject from throttles where subject like '% 203.0.113.25_'`), undefined);
  const recorder = new LogRecorder(t, world.services.context.log);
  for (const each of guesses.slice(1)) each.disconnect();
  // Each refusal is logged, and no hash can have ended yet.
  while (recorder.levels.length < CAPACITY - 1) await setImmediate();
  assert.deepEqual(new Set(recorder.levels), new Set(['debug']), 'operators need not read of it');
  pool.free();
  assert.equal(await statusOf(guesses[0]!), 422);
});

test('a stop of the service answers waiting sign-ins at once, without checking their passwords', async (t) => {
  const world = await openWorldOnSqlite(t, PROXY);
  await using pool = await OccupiedThreadPool.open();
  const guesses = await guessAll(world, 3);
  const answered = countAnswers(guesses);
  const stop = world.services.stop();
  while (answered() < 2) await setImmediate();
  pool.free();
  await stop;
  const responses = (await Promise.all(guesses.map(({ response }) => response))) as Response[];
  const statuses = responses.map(({ status }) => status).toSorted((a, b) => a - b);
  assert.deepEqual(statuses, [422, 503, 503], 'the hash that runs ends');
  for (const response of responses.filter(({ status }) => status === 503)) {
    assert.equal(response.headers.get('retry-after'), '5');
    assert.match(await response.text(), /Too many people are signing in right now/);
  }
});

test('requests whose body does not arrive wait in no queue', async (t) => {
  const world = await openWorldOnSqlite(t, PROXY);
  const { host, port, hostname } = new URL(world.services.auth);
  const head =
    `POST /sign-in HTTP/1.1\r\nhost: ${host}\r\norigin: ${world.services.auth}\r\nexpect: 100-continue\r\n` +
    'content-type: application/x-www-form-urlencoded\r\ncontent-length: 100\r\n\r\nlogin=Robin';
  // The service stops before the hook below runs, and may reset the connections.
  const sockets = Array.from({ length: CAPACITY }, () => connect(Number(port), hostname).on('error', () => undefined));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (const socket of sockets) socket.write(head);
  await Promise.all(sockets.map((socket) => once(socket, 'data')));
  assert.equal(await statusOf(guess(world, 1)), 422);
});
